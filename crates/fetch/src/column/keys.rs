//! The keys of dictionaries: how they are stored, and how they are renumbered.

use std::collections::HashMap;

use arrow_buffer::Buffer;
use arrow_schema::DataType;

/// The integer type of a dictionary's keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyType {
    /// Bytes a key.
    pub(crate) width: usize,
    /// How many values the keys can tell apart.
    pub(crate) codes: u64,
}

impl KeyType {
    /// Keys of 32 bits, which a growing dictionary uses whatever its Arrow type is.
    pub(crate) const U32: Self = Self { width: 4, codes: 1 << 32 };

    /// The key type of an Arrow integer type, and `None` for any other type.
    pub(crate) fn of(data_type: &DataType) -> Option<Self> {
        let (width, codes) = match data_type {
            DataType::Int8 => (1, 1 << 7),
            DataType::UInt8 => (1, 1 << 8),
            DataType::Int16 => (2, 1 << 15),
            DataType::UInt16 => (2, 1 << 16),
            DataType::Int32 => (4, 1 << 31),
            DataType::UInt32 => (4, 1 << 32),
            DataType::Int64 | DataType::UInt64 => (8, 1 << 63),
            _ => return None,
        };
        Some(Self { width, codes })
    }
}

/// Dictionary keys of any integer type. Keys of null rows may hold anything.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    width: usize,
    values: Buffer,
}

impl Keys {
    /// Keys of `width` bytes each, in native byte order.
    pub(crate) fn new(width: usize, values: Buffer) -> Self {
        Self { width, values }
    }

    /// The key of row `index`. `None` past the end; a negative key comes out too large for its dictionary.
    pub(crate) fn get(&self, index: usize) -> Option<usize> {
        let start = index.checked_mul(self.width)?;
        let bytes = self.values.get(start..)?;
        let key = match self.width {
            1 => u64::from(*bytes.first()?),
            2 => u64::from(u16::from_ne_bytes(*bytes.first_chunk()?)),
            4 => u64::from(u32::from_ne_bytes(*bytes.first_chunk()?)),
            _ => u64::from_ne_bytes(*bytes.first_chunk()?),
        };
        usize::try_from(key).ok()
    }

    /// The bytes that the keys take.
    pub(crate) fn bytes(&self) -> usize {
        self.values.len()
    }
}

/// Old keys to new codes, for one pass over some keys of one dictionary.
///
/// Dense where the dictionary is small against the rows of the pass, hashed where filling a table would cost
/// more than the pass.
pub(crate) enum KeyMap {
    Dense(Vec<u32>),
    Sparse { codes: HashMap<usize, u32>, values: usize },
}

/// A dense table may have this many entries for each row of the pass.
const ENTRIES_PER_ROW: usize = 16;

impl KeyMap {
    /// The mark of a key that has no code yet. No code reaches it.
    pub(crate) const UNSEEN: u32 = u32::MAX;

    /// A map for a dictionary of `values` values and a pass over `rows` rows.
    pub(crate) fn new(values: usize, rows: usize) -> Self {
        if values / ENTRIES_PER_ROW <= rows {
            Self::Dense(vec![Self::UNSEEN; values])
        } else {
            Self::Sparse { codes: HashMap::new(), values }
        }
    }

    /// The code of `key`, [`UNSEEN`](Self::UNSEEN) until the caller sets it. `None` past the dictionary.
    pub(crate) fn code(&mut self, key: usize) -> Option<&mut u32> {
        match self {
            Self::Dense(codes) => codes.get_mut(key),
            Self::Sparse { codes, values } => {
                (key < *values).then(|| codes.entry(key).or_insert(Self::UNSEEN))
            }
        }
    }
}
