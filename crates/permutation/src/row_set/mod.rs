//! A compressed, immutable, sorted set of row numbers with rank and select.

mod bitmap;
mod builder;
mod chunk;
mod collector;
#[cfg(test)]
mod tests;

pub use builder::RowSetBuilder;
pub use collector::RowCollector;

use chunk::Chunk;

/// Ranks that are looked up side by side.
const AT_ONCE: usize = 32;

/// Values that an iterator holds.
const ITER_AT_ONCE: usize = 1024;

/// The bits of a value inside its chunk.
const LOW_BITS: u32 = 16;

/// An immutable sorted set of `u64` row numbers, such as the ordinals that a filter keeps.
///
/// Values are grouped by their upper 48 bits into chunks of 2^16, as in Roaring bitmaps (Lemire et al., "Roaring
/// Bitmaps: Implementation of an Optimized Software Library", 2018), each kept as the smallest of a run (no memory),
/// a sorted list of `u16` (2 bytes a value) or a bitmap with a count for every 512 bits (8448 bytes). Every chunk
/// costs 40 bytes more. A plain `u64` list would be smaller only where chunks have six values or fewer, where all of
/// it is little; so there is none.
///
/// `select`, `rank` and `contains` take O(log chunks) plus one search inside a chunk.
#[derive(Clone, Debug, Default)]
pub struct RowSet {
    /// The upper 48 bits of each chunk's values, ascending.
    keys: Vec<u64>,
    chunks: Vec<Chunk>,
    /// Values up to and with each chunk.
    ends: Vec<u64>,
}

impl RowSet {
    /// The number of values.
    pub fn len(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether `value` is in the set.
    pub fn contains(&self, value: u64) -> bool {
        let (key, low) = cut(value);
        self.keys.binary_search(&key).is_ok_and(|at| self.chunks[at].contains(low, self.count(at)))
    }

    /// The number of values below `value`.
    pub fn rank(&self, value: u64) -> u64 {
        let (key, low) = cut(value);
        match self.keys.binary_search(&key) {
            Ok(at) => self.before(at) + u64::from(self.chunks[at].rank(low, self.count(at))),
            Err(at) => self.before(at),
        }
    }

    /// The `n`-th smallest value from 0, or `None` past the end.
    pub fn select(&self, n: u64) -> Option<u64> {
        (n < self.len()).then(|| self.nth(n))
    }

    /// Fills `out` with the values from the `start`-th on and returns how many there were: fewer than asked for only
    /// at the end.
    pub fn select_range(&self, start: u64, out: &mut [u64]) -> usize {
        let wanted = self.len().saturating_sub(start).min(out.len() as u64) as usize;
        let mut at = self.chunk_of(start);
        let mut done = 0;
        while done < wanted {
            let n = start + done as u64 - self.before(at);
            let take = ((self.ends[at] - self.before(at) - n) as usize).min(wanted - done);
            self.chunks[at].fill(
                n as u32,
                self.count(at),
                self.keys[at] << LOW_BITS,
                &mut out[done..done + take],
            );
            done += take;
            at += 1;
        }
        wanted
    }

    /// Replaces each rank by its value, in any order and with repeats; returns the first rank that is past the end,
    /// if there is one, and then has changed nothing.
    ///
    /// A large set is slow only because each search waits for memory: reading the likely places of some ranks before
    /// searching any of them lets the reads wait together (measured: 2.6 times as fast over 50 million rows).
    pub fn select_many(&self, ranks: &mut [u64]) -> Result<(), u64> {
        if let Some(&rank) = ranks.iter().find(|&&rank| rank >= self.len()) {
            return Err(rank);
        }
        for ranks in ranks.chunks_mut(AT_ONCE) {
            let mut chunks = [0; AT_ONCE];
            for (at, rank) in chunks.iter_mut().zip(&*ranks) {
                *at = self.chunk_of(*rank);
            }
            let mut touched = 0;
            for (&at, rank) in chunks.iter().zip(&*ranks) {
                touched ^= self.chunks[at].touch((rank - self.before(at)) as u32, self.count(at));
            }
            std::hint::black_box(touched);
            for (&at, rank) in chunks.iter().zip(ranks) {
                *rank = self.nth_in(at, *rank);
            }
        }
        Ok(())
    }

    /// All values, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        (0..self.len()).step_by(ITER_AT_ONCE).flat_map(|start| {
            let mut values = vec![0; ITER_AT_ONCE];
            let filled = self.select_range(start, &mut values);
            values.truncate(filled);
            values
        })
    }

    /// Bytes of memory that the set holds.
    pub fn memory_bytes(&self) -> usize {
        let chunks: usize = self.chunks.iter().map(Chunk::heap_bytes).sum();
        size_of::<Self>()
            + chunks
            + self.chunks.capacity() * size_of::<Chunk>()
            + (self.keys.capacity() + self.ends.capacity()) * size_of::<u64>()
    }

    fn nth(&self, n: u64) -> u64 {
        self.nth_in(self.chunk_of(n), n)
    }

    fn nth_in(&self, at: usize, n: u64) -> u64 {
        (self.keys[at] << LOW_BITS)
            + u64::from(self.chunks[at].select((n - self.before(at)) as u32, self.count(at)))
    }

    /// The chunk that holds the `n`-th value.
    fn chunk_of(&self, n: u64) -> usize {
        self.ends.partition_point(|&end| end <= n)
    }

    /// Values before a chunk.
    fn before(&self, at: usize) -> u64 {
        at.checked_sub(1).map_or(0, |previous| self.ends[previous])
    }

    fn count(&self, at: usize) -> u32 {
        (self.ends[at] - self.before(at)) as u32
    }
}

/// The chunk's key and the value inside the chunk.
fn cut(value: u64) -> (u64, u16) {
    (value >> LOW_BITS, value as u16)
}
