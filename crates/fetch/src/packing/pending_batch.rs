//! A batch that is being filled with blocks.

use lance_loader_order::Result;
use lance_loader_packing::{AttentionLengths, Packer, Token};

use super::block_memory::BlockMemory;
use super::options::BlockColumns;
use crate::gather::Block;

/// The rows of a batch, of which the first `filled` are written.
pub(super) struct PendingBatch {
    memory: BlockMemory,
    rows: usize,
    filled: usize,
    /// Of the row that was written last.
    lengths: AttentionLengths,
}

impl PendingBatch {
    /// A batch of `rows` blocks of `length` tokens.
    pub(super) fn new<T: Token>(rows: u64, length: u64, columns: BlockColumns) -> Result<Self> {
        let memory = BlockMemory::new::<T>(rows, length, columns)?;
        Ok(Self { memory, rows: rows as usize, filled: 0, lengths: AttentionLengths::default() })
    }

    /// Writes the next block of `packer`, whose documents are there.
    pub(super) fn write<T: Token>(&mut self, packer: &mut Packer<T>) -> Result<()> {
        let mut row = self.memory.rows::<T>(self.filled, 1, &mut self.lengths)?;
        packer.pack(&mut row)?;
        self.filled += row.filled();
        self.memory.keep_lengths(&self.lengths);
        Ok(())
    }

    /// Whether every row is written.
    pub(super) fn is_full(&self) -> bool {
        self.filled == self.rows
    }

    /// The rows that are written.
    pub(super) fn into_block(self) -> Option<Block> {
        (self.filled > 0).then(|| self.memory.into_block(self.filled))
    }
}
