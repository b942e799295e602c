//! Takes of a snapshot's rows with one projection.

use std::future::ready;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, UInt32Array, UInt64Array};
use arrow_schema::{Field, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt, TryStreamExt, stream};
use lance_loader_fetch::projection::{ROW_ID, arranged, checked_columns, projected};
use lance_loader_fetch::source::RowSource;
use lance_loader_order::{Code, Error, Result};

use crate::answer::{batches_of, row_ids_of};
use crate::{RemoteSnapshot, RemoteTable, Request};

/// The most rows of one request: each names its rows one by one.
const REQUEST_ROWS: usize = 4096;
/// Requests of one take, and takes of one scan, that are under way at once.
const AT_ONCE: usize = 4;
/// The first rows of a scan, from whose size that of the others follows.
const FIRST_SCAN_ROWS: u64 = 256;
/// How many missing rows an error names.
const NAMED: usize = 5;

/// The columns to read of a remote table.
#[derive(Clone, Debug)]
pub struct RemoteProjection {
    /// What the server is asked for: the columns without the row id.
    asked: Vec<String>,
    schema: SchemaRef,
}

impl RemoteTable {
    /// Checks `columns`, or all of the table's; blobs come as descriptors only.
    ///
    /// Fails with `UnknownColumn`, `InvalidArgument`, or `UnsupportedType` for a blob-encoded column whose bytes are wanted.
    pub fn projection(&self, columns: Option<&[String]>, blob_descriptors: bool) -> Result<RemoteProjection> {
        let columns = checked_columns(columns, &self.schema)?;
        let schema = projected(&columns, &self.schema)?;
        if !blob_descriptors && let Some(blob) = schema.fields.iter().find(|field| is_blob(field)) {
            return Err(Error::new(
                Code::UnsupportedType,
                format!(
                    "the column {:?} is blob-encoded, and a remote table answers with descriptors instead of bytes: set blobs to \
                     \"descriptors\", or name columns without it",
                    blob.name()
                ),
            ));
        }
        let asked = columns.into_iter().filter(|name| name != ROW_ID).collect();
        Ok(RemoteProjection { asked, schema })
    }
}

/// The projected rows of a remote snapshot.
#[derive(Clone)]
pub struct RemoteSource {
    snapshot: RemoteSnapshot,
    projection: RemoteProjection,
}

impl RemoteSource {
    pub(crate) const fn new(snapshot: RemoteSnapshot, projection: RemoteProjection) -> Self {
        Self { snapshot, projection }
    }

    async fn take_ordinals(self, ordinals: Vec<u64>) -> Result<RecordBatch> {
        let mut row_ids = ordinals;
        self.snapshot.row_ids(&mut row_ids)?;
        if self.projection.asked.is_empty() || row_ids.is_empty() {
            return self.without_asking(row_ids);
        }
        let requests: Vec<Vec<u64>> = row_ids.chunks(REQUEST_ROWS).map(<[u64]>::to_vec).collect();
        let parts: Vec<RecordBatch> =
            stream::iter(requests).map(|ids| self.request(ids)).buffered(AT_ONCE).try_collect().await?;
        arranged(&concat(&parts)?, &self.projection.schema)
    }

    /// The rows with these ids, in this order.
    async fn request(&self, row_ids: Vec<u64>) -> Result<RecordBatch> {
        let request = Request::Take { row_ids: row_ids.clone(), columns: self.projection.asked.clone() };
        let parts: Vec<RecordBatch> =
            batches_of(self.snapshot.table().service.as_ref(), request).try_collect().await?;
        if parts.is_empty() {
            return Err(self.missing(&row_ids, row_ids.len()));
        }
        let answer = concat(&parts)?;
        let places = self.places(&row_ids, row_ids_of(&answer)?.values())?;
        if are_in_order(&places) {
            return Ok(answer);
        }
        take_record_batch(&answer, &UInt32Array::from(places)).map_err(unfit)
    }

