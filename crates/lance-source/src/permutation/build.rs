//! From a configuration and a snapshot to a permutation.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{RecordBatch, UInt64Array};
use futures::TryStreamExt;
use lance::dataset::scanner::Scanner;
use lance_core::ROW_ADDR;
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::{Needs, Permutation, PermutationConfig, Rows, SPLIT_COLUMN, SpillOptions};

use crate::Snapshot;
use crate::errors::{read_failed, text_of};
use crate::filter::{in_brackets, invalid_filter};
use crate::projection::{Blobs, Projection};

/// Bytes of the batches of a scan for values.
const BATCH_BYTES: u64 = 4 << 20;

/// Builds from the number of rows alone where that is enough, else by one scan in storage order of what is needed of each row.
pub(crate) async fn build(
    snapshot: Snapshot,
    config: PermutationConfig,
    options: SpillOptions,
) -> Result<Permutation> {
    config.validate()?;
    if config.needs() == Needs::Rows {
        let rows = match &config.filter {
            Some(filter) => Rows::Set(Arc::new(snapshot.filter(filter).await?)),
            None => Rows::All(snapshot.rows().len()),
        };
        return config.build(rows);
    }
    let mut assigner = config.assigner(options)?;
    let mut batches =
        scanner(&snapshot, &config)?.try_into_stream().await.map_err(|error| unplanned(&config, error))?;
    let mut scanned = 0;
    while let Some(batch) =
        batches.try_next().await.map_err(|error| read_failed("scanning the rows to split", error))?
    {
        assigner.push(&ordinals(&snapshot, &batch)?, &config.split_numbers(&batch)?)?;
        scanned += batch.num_rows() as u64;
    }
    check_complete(&snapshot, &config, scanned)?;
    // Sorting a spilled build reads and writes files for as long as it has rows. It notices itself that it is stopped.
    let finished = tokio::task::spawn_blocking(move || assigner.finish()).await;
    finished.map_err(|error| {
        Error::new(Code::Internal, "building a permutation was interrupted").with_cause(error)
    })?
}

/// A scan of the filter's rows in storage order, with their addresses and the values that decide their splits.
fn scanner(snapshot: &Snapshot, config: &PermutationConfig) -> Result<Scanner> {
    let dataset = snapshot.dataset();
    let mut scanner = dataset.scan();
    match config.needs() {
        Needs::Columns(columns) => {
            Projection::new(dataset, Some(columns), Blobs::Bytes)?;
            scanner.blob_handling(Blobs::Bytes.handling());
            scanner.project(columns).map_err(|error| read_failed("planning a scan", error))?;
        }
        Needs::Calculation(calculation) => {
            let expression = in_brackets(calculation);
            let projected = scanner.project_with_transform(&[(SPLIT_COLUMN, expression)]);
            projected.map_err(|error| invalid_calculation(calculation, error))?;
        }
        Needs::Rows => {}
    }
    if let Some(filter) = &config.filter {
        scanner.filter(&in_brackets(filter)).map_err(|error| invalid_filter(filter, error))?;
        // An index may answer out of storage order.
        scanner.use_scalar_index(false);
    }
    scanner.with_row_address().scan_in_order(true).batch_size_bytes(BATCH_BYTES);
    Ok(scanner)
}

fn ordinals(snapshot: &Snapshot, batch: &RecordBatch) -> Result<Vec<u64>> {
    let column: Option<&UInt64Array> =
        batch.column_by_name(ROW_ADDR).and_then(|column| column.as_primitive_opt::<UInt64Type>());
    let addresses =
        column.ok_or_else(|| Error::new(Code::Internal, "the scan of a build delivered no row addresses"))?;
    let ordinal = |&address: &u64| {
        snapshot.rows().ordinal_of(address).ok_or_else(|| {
            Error::new(
                Code::Internal,
                format!("the scan of a build delivered the row at address {address}, which is not live"),
            )
        })
    };
    addresses.values().iter().map(ordinal).collect()
}

/// Without a filter, what a scan must deliver is known.
fn check_complete(snapshot: &Snapshot, config: &PermutationConfig, scanned: u64) -> Result<()> {
    let rows = snapshot.rows().len();
    if config.filter.is_some() || scanned == rows {
        return Ok(());
    }
    Err(Error::new(
        Code::RowsMissing,
        format!("a scan of {rows} rows came back with {scanned}: the table's files are damaged"),
    ))
}

/// Planning resolves the expressions against the schema. What fails may be either of them, and the message tells its text.
fn unplanned(config: &PermutationConfig, error: lance::Error) -> Error {
    match (config.needs(), &config.filter) {
        (Needs::Calculation(calculation), None) => invalid_calculation(calculation, error),
        (Needs::Columns(_), Some(filter)) => invalid_filter(filter, error),
        (Needs::Calculation(calculation), Some(filter)) => Error::new(
            Code::InvalidArgument,
            format!("calculation {calculation:?} with filter {filter:?} can't be used: {}", text_of(&error)),
        )
        .with_cause(error),
        _ => read_failed("planning a scan", error),
    }
}

fn invalid_calculation(calculation: &str, error: lance::Error) -> Error {
    Error::new(
        Code::InvalidArgument,
        format!(
            "calculation is {calculation:?}, which can't be used: {}. It must be an SQL expression over the table's columns that \
             gives the number of a split",
            text_of(&error)
        ),
    )
    .with_cause(error)
}
