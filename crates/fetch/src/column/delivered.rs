//! The schema that crosses to JavaScript.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema};
use lance_loader_order::Result;

use super::KeyType;
use super::errors::unsupported;

/// The schema in which the columns of `schema` are delivered.
///
/// The large and the view types become their plain twins, at any depth: `LargeUtf8` and `Utf8View` become
/// `Utf8`, `LargeBinary` and `BinaryView` become `Binary`, `LargeList` becomes `List`. Names, nullability and
/// metadata stay.
///
/// # Errors
/// `UNSUPPORTED_TYPE` names the column and the type: unions, run-end encoding, list views, and dictionaries
/// whose values are nested.
pub fn delivered_schema(schema: &Schema) -> Result<Schema> {
    let fields = schema
        .fields()
        .iter()
        .map(|field| delivered_field(field.name(), field))
        .collect::<Result<Fields>>()?;
    Ok(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// The width in bytes of a type whose rows all have the same number of whole bytes.
pub(super) fn fixed_width(data_type: &DataType) -> Option<usize> {
    match data_type {
        DataType::FixedSizeBinary(width) => usize::try_from(*width).ok(),
        other => other.primitive_width(),
    }
}

/// Whether values of the type can be told apart by their bytes alone, as values of a dictionary are.
fn is_plain(data_type: &DataType) -> bool {
    !data_type.is_nested() && !matches!(data_type, DataType::Dictionary(..))
}

fn delivered_field(path: &str, field: &Field) -> Result<Arc<Field>> {
    let data_type = delivered_type(path, field.data_type())?;
    Ok(Arc::new(field.clone().with_data_type(data_type)))
}

fn delivered_child(path: &str, child: &Field) -> Result<Arc<Field>> {
    delivered_field(&format!("{path}.{}", child.name()), child)
}

fn delivered_type(path: &str, data_type: &DataType) -> Result<DataType> {
    Ok(match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => DataType::Binary,
        DataType::List(item) | DataType::LargeList(item) => DataType::List(delivered_child(path, item)?),
        DataType::FixedSizeList(item, size) if *size >= 0 => {
            DataType::FixedSizeList(delivered_child(path, item)?, *size)
        }
        DataType::Map(entries, sorted) => DataType::Map(delivered_child(path, entries)?, *sorted),
        DataType::Struct(fields) => DataType::Struct(
            fields.iter().map(|field| delivered_child(path, field)).collect::<Result<Fields>>()?,
        ),
        DataType::Dictionary(keys, values) if KeyType::of(keys).is_some() && is_plain(values) => {
            DataType::Dictionary(keys.clone(), Box::new(delivered_type(path, values)?))
        }
        DataType::Null | DataType::Boolean => data_type.clone(),
        other if fixed_width(other).is_some() => other.clone(),
        other => return Err(unsupported(path, other)),
    })
}
