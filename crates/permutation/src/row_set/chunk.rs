//! The values of one chunk (2^16 consecutive numbers) in the smallest of three forms.

use super::bitmap::{self, Bitmap, Words};

/// Where 2 bytes a value take more than the bits of the whole chunk and their counts: 8448 bytes.
pub(super) const ARRAY_MAX: usize = size_of::<Bitmap>() / size_of::<u16>();

/// The values of a chunk, without its key and its count, which [`super::RowSet`] keeps.
#[derive(Clone, Debug)]
pub(super) enum Chunk {
    /// Consecutive values from this one on.
    Run(u16),
    /// Ascending values.
    Array(Box<[u16]>),
    /// One bit a value.
    Bitmap(Box<Bitmap>),
}

impl Chunk {
    /// The `n`-th value, of `count` in all.
    pub(super) fn select(&self, n: u32, count: u32) -> u16 {
        match self {
            Self::Run(first) => first + n as u16,
            Self::Array(values) => values[n as usize],
            Self::Bitmap(bitmap) => bitmap.select(n, count),
        }
    }

    /// Reads the memory in which the `n`-th value, of `count` in all, most likely is. What is returned means nothing.
    pub(super) fn touch(&self, n: u32, count: u32) -> u64 {
        match self {
            Self::Run(_) => 0,
            Self::Array(values) => u64::from(values[n as usize]),
            Self::Bitmap(bitmap) => bitmap.touch(n, count),
        }
    }

    /// The number of values below `low`, of `count` in all.
    pub(super) fn rank(&self, low: u16, count: u32) -> u32 {
        match self {
            Self::Run(first) => u32::from(low.saturating_sub(*first)).min(count),
            Self::Array(values) => values.partition_point(|&value| value < low) as u32,
            Self::Bitmap(bitmap) => bitmap.rank(low),
        }
    }

    /// Whether `low` is a value, of `count` in all.
    pub(super) fn contains(&self, low: u16, count: u32) -> bool {
        match self {
            Self::Run(first) => low >= *first && u32::from(low - first) < count,
            Self::Array(values) => values.binary_search(&low).is_ok(),
            Self::Bitmap(bitmap) => bitmap.contains(low),
        }
    }

    /// Writes the values from the `n`-th on, of `count` in all, into `out`, each added to `base`. There must be
    /// enough of them.
    pub(super) fn fill(&self, n: u32, count: u32, base: u64, out: &mut [u64]) {
        match self {
            Self::Run(first) => {
                let start = base + u64::from(*first) + u64::from(n);
                for (slot, value) in out.iter_mut().zip(start..) {
                    *slot = value;
                }
            }
            Self::Array(values) => {
                for (slot, &low) in out.iter_mut().zip(&values[n as usize..]) {
                    *slot = base + u64::from(low);
                }
            }
            Self::Bitmap(bitmap) => bitmap.fill(n, count, base, out),
        }
    }

    /// Bytes on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Self::Run(_) => 0,
            Self::Array(values) => size_of_val::<[u16]>(values),
            Self::Bitmap(_) => size_of::<Bitmap>(),
        }
    }
}

/// A chunk that still takes values, in the form that is smallest so far.
#[derive(Clone, Debug)]
pub(super) enum OpenChunk {
    Run { first: u16, len: u32 },
    Array(Vec<u16>),
    Bitmap { words: Box<Words>, len: u32 },
}

impl OpenChunk {
    pub(super) fn new(low: u16) -> Self {
        Self::Run { first: low, len: 1 }
    }

    pub(super) fn len(&self) -> u32 {
        match self {
            Self::Run { len, .. } | Self::Bitmap { len, .. } => *len,
            Self::Array(values) => values.len() as u32,
        }
    }

    /// Adds `low..=last`, all above the values so far.
    pub(super) fn push(&mut self, low: u16, last: u16) {
        let added = u32::from(last - low) + 1;
        if let Self::Run { first, len } = self {
            if u32::from(*first) + *len == u32::from(low) {
                *len += added;
                return;
            }
            *self = Self::scattered(*first, *len, added);
        }
        if let Self::Array(values) = self
            && values.len() + added as usize > ARRAY_MAX
        {
            *self = Self::Bitmap { words: bitmap::words(values.iter().copied()), len: values.len() as u32 };
        }
        match self {
            Self::Array(values) => values.extend(low..=last),
            Self::Bitmap { words, len } => {
                bitmap::set(words, low..=last);
                *len += added;
            }
            Self::Run { .. } => {}
        }
    }

    /// The run `first`, `len` in a form that takes values with gaps.
    fn scattered(first: u16, len: u32, added: u32) -> Self {
        let values = (first..=u16::MAX).take(len as usize);
        if (len + added) as usize <= ARRAY_MAX {
            return Self::Array(values.collect());
        }
        Self::Bitmap { words: bitmap::words(values), len }
    }

    /// The finished chunk.
    pub(super) fn close(self) -> Chunk {
        match self {
            Self::Run { first, .. } => Chunk::Run(first),
            Self::Array(values) => Chunk::Array(values.into_boxed_slice()),
            Self::Bitmap { words, .. } => Chunk::Bitmap(Bitmap::new(&words)),
        }
    }

    /// Bytes on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Self::Run { .. } => 0,
            Self::Array(values) => values.capacity() * size_of::<u16>(),
            Self::Bitmap { .. } => size_of::<Words>(),
        }
    }
}
