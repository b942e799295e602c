//! The rows of several sources, one source behind the other.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrow_schema::{Schema, SchemaRef};
use arrow_select::concat::concat;
use futures::future::{BoxFuture, try_join_all};
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt, stream};
use lance_loader_order::{Code, Error, Result};

use crate::source::RowSource;

/// The rows of several sources of one schema: those of the first come first.
///
/// A take asks each source once, side by side, and joins what comes back by a copy.
#[derive(Clone)]
pub struct UnionSource {
    sources: Arc<[Arc<dyn RowSource>]>,
    /// Where the rows of each source start, and behind the last one where they end.
    starts: Arc<[u64]>,
    schema: SchemaRef,
}

impl UnionSource {
    /// The rows of `sources`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where there is none, their columns differ in name or type, or they have more than 2^64 - 1 rows.
    pub fn new(sources: Vec<Arc<dyn RowSource>>) -> Result<Self> {
        let refuse = |message: String| Err(Error::new(Code::InvalidArgument, message));
        let Some(first) = sources.first() else {
            return refuse("a mixture has no dataset: give it one or more".to_string());
        };
        let mut schema = first.schema().as_ref().clone();
        let mut starts = vec![0_u64];
        for (at, source) in sources.iter().enumerate() {
            schema = merge(schema, &source.schema()).map_err(|difference| different(at, &difference))?;
            let end = starts.last().and_then(|start| start.checked_add(source.num_rows()));
            let Some(end) = end else {
                return refuse("the datasets of a mixture have more than 2^64 - 1 rows".to_string());
            };
            starts.push(end);
        }
        Ok(Self { sources: sources.into(), starts: starts.into(), schema: Arc::new(schema) })
    }

    /// Where the rows of each source start, and behind the last one where they end.
    pub fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// The rows of each source.
    fn ranges(&self) -> impl Iterator<Item = (&Arc<dyn RowSource>, Range<u64>)> {
        let ranges = self.starts.iter().zip(self.starts.iter().skip(1));
        self.sources.iter().zip(ranges.map(|(start, end)| *start..*end))
    }

    async fn take_all(self, ordinals: Vec<u64>) -> Result<RecordBatch> {
        let mut takes = Vec::new();
        for (source, range) in self.ranges() {
            let first = ordinals.partition_point(|ordinal| *ordinal < range.start);
            let last = ordinals.partition_point(|ordinal| *ordinal < range.end);
            let own: Vec<u64> =
                ordinals.get(first..last).unwrap_or_default().iter().map(|o| o - range.start).collect();
            if !own.is_empty() {
                takes.push(source.take(own));
            }
        }
        let batches = try_join_all(takes).await?;
        match batches.as_slice() {
            [] => Ok(RecordBatch::new_empty(self.schema.clone())),
            [batch] => Ok(batch.clone()),
            batches => join(&self.schema, batches),
        }
    }
}

impl RowSource for UnionSource {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn num_rows(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    fn take(&self, ordinals: Vec<u64>) -> BoxFuture<'static, Result<RecordBatch>> {
        self.clone().take_all(ordinals).boxed()
    }

    fn scan(&self, batch_bytes: u64) -> BoxStream<'static, Result<RecordBatch>> {
        let sources = self.sources.to_vec();
        stream::iter(sources).map(move |source| source.scan(batch_bytes)).flatten().boxed()
    }

    fn row_ids(&self, ordinals: &mut [u64]) -> Result<()> {
        // Sources answer many at once, and the ordinals come mixed.
        for (source, range) in self.ranges() {
            let places: Vec<usize> = ordinals
                .iter()
                .enumerate()
                .filter(|(_, ordinal)| range.contains(ordinal))
                .map(|(at, _)| at)
                .collect();
            let mut ids: Vec<u64> =
                places.iter().filter_map(|at| ordinals.get(*at)).map(|o| o - range.start).collect();
            source.row_ids(&mut ids)?;
            for (at, id) in places.into_iter().zip(ids) {
                if let Some(slot) = ordinals.get_mut(at) {
                    *slot = id;
                }
            }
        }
        Ok(())
    }
}

/// The fields of both, where names and types agree: nullable where one of them is.
fn merge(ours: Schema, theirs: &Schema) -> std::result::Result<Schema, String> {
    let columns = |schema: &Schema| {
        let fields: Vec<String> =
            schema.fields.iter().map(|field| format!("{}: {}", field.name(), field.data_type())).collect();
        fields.join(", ")
    };
    if columns(&ours) != columns(theirs) {
        return Err(format!("({}), and those of the first are ({})", columns(theirs), columns(&ours)));
    }
    let fields: Vec<_> = ours
        .fields
        .iter()
        .zip(theirs.fields.iter())
        .map(|(own, other)| {
            let nullable = own.is_nullable() || other.is_nullable();
            own.as_ref().clone().with_nullable(nullable)
        })
        .collect();
    Ok(Schema::new_with_metadata(fields, ours.metadata))
}

fn different(at: usize, difference: &str) -> Error {
    Error::new(
        Code::InvalidArgument,
        format!(
            "the columns of dataset {at} of a mixture are {difference}: open all datasets with the same columns, in the same order"
        ),
    )
}

/// The rows of several batches, one behind the other.
fn join(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<RecordBatch> {
    let failed = |error: arrow_schema::ArrowError| {
        Error::new(
            Code::ReadFailed,
            format!("the datasets of a mixture delivered columns that do not fit together: {error}"),
        )
        .with_cause(error)
    };
    let mut fields = Vec::new();
    let mut columns = Vec::new();
    for (at, field) in schema.fields.iter().enumerate() {
        let pieces: Vec<&dyn Array> =
            batches.iter().filter_map(|batch| batch.columns().get(at)).map(AsRef::as_ref).collect();
        let column = concat(&pieces).map_err(failed)?;
        let nullable = field.is_nullable() || column.null_count() > 0;
        fields
            .push(field.as_ref().clone().with_data_type(column.data_type().clone()).with_nullable(nullable));
        columns.push(column);
    }
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata.clone()));
    RecordBatch::try_new(schema, columns).map_err(failed)
}
