//! A filter, scanned once into the ordinals of the rows that it keeps.

use std::sync::Arc;

use arrow_array::UInt64Array;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use futures::TryStreamExt;
use lance::Dataset;
use lance_core::ROW_ADDR;
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::{RowCollector, RowSet};

use crate::LiveRows;
use crate::errors::{read_failed, text_of};

const WHAT: &str = "scanning the filter's rows";

pub(crate) async fn filtered_rows(
    dataset: Arc<Dataset>,
    rows: Arc<LiveRows>,
    filter: String,
) -> Result<RowSet> {
    let invalid = |error| invalid_filter(&filter, error);
    let mut scanner = dataset.scan();
    scanner.filter(&in_brackets(&filter)).map_err(invalid)?;
    scanner.empty_project().map_err(invalid)?;
    scanner.with_row_address().scan_in_order(true);
    // Planning resolves the expression against the schema: what fails here is the filter.
    let mut batches = scanner.try_into_stream().await.map_err(invalid)?;
    // A scalar index may answer out of storage order: the collector takes any order.
    let mut kept = RowCollector::default();
    while let Some(batch) = batches.try_next().await.map_err(|error| read_failed(WHAT, error))? {
        let addresses: Option<&UInt64Array> =
            batch.column_by_name(ROW_ADDR).and_then(|column| column.as_primitive_opt::<UInt64Type>());
        let addresses = addresses
            .ok_or_else(|| Error::new(Code::Internal, "the scan of a filter delivered no row addresses"))?;
        for &address in addresses.values() {
            let ordinal = rows.ordinal_of(address).ok_or_else(|| {
                Error::new(
                    Code::Internal,
                    format!("the filter kept the row at address {address}, which is not live"),
                )
            })?;
            kept.insert(ordinal);
        }
    }
    kept.finish()
}

/// An SQL expression in brackets, since a clause behind it (`LIMIT 5`, another statement) would be read over in silence.
pub(crate) fn in_brackets(expression: &str) -> String {
    format!("(\n{expression}\n)")
}

/// A filter that does not parse, or does not fit the schema.
pub(crate) fn invalid_filter(filter: &str, error: lance::Error) -> Error {
    Error::new(
        Code::InvalidFilter,
        format!(
            "the filter {filter:?} can't be used: {}. It must be an SQL expression over the table's columns",
            text_of(&error)
        ),
    )
    .with_cause(error)
}
