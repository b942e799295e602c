//! What can be wrong with a column.

use arrow_schema::DataType;
use lance_loader_order::{Code, Error};

/// The error for a column that can't be delivered. `path` is its name, with those of its children after it.
pub(super) fn unsupported(path: &str, data_type: &DataType) -> Error {
    let way_out = "leave the column out with `columns`, or store it as another type";
    let message = format!("column {path:?} has the type {data_type}, which can't be delivered: {way_out}");
    Error::new(Code::UnsupportedType, message)
}

/// The error for a column that contradicts itself, as one decoded from a damaged file may.
pub(crate) fn damaged(name: &str, what: &str) -> Error {
    let way_out = "the table's files may be damaged; read another version, or write the table anew";
    Error::new(Code::ReadFailed, format!("column {name:?} came back with {what}: {way_out}"))
}

/// The error for columns that do not fit together, which the checks of schemas and offsets rule out.
pub(super) fn broken(name: &str, what: &str) -> Error {
    Error::new(Code::Internal, format!("column {name:?} met {what}: please report it"))
}
