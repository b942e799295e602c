//! The memory of a batch of blocks: one allocation that is written in place and handed over without a copy.

use lance_loader_order::{Code, Error, Result};
use lance_loader_packing::{AttentionLengths, BlockBatch, Token};

use super::options::BlockColumns;
use crate::gather::{AlignedBuffer, Block};

/// The tensors of up to `rows` blocks of `length` tokens, one behind the other, each at a multiple of 64 bytes.
pub(super) struct BlockMemory {
    data: AlignedBuffer,
    columns: BlockColumns,
    length: usize,
    rows: usize,
    token_bytes: usize,
    /// Of all rows that were written; behind the tensors in the block.
    lengths: AttentionLengths,
}

impl BlockMemory {
    /// Room for `rows` blocks of `length` tokens of type `T`.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE` where they have more than 2^31 - 1 tokens or attention lengths, or the memory can't be had.
    pub(super) fn new<T: Token>(rows: u64, length: u64, columns: BlockColumns) -> Result<Self> {
        // A block has at most one attention length more than tokens.
        let most = length.saturating_add(u64::from(columns.attention_lengths)).saturating_mul(rows);
        let tokens = i32::try_from(most).ok().and_then(|_| usize::try_from(rows * length).ok()).ok_or_else(|| {
            Error::new(
                Code::BatchTooLarge,
                format!(
                    "a batch of {rows} blocks of {length} tokens has more than 2^31 - 1 tokens: ask for fewer blocks in a batch"
                ),
            )
        })?;
        let (rows, length, token_bytes) = (rows as usize, length as usize, size_of::<T>());
        let bytes = sizes(tokens, token_bytes, columns).into_iter().map(aligned).sum();
        let lengths = AttentionLengths { offsets: vec![0], values: Vec::new() };
        Ok(Self { data: AlignedBuffer::zeroed(bytes)?, columns, length, rows, token_bytes, lengths })
    }

    /// The rows from `row` on, at most `count`, to be written; `lengths` takes their attention lengths.
    pub(super) fn rows<'a, T: Token>(
        &'a mut self,
        row: usize,
        count: usize,
        lengths: &'a mut AttentionLengths,
    ) -> Result<BlockBatch<'a, T>> {
        let Self { columns, length, rows, .. } = *self;
        let mut rest = self.data.as_mut_slice();
        let mut regions = sizes(rows * length, self.token_bytes, columns).map(|bytes| {
            let (region, behind) = std::mem::take(&mut rest).split_at_mut(aligned(bytes));
            rest = behind;
            let item = bytes / (rows * length).max(1);
            let range = row * length * item..(row + count) * length * item;
            region.get_mut(range).unwrap_or_default()
        });
        let [ids, documents, positions, mask] = &mut regions;
        let mut batch = BlockBatch::new(
            length as u64,
            typed_mut::<T>(std::mem::take(ids)),
            typed_mut::<i32>(std::mem::take(documents)),
        )?;
        if columns.position_ids {
            batch = batch.with_position_ids(typed_mut::<i32>(std::mem::take(positions)))?;
        }
        if columns.loss_mask {
            batch = batch.with_loss_mask(std::mem::take(mask))?;
        }
        if columns.attention_lengths { batch.with_attention_lengths(lengths) } else { Ok(batch) }
    }

    /// Keeps the attention lengths of rows that were just written.
    pub(super) fn keep_lengths(&mut self, lengths: &AttentionLengths) {
        let before = self.lengths.offsets.last().copied().unwrap_or_default();
        self.lengths.offsets.extend(lengths.offsets.iter().skip(1).map(|offset| before + offset));
        self.lengths.values.extend_from_slice(&lengths.values);
    }

    /// The first `filled` rows as a batch.
    pub(super) fn into_block(mut self, filled: usize) -> Block {
        let mut layout = Vec::new();
        let mut start = 0;
        let sizes = sizes(self.rows * self.length, self.token_bytes, self.columns);
        for bytes in sizes.into_iter().filter(|&bytes| bytes > 0) {
            let used = bytes / self.rows * filled;
            layout.extend(node(filled));
            layout.extend(node(filled * self.length));
            layout.extend([start as u64, used as u64]);
            start += aligned(bytes);
        }
        if self.columns.attention_lengths {
            let AttentionLengths { offsets, values } = &self.lengths;
            layout.extend(node(filled));
            layout.extend(place(self.data.append(&bytes_of(offsets)), offsets.len()));
            layout.extend(node(values.len()));
            layout.extend(place(self.data.append(&bytes_of(values)), values.len()));
        }
        Block::new(self.data, layout, filled)
    }
}

/// The bytes of input ids, document ids, position ids and the loss mask; 0 for one that is not asked for.
fn sizes(tokens: usize, token_bytes: usize, columns: BlockColumns) -> [usize; 4] {
    let only = |wanted: bool, bytes: usize| if wanted { bytes } else { 0 };
    [
        tokens * token_bytes,
        tokens * size_of::<i32>(),
        only(columns.position_ids, tokens * size_of::<i32>()),
        only(columns.loss_mask, tokens),
    ]
}

fn aligned(bytes: usize) -> usize {
    bytes.next_multiple_of(AlignedBuffer::ALIGNMENT)
}

/// A node of `length` values without nulls.
fn node(length: usize) -> [u64; 4] {
    [length as u64, 0, 0, 0]
}

/// A buffer of `count` numbers of 32 bits at `start`.
fn place(start: usize, count: usize) -> [u64; 2] {
    [start as u64, (count * size_of::<i32>()) as u64]
}

fn bytes_of(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

/// Memory at a multiple of a number's size, as numbers.
fn typed_mut<T: Token>(bytes: &mut [u8]) -> &mut [T] {
    #[expect(
        unsafe_code,
        reason = "blocks are written where they are handed over from; a copy would double the work"
    )]
    // SAFETY: `Token` is sealed to `i32` and `i64`, of which every bit pattern is a value.
    let (_, numbers, _) = unsafe { bytes.align_to_mut::<T>() };
    numbers
}
