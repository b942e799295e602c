//! The memory of a batch of blocks, which its caller owns, and the writing of one row.

use lance_loader_order::{Code, Error, Result};

use crate::options::{checked_length, invalid};

/// Cumulative sequence lengths of the blocks of a batch, laid out as an Arrow list of `i32`.
///
/// Block `b` is `values[offsets[b]..offsets[b + 1]]`: 0, then where each segment ends, the last one the block's length.
/// Strictly increasing, so no segment is empty. A segment is what a block holds of one document, eos included; the
/// padding at its end is a segment of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttentionLengths {
    /// Where each block's values begin, and where the last one's end.
    pub offsets: Vec<i32>,
    /// The cumulative lengths of all blocks.
    pub values: Vec<i32>,
}

/// Rows of `[batch, length]` tensors that blocks are written into, in order.
#[derive(Debug)]
pub struct BlockBatch<'a, T> {
    length: usize,
    rows: usize,
    filled: usize,
    input_ids: &'a mut [T],
    doc_ids: &'a mut [i32],
    position_ids: Option<&'a mut [i32]>,
    loss_mask: Option<&'a mut [u8]>,
    attention_lengths: Option<&'a mut AttentionLengths>,
}

impl<'a, T> BlockBatch<'a, T> {
    /// A batch over `input_ids` and `doc_ids`, each `rows * length` items, whatever they hold.
    ///
    /// `doc_ids` counts the documents inside a block from 0, a continued one being 0; padding keeps the id before it, and
    /// is 0 in a block of nothing else.
    pub fn new(length: u64, input_ids: &'a mut [T], doc_ids: &'a mut [i32]) -> Result<Self> {
        let length = checked_length(length)?;
        if !input_ids.len().is_multiple_of(length) {
            return Err(invalid(format!(
                "inputIds has {} items; it must have a multiple of packSequences ({length})",
                input_ids.len()
            )));
        }
        check_size("docIds", doc_ids.len(), input_ids.len())?;
        let rows = input_ids.len() / length;
        Ok(Self {
            length,
            rows,
            filled: 0,
            input_ids,
            doc_ids,
            position_ids: None,
            loss_mask: None,
            attention_lengths: None,
        })
    }

    /// Also writes each token's position in its segment, from 0 at the start of each document, of the block and of the
    /// padding. Of the size of `input_ids`.
    pub fn with_position_ids(mut self, position_ids: &'a mut [i32]) -> Result<Self> {
        check_size("positionIds", position_ids.len(), self.input_ids.len())?;
        self.position_ids = Some(position_ids);
        Ok(self)
    }

    /// Also writes 1 for each token of a document, its eos included, and 0 for padding. Of the size of `input_ids`.
    pub fn with_loss_mask(mut self, loss_mask: &'a mut [u8]) -> Result<Self> {
        check_size("lossMask", loss_mask.len(), self.input_ids.len())?;
        self.loss_mask = Some(loss_mask);
        Ok(self)
    }

    /// Also writes the attention lengths; what `lengths` held is cleared.
    ///
    /// A batch whose lengths could pass `i32` offsets is refused (`BatchTooLarge`).
    pub fn with_attention_lengths(mut self, lengths: &'a mut AttentionLengths) -> Result<Self> {
        if self.rows as u128 * (self.length as u128 + 1) > i32::MAX.unsigned_abs().into() {
            return Err(Error::new(
                Code::BatchTooLarge,
                format!(
                    "a batch of {} blocks of {} tokens may have more than 2^31 - 1 attention lengths: ask for fewer blocks",
                    self.rows, self.length
                ),
            ));
        }
        lengths.values.clear();
        lengths.offsets.clear();
        lengths.offsets.push(0);
        self.attention_lengths = Some(lengths);
        Ok(self)
    }

    /// Tokens in a block.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Blocks that were written so far.
    pub fn filled(&self) -> usize {
        self.filled
    }

    /// Whether every row was written.
    pub fn is_full(&self) -> bool {
        self.filled == self.rows
    }

    /// The next row; none when the batch is full. It counts as written from here on.
    pub(crate) fn next_row(&mut self) -> Option<Row<'_, T>> {
        if self.is_full() {
            return None;
        }
        let range = self.filled * self.length..(self.filled + 1) * self.length;
        self.filled += 1;
        if let Some(lengths) = self.attention_lengths.as_deref_mut() {
            lengths.values.push(0);
        }
        Some(Row {
            input_ids: &mut self.input_ids[range.clone()],
            doc_ids: &mut self.doc_ids[range.clone()],
            position_ids: self.position_ids.as_deref_mut().map(|ids| &mut ids[range.clone()]),
            loss_mask: self.loss_mask.as_deref_mut().map(|mask| &mut mask[range]),
            attention_lengths: self.attention_lengths.as_deref_mut(),
            written: 0,
            documents: 0,
        })
    }
}

fn check_size(name: &str, size: usize, expected: usize) -> Result<()> {
    if size == expected {
        return Ok(());
    }
    Err(invalid(format!("{name} has {size} items; it must have as many as inputIds ({expected})")))
}

/// One block under construction.
pub(crate) struct Row<'a, T> {
    input_ids: &'a mut [T],
    doc_ids: &'a mut [i32],
    position_ids: Option<&'a mut [i32]>,
    loss_mask: Option<&'a mut [u8]>,
    attention_lengths: Option<&'a mut AttentionLengths>,
    written: usize,
    documents: i32,
}

impl<T: Copy> Row<'_, T> {
    /// Appends what the block holds of one document: at least one token, at most what is free.
    pub(crate) fn append(&mut self, tokens: &[T]) {
        let end = self.written + tokens.len();
        self.input_ids[self.written..end].copy_from_slice(tokens);
        let document = self.documents;
        self.documents += 1;
        self.mark(end, document, 1);
    }

    /// Fills the rest with padding.
    pub(crate) fn finish(mut self, pad: T) {
        if self.written < self.input_ids.len() {
            self.input_ids[self.written..].fill(pad);
            self.mark(self.input_ids.len(), (self.documents - 1).max(0), 0);
        }
        if let Some(lengths) = self.attention_lengths {
            lengths.offsets.push(as_i32(lengths.values.len()));
        }
    }

    fn mark(&mut self, end: usize, document: i32, loss: u8) {
        let segment = self.written..end;
        self.doc_ids[segment.clone()].fill(document);
        if let Some(positions) = self.position_ids.as_deref_mut() {
            for (slot, position) in positions[segment.clone()].iter_mut().zip(0..) {
                *slot = position;
            }
        }
        if let Some(mask) = self.loss_mask.as_deref_mut() {
            mask[segment].fill(loss);
        }
        if let Some(lengths) = self.attention_lengths.as_deref_mut() {
            lengths.values.push(as_i32(end));
        }
        self.written = end;
    }
}

/// Sizes in a batch are checked against `i32` when it is made.
fn as_i32(size: usize) -> i32 {
    i32::try_from(size).unwrap_or(i32::MAX)
}
