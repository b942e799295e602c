//! Rows as text: the plain model that gathered batches are compared with.

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

/// One value. Equal values of an Arrow type and of its large and view twins are equal text.
pub(crate) fn cell(array: &dyn Array, row: usize) -> String {
    if array.is_null(row) || array.data_type().is_null() {
        return "null".to_owned();
    }
    match array.data_type() {
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        DataType::Utf8 => format!("{:?}", array.as_string::<i32>().value(row).as_bytes()),
        DataType::LargeUtf8 => format!("{:?}", array.as_string::<i64>().value(row).as_bytes()),
        DataType::Utf8View => format!("{:?}", array.as_string_view().value(row).as_bytes()),
        DataType::Binary => format!("{:?}", array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => format!("{:?}", array.as_binary::<i64>().value(row)),
        DataType::BinaryView => format!("{:?}", array.as_binary_view().value(row)),
        DataType::List(_) => list(&array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => list(&array.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => list(&array.as_fixed_size_list().value(row)),
        DataType::Map(..) => list(&array.as_map().value(row)),
        DataType::Struct(_) => {
            let fields = array.as_struct().columns().iter().map(|field| cell(field, row));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            cell(dictionary.values(), dictionary.normalized_keys()[row])
        }
        _ => format!("{:?}", fixed_bytes(array, row)),
    }
}

fn fixed_bytes(array: &dyn Array, row: usize) -> Vec<u8> {
    let data = array.slice(row, 1).to_data();
    let width = match data.data_type() {
        DataType::FixedSizeBinary(width) => usize::try_from(*width).unwrap(),
        other => other.primitive_width().unwrap(),
    };
    data.buffers()[0][data.offset() * width..][..width].to_vec()
}

fn list(items: &dyn Array) -> String {
    format!("[{}]", (0..items.len()).map(|row| cell(items, row)).collect::<Vec<_>>().join(","))
}

/// Every row of a batch.
pub(crate) fn rows(batch: &RecordBatch) -> Vec<String> {
    let row = |row| batch.columns().iter().map(|column| cell(column, row)).collect::<Vec<_>>().join(" | ");
    (0..batch.num_rows()).map(row).collect()
}
