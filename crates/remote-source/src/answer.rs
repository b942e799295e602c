//! Answers of a server: Arrow IPC files, and the row ids in them.

use std::io::Cursor;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, RecordBatch, UInt64Array};
use arrow_ipc::reader::FileReader;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, stream};
use lance_loader_fetch::projection::ROW_ID;
use lance_loader_order::{Code, Error, Result};

use crate::{Request, RowService};

/// The rows of the answer to `request`.
pub(crate) fn batches_of(
    service: &dyn RowService,
    request: Request,
) -> BoxStream<'static, Result<RecordBatch>> {
    service.ask(request).map_ok(|bytes| stream::iter(decoded(bytes))).try_flatten().boxed()
}

/// The schema of an Arrow IPC file, without the row id.
///
/// Fails with `ReadFailed` where it is none.
pub fn schema_of(bytes: &[u8]) -> Result<SchemaRef> {
    let reader = FileReader::try_new(Cursor::new(bytes), None).map_err(unreadable)?;
    let schema = reader.schema();
    let fields: Vec<_> = schema.fields.iter().filter(|field| field.name() != ROW_ID).cloned().collect();
    Ok(Schema::new_with_metadata(fields, schema.metadata.clone()).into())
}

/// The row ids of an answer.
pub(crate) fn row_ids_of(batch: &RecordBatch) -> Result<&UInt64Array> {
    let column = batch.column_by_name(ROW_ID).and_then(|column| column.as_primitive_opt::<UInt64Type>());
    column.filter(|ids| ids.null_count() == 0).ok_or_else(|| {
        let message =
            format!("the server's answer has no row ids: the column {ROW_ID:?} must be there, as uint64");
        Error::new(Code::ReadFailed, message)
    })
}

fn decoded(bytes: Vec<u8>) -> Vec<Result<RecordBatch>> {
    match FileReader::try_new(Cursor::new(bytes), None) {
        Ok(reader) => reader.map(|batch| batch.map_err(unreadable)).collect(),
        Err(error) => vec![Err(unreadable(error))],
    }
}

fn unreadable(error: ArrowError) -> Error {
    Error::new(Code::ReadFailed, format!("the server's answer is no readable Arrow IPC file: {error}"))
        .with_cause(error)
}
