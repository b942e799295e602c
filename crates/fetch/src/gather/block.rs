//! A gathered batch.

use super::AlignedBuffer;

/// A batch as it crosses to JavaScript: one block of memory and the list of what lies where.
///
/// The list has, depth first in schema order, for each node `length, null count`, then `offset, byte length`
/// for each buffer of the node's type, then the node's children. Offsets are multiples of 64. A buffer that
/// is absent or empty is `0, 0`. The whole block is a multiple of 64 bytes; what lies between the buffers is
/// zero.
#[derive(Debug)]
pub struct Block {
    data: AlignedBuffer,
    layout: Vec<u64>,
    rows: usize,
}

impl Block {
    /// Buffers written into `data` as `layout` tells.
    pub(crate) fn new(data: AlignedBuffer, layout: Vec<u64>, rows: usize) -> Self {
        Self { data, layout, rows }
    }

    /// The memory.
    pub fn data(&self) -> &AlignedBuffer {
        &self.data
    }

    /// What lies where in the memory. Every number is below 2^53.
    pub fn layout(&self) -> &[u64] {
        &self.layout
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The memory and the layout, to be lent or recycled.
    pub fn into_parts(self) -> (AlignedBuffer, Vec<u64>) {
        (self.data, self.layout)
    }
}
