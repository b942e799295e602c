//! The one scan of a build: the ids of all rows, and what decides their splits.

use arrow_schema::{DataType, SchemaRef};
use futures::TryStreamExt;
use lance_loader_fetch::projection::checked_columns;
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::{
    Needs, PermutationConfig, RowCollector, RowSet, RowSetBuilder, SPLIT_COLUMN, SplitAssigner, Stop,
};

use crate::answer::{batches_of, row_ids_of};
use crate::{RemoteTable, Request, ScanColumns};

/// The widest column that a scan of row ids may bring along, in bytes a row.
const NARROW: usize = 8;
/// Rows that are assigned at once.
const ASSIGNED_AT_ONCE: usize = 8 << 10;

/// The ids of the rows that a filter keeps, or of all rows, whatever order they come in.
pub(crate) async fn scan_row_ids(table: &RemoteTable, filter: Option<String>) -> Result<RowSet> {
    let columns = narrowest(&table.schema);
    let mut batches = batches_of(table.service.as_ref(), Request::Scan { columns, filter });
    let (mut ids, mut scanned) = (RowCollector::default(), 0);
    while let Some(batch) = batches.try_next().await? {
        row_ids_of(&batch)?.values().iter().for_each(|&id| ids.insert(id));
        scanned += batch.num_rows() as u64;
    }
    let ids = ids.finish()?;
    if ids.len() == scanned { Ok(ids) } else { Err(repeated()) }
}

/// The id and the split of each row, ascending by id.
pub(crate) async fn scan_splits(
    table: &RemoteTable,
    config: &PermutationConfig,
    stop: &Stop,
) -> Result<Vec<(u64, Option<u64>)>> {
    let columns = match config.needs() {
        Needs::Columns(columns) => ScanColumns::Named(checked_columns(Some(columns), &table.schema)?),
        Needs::Calculation(sql) => {
            ScanColumns::Expression { name: SPLIT_COLUMN.to_string(), sql: sql.to_string() }
        }
        Needs::Rows => narrowest(&table.schema),
    };
    let filter = config.filter.clone();
    let mut batches = batches_of(table.service.as_ref(), Request::Scan { columns, filter });
    let mut rows = Vec::new();
    while let Some(batch) = batches.try_next().await? {
        stop.check()?;
        rows.extend(row_ids_of(&batch)?.values().iter().copied().zip(config.split_numbers(&batch)?));
    }
    rows.sort_unstable_by_key(|&(id, _)| id);
    Ok(rows)
}

/// The set of the rows' ids; gives each row's split, by its place among the ids, to `assigner`.
pub(crate) fn assigned(rows: &[(u64, Option<u64>)], assigner: &mut SplitAssigner) -> Result<RowSet> {
    if rows.windows(2).any(|pair| matches!(pair, [left, right] if left.0 == right.0)) {
        return Err(repeated());
    }
    let mut ids = RowSetBuilder::new();
    rows.iter().try_for_each(|&(id, _)| ids.push(id))?;
    let mut first = 0;
    for chunk in rows.chunks(ASSIGNED_AT_ONCE) {
        let next = first + chunk.len() as u64;
        let (ordinals, splits): (Vec<u64>, Vec<Option<u64>>) =
            (first..next).zip(chunk.iter().map(|&(_, split)| split)).unzip();
        assigner.push(&ordinals, &splits)?;
        first = next;
    }
    Ok(ids.finish())
}

/// What is cheapest to bring along with row ids, which no server must be asked for alone: a narrow column, else a constant.
fn narrowest(schema: &SchemaRef) -> ScanColumns {
    let width = |data_type: &DataType| match data_type {
        DataType::Boolean => Some(1),
        other => other.primitive_width().filter(|&width| width <= NARROW),
    };
    let widths = schema.fields.iter().filter_map(|field| Some((width(field.data_type())?, field.name())));
    match widths.min_by_key(|&(width, _)| width) {
        Some((_, name)) => ScanColumns::Named(vec![name.clone()]),
        None => ScanColumns::Expression { name: "one".to_string(), sql: "1".to_string() },
    }
}

fn repeated() -> Error {
    Error::new(
        Code::ReadFailed,
        "the server's scan named a row id more than once: each row must come once. Ask for the rows again",
    )
}