    /// Where in an answer each of `row_ids`, which ascend, is: each must be there once, and nothing else.
    fn places(&self, row_ids: &[u64], delivered: &[u64]) -> Result<Vec<u32>> {
        let mut places: Vec<Option<u32>> = vec![None; row_ids.len()];
        for (place, id) in (0..).zip(delivered) {
            let slot = row_ids.binary_search(id).ok().and_then(|at| places.get_mut(at));
            match slot {
                Some(slot @ None) => *slot = Some(place),
                Some(_) => return Err(self.misread(&format!("named the row id {id} more than once"))),
                None => return Err(self.misread(&format!("has the row id {id}, which was not asked for"))),
            }
        }
        let found: Vec<u32> = places.iter().copied().flatten().collect();
        if found.len() == row_ids.len() {
            return Ok(found);
        }
        let missing: Vec<u64> =
            row_ids.iter().zip(&places).filter_map(|(&id, place)| place.is_none().then_some(id)).collect();
        Err(self.missing(&missing, row_ids.len()))
    }

    fn missing(&self, row_ids: &[u64], asked: usize) -> Error {
        let named: Vec<String> = row_ids.iter().take(NAMED).map(ToString::to_string).collect();
        Error::new(
            Code::RowsMissing,
            format!(
                "{} of {asked} rows did not come back from version {} of the remote table {:?}: the row ids {}{}. The version was cleaned up or \
                 changed on the server: open the table anew",
                row_ids.len(),
                self.snapshot.version(),
                self.snapshot.identity(),
                named.join(", "),
                if row_ids.len() > NAMED { " and more" } else { "" }
            ),
        )
    }

    fn misread(&self, what: &str) -> Error {
        Error::new(
            Code::ReadFailed,
            format!("an answer of the remote table {:?} {what}", self.snapshot.identity()),
        )
    }

    /// Rows of which the server has nothing to tell.
    fn without_asking(&self, row_ids: Vec<u64>) -> Result<RecordBatch> {
        if !self.projection.asked.is_empty() {
            return Ok(RecordBatch::new_empty(self.projection.schema.clone()));
        }
        let ids: ArrayRef = Arc::new(UInt64Array::from(row_ids));
        RecordBatch::try_new(self.projection.schema.clone(), vec![ids]).map_err(unfit)
    }

    async fn open_scan(self, batch_bytes: u64) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        let rows = self.num_rows();
        let known = FIRST_SCAN_ROWS.min(rows);
        let first = self.clone().take_ordinals((0..known).collect()).await?;
        let row_bytes = first.get_array_memory_size() as u64 / known.max(1);
        let step = (batch_bytes / row_bytes.max(1)).clamp(1, REQUEST_ROWS as u64);
        let starts = (known..rows).step_by(step as usize);
        let take = move |start| self.clone().take_ordinals((start..rows.min(start + step)).collect());
        let rest = stream::iter(starts).map(take).buffered(AT_ONCE);
        Ok(stream::once(ready(Ok(first))).chain(rest).boxed())
    }
}

impl RowSource for RemoteSource {
    fn schema(&self) -> SchemaRef {
        self.projection.schema.clone()
    }

    fn num_rows(&self) -> u64 {
        self.snapshot.num_rows()
    }

    fn take(&self, ordinals: Vec<u64>) -> BoxFuture<'static, Result<RecordBatch>> {
        self.clone().take_ordinals(ordinals).boxed()
    }

    /// By takes of consecutive rows: a scan of the server's has no order, and would read what nobody asked for.
    fn scan(&self, batch_bytes: u64) -> BoxStream<'static, Result<RecordBatch>> {
        stream::once(self.clone().open_scan(batch_bytes)).try_flatten().boxed()
    }

    fn row_ids(&self, ordinals: &mut [u64]) -> Result<()> {
        self.snapshot.row_ids(ordinals)
    }
}

fn are_in_order(places: &[u32]) -> bool {
    (0..).zip(places).all(|(at, &place): (u32, &u32)| at == place)
}

fn concat(parts: &[RecordBatch]) -> Result<RecordBatch> {
    match parts {
        [only] => Ok(only.clone()),
        [first, ..] => concat_batches(&first.schema(), parts).map_err(unfit),
        [] => Err(Error::new(Code::Internal, "an answer of no batch was to be joined")),
    }
}

fn is_blob(field: &Field) -> bool {
    let says = |key: &str, value: &str| field.metadata().get(key).is_some_and(|found| found == value);
    says("lance-encoding:blob", "true") || says("ARROW:extension:name", "lance.blob.v2")
}

fn unfit(error: arrow_schema::ArrowError) -> Error {
    Error::new(Code::ReadFailed, format!("the server's answers do not fit together: {error}"))
        .with_cause(error)
}

#[cfg(test)]
mod tests;
