//! Reads permutation tables, ours and those of Python `LanceDB`.

use std::sync::Arc;

use futures::TryStreamExt;
use lance::dataset::rowids::get_row_id_index;
use lance_core::utils::address::RowAddress;
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::format::{ROW_ID, SPLIT_ID, TableDecoder};
use lance_loader_permutation::{Permutation, RowListBuilder, SpillOptions};
use lance_table::rowids::RowIdIndex;

use crate::Snapshot;
use crate::errors::read_failed;

const WHAT: &str = "reading the permutation table";
/// How many missing rows an error names.
const NAMED: usize = 5;

/// Finds the ordinals of row ids in the table that a permutation is of; `None` for a row that it lacks.
pub type FindRows = Arc<dyn Fn(&[u64]) -> Result<Vec<Option<u64>>> + Send + Sync>;

/// Finds rows through the table's index where its row ids are stable; else they are the addresses.
pub(crate) async fn rows_of(base: Snapshot) -> Result<FindRows> {
    let index = get_row_id_index(base.dataset())
        .await
        .map_err(|error| read_failed("reading the table's row ids", error))?;
    Ok(Arc::new(move |row_ids| ordinals(&base, index.as_ref(), row_ids)))
}

/// The rows of `stored`, a permutation table, as a permutation of a table's `version`, whose rows `find` finds.
pub(crate) async fn load(
    find: FindRows,
    version: u64,
    stored: Snapshot,
    options: SpillOptions,
) -> Result<Permutation> {
    let mut decoder = TableDecoder::new(&stored.schema())?;
    let names = decoder.info().split_names.clone();
    let mut list = RowListBuilder::new(options)?;
    let mut scanner = stored.dataset().scan();
    scanner.project(&[ROW_ID, SPLIT_ID]).map_err(|error| read_failed(WHAT, error))?;
    scanner.scan_in_order(true);
    let mut batches = scanner.try_into_stream().await.map_err(|error| read_failed(WHAT, error))?;
    while let Some(batch) = batches.try_next().await.map_err(|error| read_failed(WHAT, error))? {
        for run in decoder.decode(&batch)? {
            list.push(run.split, &found(&find, version, &run.row_ids)?)?;
        }
    }
    let layout = decoder.finish()?;
    // Splits that are stored interleaved are put in place through files, for as long as there are rows.
    let finished = tokio::task::spawn_blocking(move || list.finish(layout.num_splits())).await;
    let list = finished.map_err(|error| {
        Error::new(Code::Internal, "reading a permutation table was interrupted").with_cause(error)
    })?;
    Permutation::from_list(list?, names)
}

fn ordinals(base: &Snapshot, index: Option<&Arc<RowIdIndex>>, row_ids: &[u64]) -> Result<Vec<Option<u64>>> {
    let addresses = match index {
        None => row_ids.iter().copied().map(Some).collect(),
        Some(index) => {
            let found =
                index.get_many(row_ids).map_err(|error| read_failed("finding rows by their ids", error))?;
            found.into_iter().map(|address: Option<RowAddress>| address.map(u64::from)).collect::<Vec<_>>()
        }
    };
    let ordinal = |address: Option<u64>| address.and_then(|address| base.rows().ordinal_of(address));
    Ok(addresses.into_iter().map(ordinal).collect())
}

/// The ordinals of rows that must all be there.
fn found(find: &FindRows, version: u64, row_ids: &[u64]) -> Result<Vec<u64>> {
    let found = find(row_ids)?;
    let missing: Vec<u64> =
        row_ids.iter().zip(&found).filter_map(|(&id, ordinal)| ordinal.is_none().then_some(id)).collect();
    if missing.is_empty() {
        return Ok(found.into_iter().flatten().collect());
    }
    Err(rows_missing(version, &missing))
}

fn rows_missing(version: u64, missing: &[u64]) -> Error {
    let named: Vec<String> = missing.iter().take(NAMED).map(ToString::to_string).collect();
    Error::new(
        Code::RowsMissing,
        format!(
            "the permutation table names rows that version {version} of the table does not have: the row ids {}{}. It was built on \
             another table, or on a version that it does not tell: build it anew",
            named.join(", "),
            if missing.len() > NAMED { " and more" } else { "" }
        ),
    )
}
