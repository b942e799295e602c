//! The packing of one split.

use lance_loader_order::Result;

use crate::best_fit::{Plan, WindowPieces};
use crate::block_batch::Row;
use crate::options::{Layout, PackMode, invalid};
use crate::progress::SplitProgress;
use crate::state::SplitState;
use crate::token::{Token, TokenSource, does_not_fit};
use crate::token_buffer::TokenBuffer;

/// One split: a log of tokens, and a cursor in it that moves on by blocks.
///
/// A split knows its number of documents, so it knows by itself when it has only padding left to give.
#[derive(Clone, Debug)]
pub(crate) struct SplitPacker<T> {
    split: usize,
    layout: Layout<T>,
    documents: u64,
    buffer: TokenBuffer<T>,
    cursor: SplitProgress,
    /// The plan of the current window, once a block of it is wanted (best-fit only).
    window: Option<Plan>,
}

impl<T: Token> SplitPacker<T> {
    pub(crate) fn new(split: usize, layout: Layout<T>, documents: u64, state: SplitState<T>) -> Self {
        let SplitState { documents: consumed, tokens, starts, mut progress } = state;
        if matches!(layout.mode, PackMode::BestFit { .. }) {
            progress.position = consumed;
        }
        let buffer = TokenBuffer::resumed(tokens, starts, consumed);
        Self { split, layout, documents, buffer, cursor: progress, window: None }
    }

    /// Appends the next document; on an error nothing is appended.
    pub(crate) fn push<V: TokenSource>(&mut self, document: &[V]) -> Result<()> {
        let number = self.buffer.documents();
        if number >= self.documents {
            return Err(invalid(format!(
                "a document was pushed to split {}, which has {} documents and got them all",
                self.split, self.documents
            )));
        }
        if self.admit(number, document.len())? {
            self.buffer.push(document, self.layout.eos).map_err(|value| {
                does_not_fit::<T>(format_args!("a token of document {number} of split {}", self.split), value)
            })?;
        } else {
            self.buffer.push_dropped();
        }
        Ok(())
    }

    /// Whether the next document is kept: every one is, unless it must stay whole and is too long for that.
    fn admit(&self, number: u64, tokens: usize) -> Result<bool> {
        match self.layout.mode {
            PackMode::BestFit { long_documents, .. } => long_documents.admits(
                format_args!("document {number} of split {}", self.split),
                tokens as u64,
                self.layout.length,
            ),
            PackMode::Concat => Ok(true),
        }
    }

    /// Documents of the split.
    pub(crate) fn documents(&self) -> u64 {
        self.documents
    }

    /// Documents that were pushed, those before a resume included: the number of the one to push next.
    pub(crate) fn documents_pushed(&self) -> u64 {
        self.buffer.documents()
    }

    /// Tokens that are held.
    pub(crate) fn buffered_tokens(&self) -> u64 {
        self.buffer.end() - self.buffer.origin()
    }

    /// Whether the split has given all blocks of its budget.
    pub(crate) fn is_complete(&self) -> bool {
        self.cursor.blocks >= self.layout.blocks_per_split
    }

    /// Whether documents are wanted before the next block can be written.
    pub(crate) fn needs(&self) -> bool {
        let drained = self.buffer.documents() >= self.documents;
        !self.is_complete() && !drained && self.window.is_none() && self.tokens_ahead() < self.tokens_wanted()
    }

    /// Blocks of the budget that were not given yet.
    pub(crate) fn blocks_left(&self) -> u64 {
        self.layout.blocks_per_split.saturating_sub(self.cursor.blocks)
    }

    /// Tokens from the cursor on that are held.
    pub(crate) fn tokens_ahead(&self) -> u64 {
        let position = match self.layout.mode {
            PackMode::Concat => self.cursor.position,
            PackMode::BestFit { .. } => self.buffer.start_of(self.cursor.position),
        };
        self.buffer.end() - position
    }

    /// Tokens from the cursor on that blocks or windows can still take.
    pub(crate) fn tokens_usable(&self) -> u64 {
        let blocks = self.blocks_left().saturating_mul(self.layout.length as u64);
        blocks.saturating_add(self.tokens_wanted())
    }

    /// What a block (concat) or a window (best-fit) takes, unless the documents end before.
    fn tokens_wanted(&self) -> u64 {
        let length = self.layout.length as u64;
        match self.layout.mode {
            PackMode::Concat => length,
            PackMode::BestFit { look_ahead, .. } => length * u64::from(look_ahead),
        }
    }

