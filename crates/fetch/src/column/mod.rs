//! Columns in the form that the gather reads, and the two ways to make them.
//!
//! A [`ColumnStore`] holds the rows of one read. It is either a view of a record batch (a window that was
//! taken; nothing is copied), or grown by a [`ColumnStoreBuilder`] from all the batches of a scan into
//! contiguous memory (a table that is read from memory). The gather does not know which.

mod builder;
mod delivered;
mod dictionary;
mod errors;
mod from_array;
mod growing;
mod keys;
mod offsets;
mod store;

use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};

pub use builder::ColumnStoreBuilder;
pub use delivered::delivered_schema;
pub(crate) use errors::damaged;
pub(crate) use keys::{KeyMap, KeyType, Keys};
pub(crate) use offsets::Offsets;
pub use store::ColumnStore;

/// One column of any supported type, contiguous in memory and without an Arrow offset, save for its bits.
///
/// Cloning is cheap: the buffers are shared.
#[derive(Clone, Debug)]
pub struct Column {
    len: usize,
    nulls: Option<NullBuffer>,
    data: ColumnData,
}

/// The buffers and children of a [`Column`], by how the gather copies them.
#[derive(Clone, Debug)]
pub(crate) enum ColumnData {
    /// Nothing but a length.
    Null,
    /// One bit a row.
    Bits(BooleanBuffer),
    /// `width` bytes a row.
    Fixed { width: usize, values: Buffer },
    /// Strings or bytes.
    Var { offsets: Offsets, bytes: Buffer },
    /// Lists and maps.
    List { offsets: Offsets, items: Box<Column> },
    /// `size` items a row.
    FixedList { size: usize, items: Box<Column> },
    /// Fields side by side.
    Struct(Vec<Column>),
    /// Keys into values. A batch that is gathered has keys of `key_type`, which may be narrower than the keys
    /// here.
    Dictionary { keys: Keys, key_type: KeyType, values: Box<Column> },
}

impl Column {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes that the column views: those of its rows; of sliced strings and lists, all bytes and items of
    /// the array that was sliced. Larger allocations that it keeps alive don't count.
    pub fn bytes(&self) -> usize {
        let nulls = self.nulls.as_ref().map_or(0, |nulls| nulls.len().div_ceil(8));
        let data = match &self.data {
            ColumnData::Null => 0,
            ColumnData::Bits(bits) => bits.len().div_ceil(8),
            ColumnData::Fixed { values, .. } => values.len(),
            ColumnData::Var { offsets, bytes } => offsets.bytes() + bytes.len(),
            ColumnData::List { offsets, items } => offsets.bytes() + items.bytes(),
            ColumnData::FixedList { items, .. } => items.bytes(),
            ColumnData::Struct(fields) => fields.iter().map(Self::bytes).sum(),
            ColumnData::Dictionary { keys, values, .. } => keys.bytes() + values.bytes(),
        };
        nulls + data
    }

    /// The validity bitmap. Absent when no row is null.
    pub(crate) fn nulls(&self) -> Option<&NullBuffer> {
        self.nulls.as_ref()
    }

    /// The buffers and children.
    pub(crate) fn data(&self) -> &ColumnData {
        &self.data
    }

    /// One value of a dictionary as bytes; `None` if there is no such value or if values are nested.
    pub(crate) fn plain_value(&self, index: usize) -> Option<&[u8]> {
        match &self.data {
            ColumnData::Null => Some(&[]),
            ColumnData::Bits(bits) if index < bits.len() => Some(if bits.value(index) { &[1] } else { &[0] }),
            ColumnData::Fixed { width, values } => {
                let start = index.checked_mul(*width)?;
                values.get(start..start.checked_add(*width)?)
            }
            ColumnData::Var { offsets, bytes } => {
                bytes.get(offsets.get(index)?..offsets.get(index.checked_add(1)?)?)
            }
            _ => None,
        }
    }
}
