//! The size of a row, where the schema alone tells it.

use arrow_schema::{DataType, Schema};

/// The bytes of one row of `schema`, or `None` where strings, bytes or lists make rows differ. Bits count an eighth, rounded up in all.
pub fn fixed_row_bytes(schema: &Schema) -> Option<u64> {
    let bits: Option<u64> = schema.fields().iter().map(|field| bits(field.data_type())).sum();
    bits.map(|bits| bits.div_ceil(8))
}

fn bits(data_type: &DataType) -> Option<u64> {
    match data_type {
        DataType::Null => Some(0),
        DataType::Boolean => Some(1),
        DataType::FixedSizeBinary(width) => Some(u64::try_from(*width).ok()? * 8),
        DataType::FixedSizeList(item, size) => {
            bits(item.data_type())?.checked_mul(u64::try_from(*size).ok()?)
        }
        DataType::Struct(fields) => fields.iter().map(|field| bits(field.data_type())).sum(),
        other => Some(other.primitive_width()? as u64 * 8),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_schema::{Field, Fields};

    use super::*;

    fn schema(types: &[DataType]) -> Schema {
        Schema::new(
            types.iter().map(|data_type| Field::new("x", data_type.clone(), true)).collect::<Fields>(),
        )
    }

    #[test]
    fn fixed_widths_add_up() {
        let vector = DataType::FixedSizeList(Arc::new(Field::new("item", DataType::Float32, true)), 256);
        assert_eq!(fixed_row_bytes(&schema(&[DataType::Int64, vector, DataType::Int32])), Some(8 + 1024 + 4));
        assert_eq!(fixed_row_bytes(&schema(&[DataType::Boolean, DataType::Boolean])), Some(1));
        assert_eq!(fixed_row_bytes(&schema(&[])), Some(0));
    }

    #[test]
    fn variable_widths_are_not_guessed() {
        assert_eq!(fixed_row_bytes(&schema(&[DataType::Int64, DataType::Utf8])), None);
        let list = DataType::List(Arc::new(Field::new("item", DataType::Int32, true)));
        assert_eq!(fixed_row_bytes(&schema(&[list])), None);
    }
}
