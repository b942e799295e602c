//! The columns of a read: checked against those of the table, and put into the order that was asked for.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use lance_loader_order::{Code, Error, Result};

/// The column of row ids, which every table has and no schema names.
pub const ROW_ID: &str = "_rowid";

/// The names of the columns to read, in order: `columns`, or all of the table's.
///
/// Fails with `UnknownColumn`, naming the nearest names, or `InvalidArgument` where a name is repeated or none is given.
pub fn checked_columns(columns: Option<&[String]>, table: &Schema) -> Result<Vec<String>> {
    let names = || table.fields.iter().map(|field| field.name().as_str());
    let Some(columns) = columns else { return Ok(names().map(ToString::to_string).collect()) };
    if columns.is_empty() {
        return Err(Error::new(
            Code::InvalidArgument,
            "columns is empty: name at least one column, or leave it out to read all of them",
        ));
    }
    for (index, name) in columns.iter().enumerate() {
        if columns.iter().take(index).any(|earlier| earlier == name) {
            return Err(Error::new(Code::InvalidArgument, format!("columns names {name:?} more than once")));
        }
        if name != ROW_ID && !names().any(|known| known == name) {
            return Err(unknown_column(name, names()));
        }
    }
    Ok(columns.to_vec())
}

/// The fields of `columns`, in that order; `table` has all of them but [`ROW_ID`].
pub fn projected(columns: &[String], table: &Schema) -> Result<SchemaRef> {
    let row_id = Arc::new(Field::new(ROW_ID, DataType::UInt64, false));
    let fields: Result<Vec<_>> = columns
        .iter()
        .map(|name| {
            if name == ROW_ID {
                return Ok(row_id.clone());
            }
            let found = table.fields.iter().find(|field| field.name() == name);
            found.cloned().ok_or_else(|| {
                Error::new(Code::Internal, format!("the column {name:?} was lost in the projection"))
            })
        })
        .collect();
    Ok(Arc::new(Schema::new(fields?)))
}

/// The columns of `batch`, as a reader delivered them, in the order of `schema`.
pub fn arranged(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let columns: Result<Vec<_>> = schema
        .fields
        .iter()
        .map(|field| {
            batch.column_by_name(field.name()).cloned().ok_or_else(|| {
                Error::new(
                    Code::Internal,
                    format!("the table's reader left out the column {:?}", field.name()),
                )
            })
        })
        .collect();
    let columns = columns?;
    // The reader has the last word on types and nullability; the names and the order are ours.
    let fields: Vec<_> = schema
        .fields
        .iter()
        .zip(&columns)
        .map(|(field, column)| {
            let nullable = field.is_nullable() || column.null_count() > 0;
            field.as_ref().clone().with_data_type(column.data_type().clone()).with_nullable(nullable)
        })
        .collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata.clone()));
    RecordBatch::try_new(schema, columns).map_err(|error| {
        Error::new(Code::ReadFailed, format!("the table's reader delivered columns that do not fit: {error}"))
            .with_cause(error)
    })
}

fn unknown_column<'a>(name: &str, table: impl Iterator<Item = &'a str>) -> Error {
    let mut near: Vec<(f64, &str)> =
        table.map(|column| (strsim::jaro_winkler(name, column), column)).collect();
    near.sort_by(|left, right| right.0.total_cmp(&left.0));
    let names: Vec<String> = near.iter().take(3).map(|(_, column)| format!("{column:?}")).collect();
    Error::new(
        Code::UnknownColumn,
        format!("columns names {name:?}, which the table does not have; nearest: {}", names.join(", ")),
    )
}