    /// Plans the next window where there is none (best-fit only). Only where [`SplitPacker::needs`] says no.
    pub(crate) fn prepare(&mut self) -> Result<()> {
        if self.window.is_none() && self.layout.mode != PackMode::Concat {
            self.window = Some(self.plan_window()?);
        }
        Ok(())
    }

    /// Writes the next block. Only after [`SplitPacker::prepare`].
    pub(crate) fn write(&mut self, row: Row<'_, T>) {
        match self.window.take() {
            None => self.write_run(row),
            Some(plan) => self.write_planned(row, plan),
        }
        self.cursor.blocks += 1;
        if self.is_complete() {
            self.cursor.counts.tokens_left_over = self.tokens_begun();
        }
    }

    /// Tokens of the last document (concat) or window (best-fit) that no block holds yet.
    fn tokens_begun(&self) -> u64 {
        match (&self.window, self.layout.mode) {
            (Some(plan), _) => plan.tokens_from(self.cursor.counts.window_blocks),
            (None, PackMode::Concat) => self.buffer.tail(self.cursor.position).tokens.len() as u64,
            (None, PackMode::BestFit { .. }) => 0,
        }
    }

    /// The next block's length of the stream of tokens, cut where documents start inside it.
    fn write_run(&mut self, mut row: Row<'_, T>) {
        let start = self.cursor.position;
        let end = self.buffer.end().min(start + self.layout.length as u64);
        let mut from = start;
        for document in self.buffer.starts_in(start + 1..end).chain([end]) {
            if document > from {
                row.append(self.buffer.slice(from..document));
            }
            from = document;
        }
        row.finish(self.layout.pad);
        self.cursor.position = end;
        self.cursor.counts.tokens += end - start;
        self.cursor.counts.documents = self.buffer.documents_before(end);
    }

    /// The next block of the window.
    fn write_planned(&mut self, mut row: Row<'_, T>, plan: Plan) {
        let counts = &mut self.cursor.counts;
        for piece in plan.block(counts.window_blocks) {
            let len = u64::from(piece.len);
            row.append(self.buffer.slice(piece.start..piece.start + len));
            counts.tokens += len;
            counts.documents += u64::from(piece.ends_document);
        }
        row.finish(self.layout.pad);
        counts.window_blocks += 1;
        if counts.window_blocks < plan.blocks() {
            self.window = Some(plan);
        } else {
            counts.window_blocks = 0;
            counts.documents_split += plan.documents_split;
            counts.documents_dropped += plan.documents_dropped;
            self.cursor.position = self.window_end();
        }
    }

    fn plan_window(&self) -> Result<Plan> {
        let mut pieces = WindowPieces::default();
        for document in self.cursor.position..self.window_end() {
            let start = self.buffer.start_of(document);
            pieces.add(start, self.buffer.start_of(document + 1) - start, self.layout.length);
        }
        let plan = pieces.plan(self.layout.length);
        let done = self.cursor.counts.window_blocks;
        if done > 0 && done >= plan.blocks() {
            return Err(invalid(format!(
                "the state has {done} blocks from a window of split {} that makes only {}: its documents are not those that the state \
                 was saved on",
                self.split,
                plan.blocks()
            )));
        }
        Ok(plan)
    }

    /// The number of the document after the window's last one.
    fn window_end(&self) -> u64 {
        let start = self.buffer.start_of(self.cursor.position);
        self.buffer.documents_before(start.saturating_add(self.tokens_wanted()))
    }

    pub(crate) fn progress(&self) -> SplitProgress {
        self.cursor
    }

    /// Forgets the tokens that only an earlier progress than this one would need.
    pub(crate) fn release(&mut self, progress: &SplitProgress) {
        match self.layout.mode {
            PackMode::Concat => self.buffer.release(progress.position),
            PackMode::BestFit { .. } => self.buffer.release(self.buffer.start_of(progress.position)),
        }
    }

    /// What a state at `progress` holds of this split; an error where its tokens were released.
    pub(crate) fn state(&self, progress: &SplitProgress) -> Result<SplitState<T>> {
        let (documents, tokens, starts) = match self.layout.mode {
            PackMode::BestFit { .. } => (progress.position, Vec::new(), Vec::new()),
            PackMode::Concat if progress.position < self.buffer.origin() => {
                return Err(invalid(format!(
                    "the tokens of split {} at this progress were released already",
                    self.split
                )));
            }
            PackMode::Concat => {
                let tail = self.buffer.tail(progress.position);
                (tail.documents, tail.tokens.to_vec(), tail.starts)
            }
        };
        Ok(SplitState { documents, tokens, starts: starts.into(), progress: *progress })
    }
}
