//! The numbers of splits that a calculation gave.

use arrow_array::cast::AsArray;
use arrow_array::types;
use arrow_array::{Array, ArrowPrimitiveType};
use arrow_schema::DataType;
use lance_loader_order::Result;

use crate::error::invalid;

/// The split of each row: `None` where the value is null or negative.
///
/// # Errors
/// `INVALID_ARGUMENT` where the values are no integers.
pub(crate) fn split_numbers(values: &dyn Array) -> Result<Vec<Option<u64>>> {
    Ok(match values.data_type() {
        DataType::Int8 => read::<types::Int8Type>(values),
        DataType::Int16 => read::<types::Int16Type>(values),
        DataType::Int32 => read::<types::Int32Type>(values),
        DataType::Int64 => read::<types::Int64Type>(values),
        DataType::UInt8 => read::<types::UInt8Type>(values),
        DataType::UInt16 => read::<types::UInt16Type>(values),
        DataType::UInt32 => read::<types::UInt32Type>(values),
        DataType::UInt64 => read::<types::UInt64Type>(values),
        DataType::Null => vec![None; values.len()],
        other => {
            return Err(invalid(format!(
                "calculation gives values of type {other}; it must give integers (CAST(... AS BIGINT))"
            )));
        }
    })
}

fn read<T: ArrowPrimitiveType<Native: TryInto<u64>>>(values: &dyn Array) -> Vec<Option<u64>> {
    values.as_primitive::<T>().iter().map(|value| value.and_then(|value| value.try_into().ok())).collect()
}
