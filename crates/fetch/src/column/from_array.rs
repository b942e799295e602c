//! Arrow arrays as columns, without a copy of their buffers.

use arrow_array::cast::AsArray;
use arrow_array::types::ByteViewType;
use arrow_array::{
    Array, GenericByteArray, GenericByteViewArray, GenericListArray, OffsetSizeTrait, types::ByteArrayType,
};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use lance_loader_order::Result;

use super::delivered::fixed_width;
use super::errors::{damaged, unsupported};
use super::{Column, ColumnData, KeyType, Keys, Offsets};

impl Column {
    /// The rows of `array`, slices included. Buffers are shared with the array; only views are copied, into
    /// plain strings or bytes.
    ///
    /// `name` is what errors call the column. Takes time in the number of offsets, which are checked, not in
    /// the bytes.
    ///
    /// # Errors
    /// `UNSUPPORTED_TYPE` as in [`delivered_schema`](super::delivered_schema); `READ_FAILED` if the array
    /// contradicts itself, as one decoded from a damaged file may.
    pub fn from_array(name: &str, array: &dyn Array) -> Result<Self> {
        let data = match array.data_type() {
            DataType::Null => ColumnData::Null,
            DataType::Boolean => ColumnData::Bits(array.as_boolean().values().clone()),
            DataType::Utf8 => var(name, array.as_string::<i32>())?,
            DataType::LargeUtf8 => var(name, array.as_string::<i64>())?,
            DataType::Binary => var(name, array.as_binary::<i32>())?,
            DataType::LargeBinary => var(name, array.as_binary::<i64>())?,
            DataType::Utf8View => view(name, array.as_string_view())?,
            DataType::BinaryView => view(name, array.as_binary_view())?,
            DataType::List(_) => list(name, array.as_list::<i32>())?,
            DataType::LargeList(_) => list(name, array.as_list::<i64>())?,
            DataType::Map(..) => {
                let map = array.as_map();
                items(name, map.offsets(), map.entries())?
            }
            DataType::FixedSizeList(_, size) => fixed_list(name, array, *size)?,
            DataType::Struct(_) => {
                let fields = array.as_struct().columns().iter();
                ColumnData::Struct(fields.map(|field| Self::from_array(name, field)).collect::<Result<_>>()?)
            }
            DataType::Dictionary(..) => dictionary(name, array)?,
            _ => fixed(name, array)?,
        };
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
        Ok(Self { len: array.len(), nulls, data })
    }
}

fn fixed(name: &str, array: &dyn Array) -> Result<ColumnData> {
    let width = fixed_width(array.data_type()).ok_or_else(|| unsupported(name, array.data_type()))?;
    let values = fixed_values(array, width).ok_or_else(|| damaged(name, "fewer values than rows"))?;
    Ok(ColumnData::Fixed { width, values })
}

/// The values of exactly the array's rows.
fn fixed_values(array: &dyn Array, width: usize) -> Option<Buffer> {
    let data = array.to_data();
    let values = data.buffers().first()?;
    let start = data.offset().checked_mul(width)?;
    let length = array.len().checked_mul(width)?;
    (start.checked_add(length)? <= values.len()).then(|| values.slice_with_length(start, length))
}

fn checked_offsets<O: OffsetSizeTrait>(
    name: &str,
    offsets: &OffsetBuffer<O>,
    items: usize,
) -> Result<Offsets> {
    let (buffer, count) = (offsets.inner().inner().clone(), offsets.len());
    let checked = if O::IS_LARGE {
        Offsets::large(ScalarBuffer::new(buffer, 0, count), items)
    } else {
        Offsets::small(ScalarBuffer::new(buffer, 0, count), items)
    };
    checked.ok_or_else(|| damaged(name, "offsets that fall or point past the items"))
}

fn var<T: ByteArrayType>(name: &str, array: &GenericByteArray<T>) -> Result<ColumnData> {
    let bytes = array.values().clone();
    Ok(ColumnData::Var { offsets: checked_offsets(name, array.offsets(), bytes.len())?, bytes })
}

fn view<T: ByteViewType + ?Sized>(name: &str, array: &GenericByteViewArray<T>) -> Result<ColumnData> {
    let mut bytes = Vec::new();
    let mut offsets = Vec::with_capacity(array.len().saturating_add(1));
    offsets.push(0_i64);
    for value in array {
        // Null rows have views too, which may point anywhere.
        bytes.extend_from_slice(value.map_or(&[], AsRef::as_ref));
        offsets.push(i64::try_from(bytes.len()).unwrap_or(i64::MAX));
    }
    let offsets = Offsets::large(ScalarBuffer::from(offsets), bytes.len());
    let offsets = offsets.ok_or_else(|| damaged(name, "more bytes than 64 bits can count"))?;
    Ok(ColumnData::Var { offsets, bytes: Buffer::from_vec(bytes) })
}

fn list<O: OffsetSizeTrait>(name: &str, array: &GenericListArray<O>) -> Result<ColumnData> {
    items(name, array.offsets(), array.values())
}

fn items<O: OffsetSizeTrait>(name: &str, offsets: &OffsetBuffer<O>, items: &dyn Array) -> Result<ColumnData> {
    let offsets = checked_offsets(name, offsets, items.len())?;
    Ok(ColumnData::List { offsets, items: Box::new(Column::from_array(name, items)?) })
}

fn fixed_list(name: &str, array: &dyn Array, size: i32) -> Result<ColumnData> {
    let size = usize::try_from(size).map_err(|_| unsupported(name, array.data_type()))?;
    let items = array.as_fixed_size_list().values();
    if array.len().checked_mul(size) != Some(items.len()) {
        return Err(damaged(name, "more or fewer list items than its rows have"));
    }
    Ok(ColumnData::FixedList { size, items: Box::new(Column::from_array(name, items)?) })
}

fn dictionary(name: &str, array: &dyn Array) -> Result<ColumnData> {
    let dictionary = array.as_any_dictionary();
    let keys = dictionary.keys();
    let key_type = KeyType::of(keys.data_type()).ok_or_else(|| unsupported(name, array.data_type()))?;
    let values = fixed_values(keys, key_type.width).ok_or_else(|| damaged(name, "fewer keys than rows"))?;
    let keys = Keys::new(key_type.width, values);
    Ok(ColumnData::Dictionary {
        keys,
        key_type,
        values: Box::new(Column::from_array(name, dictionary.values())?),
    })
}
