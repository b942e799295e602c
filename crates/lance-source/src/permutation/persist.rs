//! A permutation as a Lance table of its own.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, SchemaRef};
use lance::Dataset;
use lance::dataset::{WriteMode, WriteParams};
use lance::io::{ObjectStoreParams, StorageOptionsAccessor};
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::format::{TableInfo, encode};
use lance_loader_permutation::{Chunks, Permutation, Stop};

use crate::Location;
use crate::errors::text_of;

/// Replaces ordinals of a table's rows by their row ids.
pub type RowIds = Arc<dyn Fn(&mut [u64]) -> Result<()> + Send + Sync>;

/// Rows of a batch that is written.
const CHUNK_ROWS: usize = 64 << 10;

/// Writes the row ids of `permutation`, batch by batch. A table that exists is left as it is; of a table that could not be
/// finished nothing is left.
pub(crate) async fn persist(
    permutation: Arc<Permutation>,
    info: TableInfo,
    row_ids: RowIds,
    target: Location,
    stop: Stop,
) -> Result<()> {
    let schema = Arc::new(info.schema());
    let chunks = Chunks::new(permutation, CHUNK_ROWS);
    let (writing, stopping) = (schema.clone(), stop.clone());
    let batches = chunks.map(move |chunk| {
        let chunk = stopping.check().and(chunk);
        let chunk = chunk.and_then(|chunk| batch(&row_ids, &writing, chunk.split, chunk.ordinals));
        chunk.map_err(|error| ArrowError::ExternalError(Box::new(error)))
    });
    let params = WriteParams {
        mode: WriteMode::Create,
        store_params: store_params(&target),
        ..WriteParams::default()
    };
    let written =
        Dataset::write(RecordBatchIterator::new(batches, schema), target.uri.as_str(), Some(params)).await;
    let Err(error) = written else { return Ok(()) };
    // Lance removes the files of a write that failed, and leaves their folders.
    if !matches!(error, lance::Error::DatasetAlreadyExists { .. }) {
        remove_empty_folders(&target.uri);
    }
    stop.check()?;
    Err(write_failed(&target.uri, error))
}

/// Removes the folders of a local table in which there is nothing: `LanceDB` would list it as a table. What has anything in it stays.
fn remove_empty_folders(uri: &str) {
    let table = Path::new(uri.strip_prefix("file://").unwrap_or(uri));
    for folder in ["data", "_transactions", "_versions", ""] {
        // What can't be removed is in use, not there, or not local.
        let _ = std::fs::remove_dir(table.join(folder));
    }
}

fn batch(row_ids: &RowIds, schema: &SchemaRef, split: usize, mut ordinals: Vec<u64>) -> Result<RecordBatch> {
    row_ids(&mut ordinals)?;
    encode(schema, split as u64, ordinals)
}

fn store_params(target: &Location) -> Option<ObjectStoreParams> {
    if target.storage_options.is_empty() {
        return None;
    }
    let options = StorageOptionsAccessor::with_static_options(target.storage_options.clone());
    Some(ObjectStoreParams {
        storage_options_accessor: Some(Arc::new(options)),
        ..ObjectStoreParams::default()
    })
}

fn write_failed(uri: &str, error: lance::Error) -> Error {
    let error_of = match error {
        lance::Error::DatasetAlreadyExists { .. } => Error::new(
            Code::AlreadyExists,
            format!(
                "the table {uri:?} exists already: give the permutation another name, or drop that table first"
            ),
        ),
        _ => Error::new(
            Code::WriteFailed,
            format!("writing the permutation table {uri:?} failed: {}", text_of(&error)),
        ),
    };
    error_of.with_cause(error)
}
