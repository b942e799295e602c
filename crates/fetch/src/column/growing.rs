//! One column that grows.

use std::ops::Range;

use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, Buffer, NullBufferBuilder, ScalarBuffer};
use arrow_schema::DataType;
use lance_loader_order::{Code, Error, Result};

use super::delivered::fixed_width;
use super::dictionary::GrowingDictionary;
use super::errors::{broken, unsupported};
use super::{Column, ColumnData, KeyType, Offsets};

/// A column to which ranges of other columns are appended.
#[derive(Debug)]
pub(super) struct GrowingColumn {
    len: usize,
    /// Becomes a bitmap when the first null is appended.
    nulls: NullBufferBuilder,
    data: GrowingData,
}

#[derive(Debug)]
enum GrowingData {
    Null,
    Bits(BooleanBufferBuilder),
    Fixed { width: usize, values: Vec<u8> },
    Var { offsets: Vec<i64>, bytes: Vec<u8> },
    List { offsets: Vec<i64>, items: Box<GrowingColumn> },
    FixedList { size: usize, items: Box<GrowingColumn> },
    Struct(Vec<GrowingColumn>),
    Dictionary(GrowingDictionary),
}

impl GrowingColumn {
    /// An empty column of a delivered type, with room for `rows` rows where rows have a fixed width.
    pub(super) fn new(data_type: &DataType, rows: usize) -> Result<Self> {
        let data = match data_type {
            DataType::Null => GrowingData::Null,
            DataType::Boolean => GrowingData::Bits(BooleanBufferBuilder::new(0)),
            DataType::Utf8 | DataType::Binary => {
                GrowingData::Var { offsets: reserved_offsets(rows), bytes: Vec::new() }
            }
            DataType::List(item) | DataType::Map(item, _) => {
                let items = Box::new(Self::new(item.data_type(), 0)?);
                GrowingData::List { offsets: reserved_offsets(rows), items }
            }
            DataType::FixedSizeList(item, size) => {
                let size = usize::try_from(*size).map_err(|_| unsupported(item.name(), data_type))?;
                let items = Box::new(Self::new(item.data_type(), rows.saturating_mul(size))?);
                GrowingData::FixedList { size, items }
            }
            DataType::Struct(fields) => {
                let fields = fields.iter().map(|field| Self::new(field.data_type(), rows));
                GrowingData::Struct(fields.collect::<Result<_>>()?)
            }
            DataType::Dictionary(keys, values) => {
                let key_type = KeyType::of(keys).ok_or_else(|| unsupported("dictionary", data_type))?;
                GrowingData::Dictionary(GrowingDictionary::new(key_type, Self::new(values, 0)?))
            }
            other => {
                let width = fixed_width(other).ok_or_else(|| unsupported("item", other))?;
                GrowingData::Fixed { width, values: reserved(rows.saturating_mul(width)) }
            }
        };
        Ok(Self { len: 0, nulls: NullBufferBuilder::new(0), data })
    }

    /// Appends the rows `range` of `source`. `name` is what errors call the column.
    pub(super) fn append(&mut self, name: &str, source: &Column, range: Range<usize>) -> Result<()> {
        match &source.nulls {
            Some(nulls) => self.nulls.append_buffer(&nulls.slice(range.start, range.len())),
            None => self.nulls.append_n_non_nulls(range.len()),
        }
        self.len += range.len();
        match (&mut self.data, &source.data) {
            (GrowingData::Null, ColumnData::Null) => Ok(()),
            (GrowingData::Bits(bits), ColumnData::Bits(source)) => {
                bits.append_buffer(&source.slice(range.start, range.len()));
                Ok(())
            }
            (GrowingData::Fixed { width, values }, ColumnData::Fixed { values: source, .. }) => {
                append_bytes(name, values, source, scaled(&range, *width))
            }
            (
                GrowingData::Var { offsets, bytes },
                ColumnData::Var { offsets: source, bytes: source_bytes },
            ) => append_bytes(name, bytes, source_bytes, append_offsets(name, offsets, source, range)?),
            (
                GrowingData::List { offsets, items },
                ColumnData::List { offsets: source, items: source_items },
            ) => items.append(name, source_items, append_offsets(name, offsets, source, range)?),
            (GrowingData::FixedList { size, items }, ColumnData::FixedList { items: source, .. }) => {
                items.append(name, source, scaled(&range, *size))
            }
            (GrowingData::Struct(fields), ColumnData::Struct(sources)) => fields
                .iter_mut()
                .zip(sources)
                .try_for_each(|(field, source)| field.append(name, source, range.clone())),
            (GrowingData::Dictionary(dictionary), ColumnData::Dictionary { keys, values, .. }) => {
                dictionary.append(name, keys, source.nulls.as_ref(), values, range)
            }
            _ => Err(broken(name, "a batch of another type")),
        }
    }

