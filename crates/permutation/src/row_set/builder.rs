//! Builds a [`RowSet`] from ascending values.

use lance_loader_order::Result;

use super::chunk::{Chunk, OpenChunk};
use super::{LOW_BITS, RowSet, cut};
use crate::error::invalid;

/// What every chunk costs beside its values.
const CHUNK_BYTES: usize = size_of::<Chunk>() + 2 * size_of::<u64>();

/// Takes ascending values or ranges and gives the compressed set.
#[derive(Clone, Debug, Default)]
pub struct RowSetBuilder {
    set: RowSet,
    open: Option<(u64, OpenChunk)>,
    last: Option<u64>,
    closed_bytes: usize,
}

impl RowSetBuilder {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value above all values so far, or refuses it.
    pub fn push(&mut self, value: u64) -> Result<()> {
        self.push_range(value, value)
    }

    /// Adds all values of `first..=last`, above all values so far, or refuses them. Memory: 40 bytes for each 2^16
    /// values.
    pub fn push_range(&mut self, first: u64, last: u64) -> Result<()> {
        if let Some(previous) = self.last
            && first <= previous
        {
            return Err(invalid(format!(
                "row {first} comes after row {previous}; the rows of a set must ascend, without repeats"
            )));
        }
        if last < first {
            return Err(invalid(format!("the range of rows {first}..={last} ends before it starts")));
        }
        self.last = Some(last);
        for key in (first >> LOW_BITS)..=(last >> LOW_BITS) {
            let low = if key == first >> LOW_BITS { cut(first).1 } else { 0 };
            let high = if key == last >> LOW_BITS { cut(last).1 } else { u16::MAX };
            self.push_in_chunk(key, low, high);
        }
        Ok(())
    }

    /// The number of values so far.
    pub fn len(&self) -> u64 {
        self.set.len() + self.open.as_ref().map_or(0, |(_, open)| u64::from(open.len()))
    }

    /// Whether there is no value yet.
    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Bytes of memory that the builder holds, up to the slack of growing lists. O(1).
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.closed_bytes + self.open.as_ref().map_or(0, |(_, open)| open.heap_bytes())
    }

    /// The finished set.
    pub fn finish(mut self) -> RowSet {
        self.close();
        self.set.keys.shrink_to_fit();
        self.set.chunks.shrink_to_fit();
        self.set.ends.shrink_to_fit();
        self.set
    }

    fn push_in_chunk(&mut self, key: u64, low: u16, high: u16) {
        if let Some((open_key, open)) = &mut self.open
            && *open_key == key
        {
            open.push(low, high);
            return;
        }
        self.close();
        let mut open = OpenChunk::new(low);
        if high > low {
            open.push(low + 1, high);
        }
        self.open = Some((key, open));
    }

    fn close(&mut self) {
        if let Some((key, open)) = self.open.take() {
            let end = self.set.len() + u64::from(open.len());
            let chunk = open.close();
            self.closed_bytes += CHUNK_BYTES + chunk.heap_bytes();
            self.set.keys.push(key);
            self.set.chunks.push(chunk);
            self.set.ends.push(end);
        }
    }
}
