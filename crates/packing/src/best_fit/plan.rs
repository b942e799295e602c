//! Which piece of which document goes into which block of a window.

use crate::best_fit::first_fit::first_fit_decreasing;

/// A run of tokens that is not cut: a document with its eos, or a piece of one that is longer than a block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Piece {
    /// The position of its first token.
    pub(crate) start: u64,
    /// Tokens in it, 1 to a block's length.
    pub(crate) len: u32,
    /// Whether its last token is its document's eos.
    pub(crate) ends_document: bool,
}

/// The pieces of a window while its documents are added.
#[derive(Debug, Default)]
pub(crate) struct WindowPieces {
    pieces: Vec<Piece>,
    documents_split: u64,
    documents_dropped: u64,
}

impl WindowPieces {
    /// Adds a document of `tokens` tokens, eos included, cut into pieces of at most `length`; one of none was dropped.
    pub(crate) fn add(&mut self, start: u64, tokens: u64, length: usize) {
        let length = length as u64;
        self.documents_dropped += u64::from(tokens == 0);
        self.documents_split += u64::from(tokens > length);
        let mut done = 0;
        while done < tokens {
            let len = (tokens - done).min(length);
            let ends_document = done + len == tokens;
            self.pieces.push(Piece { start: start + done, len: len as u32, ends_document });
            done += len;
        }
    }

    /// Blocks of `length` that the pieces take.
    pub(crate) fn count_blocks(&self, length: usize) -> usize {
        first_fit_decreasing(&self.lengths(), length as u32).1
    }

    /// Places the pieces into blocks of `length`: first-fit-decreasing, blocks and the pieces in them in document order.
    pub(crate) fn plan(self, length: usize) -> Plan {
        let (blocks, count) = first_fit_decreasing(&self.lengths(), length as u32);
        let mut ends = vec![0; count];
        for &block in &blocks {
            ends[block] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            // Each becomes its block's first place for now, and moves to the block's end as the pieces are dealt.
            let size = *end;
            *end = total;
            total += size;
        }
        let mut pieces = vec![Piece::default(); self.pieces.len()];
        for (piece, block) in self.pieces.iter().zip(blocks) {
            pieces[ends[block]] = *piece;
            ends[block] += 1;
        }
        Plan {
            pieces,
            ends,
            documents_split: self.documents_split,
            documents_dropped: self.documents_dropped,
        }
    }

    fn lengths(&self) -> Vec<u32> {
        self.pieces.iter().map(|piece| piece.len).collect()
    }
}

/// The blocks of one window.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// All pieces, block after block.
    pieces: Vec<Piece>,
    /// Where each block's pieces end.
    ends: Vec<usize>,
    /// Documents of the window that were cut.
    pub(crate) documents_split: u64,
    /// Documents of the window that were left out.
    pub(crate) documents_dropped: u64,
}

impl Plan {
    /// Blocks of the window.
    pub(crate) fn blocks(&self) -> u64 {
        self.ends.len() as u64
    }

    /// The pieces of one block; none where the window has no such block.
    pub(crate) fn block(&self, block: u64) -> &[Piece] {
        let range = self.pieces_before(block)..self.pieces_before(block + 1);
        &self.pieces[range]
    }

    /// Tokens in the blocks from one on.
    pub(crate) fn tokens_from(&self, block: u64) -> u64 {
        self.pieces[self.pieces_before(block)..].iter().map(|piece| u64::from(piece.len)).sum()
    }

    fn pieces_before(&self, block: u64) -> usize {
        let blocks = block.min(self.blocks()) as usize;
        blocks.checked_sub(1).map_or(0, |last| self.ends[last])
    }
}