    /// Makes room for `times` as many bytes and items as there are, if memory can be had: the number is but a hint.
    pub(super) fn reserve_times(&mut self, times: f64) {
        match &mut self.data {
            GrowingData::Null | GrowingData::Bits(_) | GrowingData::Dictionary(_) => {}
            GrowingData::Fixed { values, .. } => reserve_times(values, times),
            GrowingData::Var { offsets, bytes } => {
                reserve_times(offsets, times);
                reserve_times(bytes, times);
            }
            GrowingData::List { offsets, items } => {
                reserve_times(offsets, times);
                items.reserve_times(times);
            }
            GrowingData::FixedList { items, .. } => items.reserve_times(times),
            GrowingData::Struct(fields) => fields.iter_mut().for_each(|field| field.reserve_times(times)),
        }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The bytes written so far.
    pub(super) fn bytes(&self) -> usize {
        let nulls = self.nulls.as_slice().map_or(0, <[u8]>::len);
        let data = match &self.data {
            GrowingData::Null => 0,
            GrowingData::Bits(bits) => bits.as_slice().len(),
            GrowingData::Fixed { values, .. } => values.len(),
            GrowingData::Var { offsets, bytes } => size_of_val(offsets.as_slice()) + bytes.len(),
            GrowingData::List { offsets, items } => size_of_val(offsets.as_slice()) + items.bytes(),
            GrowingData::FixedList { items, .. } => items.bytes(),
            GrowingData::Struct(fields) => fields.iter().map(Self::bytes).sum(),
            GrowingData::Dictionary(dictionary) => dictionary.bytes(),
        };
        nulls + data
    }

    /// The column, without spare memory.
    pub(super) fn finish(mut self) -> Column {
        let data = match self.data {
            GrowingData::Null => ColumnData::Null,
            GrowingData::Bits(bits) => ColumnData::Bits(shrunk_bits(bits)),
            GrowingData::Fixed { width, values } => {
                ColumnData::Fixed { width, values: Buffer::from_vec(shrunk(values)) }
            }
            GrowingData::Var { offsets, bytes } => {
                ColumnData::Var { offsets: finished(offsets), bytes: Buffer::from_vec(shrunk(bytes)) }
            }
            GrowingData::List { offsets, items } => {
                ColumnData::List { offsets: finished(offsets), items: Box::new(items.finish()) }
            }
            GrowingData::FixedList { size, items } => {
                ColumnData::FixedList { size, items: Box::new(items.finish()) }
            }
            GrowingData::Struct(fields) => ColumnData::Struct(fields.into_iter().map(Self::finish).collect()),
            GrowingData::Dictionary(dictionary) => dictionary.finish(),
        };
        Column { len: self.len, nulls: self.nulls.finish(), data }
    }
}

fn scaled(range: &Range<usize>, factor: usize) -> Range<usize> {
    range.start.saturating_mul(factor)..range.end.saturating_mul(factor)
}

/// Makes room for `extra` more elements, growing by doubling.
pub(super) fn make_room<T>(name: &str, vector: &mut Vec<T>, extra: usize) -> Result<()> {
    vector.try_reserve(extra).map_err(|cause| {
        let bytes = vector.len().saturating_add(extra).saturating_mul(size_of::<T>());
        let message = format!(
            "column {name:?} needs {bytes} bytes of memory, which can't be had: lower `memoryBudget`"
        );
        Error::new(Code::ReadFailed, message).with_cause(cause)
    })
}

fn append_bytes(name: &str, bytes: &mut Vec<u8>, source: &[u8], range: Range<usize>) -> Result<()> {
    let source = source.get(range).ok_or_else(|| broken(name, "rows outside of a batch"))?;
    make_room(name, bytes, source.len())?;
    bytes.extend_from_slice(source);
    Ok(())
}

/// Appends the offsets of the rows `range` of `source` and gives the range of their items.
fn append_offsets(
    name: &str,
    offsets: &mut Vec<i64>,
    source: &Offsets,
    range: Range<usize>,
) -> Result<Range<usize>> {
    make_room(name, offsets, range.len())?;
    let outside = || broken(name, "rows outside of a batch");
    let start = source.get(range.start).ok_or_else(outside)?;
    let end = source.get(range.end).ok_or_else(outside)?;
    let base = offsets.last().copied().unwrap_or(0);
    for row in range {
        let length =
            source.get(row + 1).and_then(|end| i64::try_from(end - start).ok()).ok_or_else(outside)?;
        offsets.push(base.checked_add(length).ok_or_else(outside)?);
    }
    Ok(start..end)
}

fn reserved_offsets(rows: usize) -> Vec<i64> {
    let mut offsets = reserved(rows.saturating_add(1));
    offsets.push(0);
    offsets
}

/// An empty vector with room for `count` elements if memory can be had: the number is but a hint.
fn reserved<T>(count: usize) -> Vec<T> {
    let mut values = Vec::new();
    let _ = values.try_reserve_exact(count);
    values
}

/// A little more, since an estimate that is just too small would make all of it grow once more.
fn reserve_times<T>(vector: &mut Vec<T>, times: f64) {
    const SPARE: f64 = 1.03;
    #[expect(clippy::cast_sign_loss, reason = "lengths and factors are not negative")]
    let wanted = (vector.len() as f64 * times * SPARE) as usize;
    let _ = vector.try_reserve_exact(wanted.saturating_sub(vector.len()));
}

/// The vector without spare capacity.
pub(super) fn shrunk<T>(mut vector: Vec<T>) -> Vec<T> {
    vector.shrink_to_fit();
    vector
}

fn shrunk_bits(bits: BooleanBufferBuilder) -> BooleanBuffer {
    let mut bits = bits.build();
    bits.shrink_to_fit();
    bits
}

fn finished(offsets: Vec<i64>) -> Offsets {
    Offsets::Large(ScalarBuffer::from(shrunk(offsets)))
}
