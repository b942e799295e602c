//! The scan that deals a table out into buckets.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema, SchemaRef};
use futures::TryStreamExt;
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::RowSet;

use super::block_file::{BlockFile, StoredBlock};
use super::buckets::Buckets;
use crate::column::{ColumnStore, ColumnStoreBuilder, delivered_schema};
use crate::gather::gather;
use crate::source::RowSource;
use crate::statistics::Statistics;
use crate::task::blocking;

/// Batches of the scan that are dealt at one time.
const BATCHES_AT_ONCE: usize = 2;

/// What is dealt, and where to.
pub(super) struct Deal {
    pub(super) source: Arc<dyn RowSource>,
    pub(super) eligible: Option<Arc<RowSet>>,
    pub(super) statistics: Arc<Statistics>,
    pub(super) buckets: Arc<Buckets>,
    pub(super) folder: PathBuf,
    pub(super) max_bytes: u64,
    /// Bytes of a batch of the scan.
    pub(super) batch_bytes: u64,
}

/// The buckets on disk.
#[derive(Debug)]
pub(super) struct Dealt {
    schema: SchemaRef,
    file: Arc<BlockFile>,
    /// The blocks of each bucket, in the order of their rows.
    blocks: Vec<Vec<StoredBlock>>,
}

impl Deal {
    /// Scans the table once and writes every row into the buckets that want it.
    ///
    /// # Errors
    /// Those of the scan; `WRITE_FAILED` where the disk or the allowance is full; `ROWS_MISSING` where the scan lost rows.
    pub(super) async fn run(self) -> Result<Dealt> {
        let schema = stored_schema(&delivered_schema(&self.source.schema())?);
        let file = Arc::new(BlockFile::create(&self.folder, self.max_bytes)?);
        let mut blocks = vec![Vec::new(); self.buckets.count()];
        let (mut scanned, mut eligible) = (0, 0);
        let mut under_way = VecDeque::new();
        let mut batches = self.source.scan(self.batch_bytes);
        let mut started = Instant::now();
        while let Some(batch) = batches.try_next().await? {
            let first = scanned;
            scanned += batch.num_rows() as u64;
            let rows = self.eligible_rows(first..scanned, &mut eligible);
            let bytes = batch.get_array_memory_size() as u64;
            self.statistics.add_read(batch.num_rows() as u64, bytes, started.elapsed());
            started = Instant::now();
            let (buckets, file) = (self.buckets.clone(), file.clone());
            under_way.push_back(blocking(move || deal_batch(&buckets, &file, &batch, &rows)));
            while under_way.len() >= BATCHES_AT_ONCE {
                collect(&mut under_way, &mut blocks).await?;
            }
        }
        while !under_way.is_empty() {
            collect(&mut under_way, &mut blocks).await?;
        }
        let wanted = self.source.num_rows();
        if scanned != wanted {
            let message =
                format!("a scan of {wanted} rows came back with {scanned}: the table's files are damaged");
            return Err(Error::new(Code::RowsMissing, message));
        }
        Ok(Dealt { schema, file, blocks })
    }

    /// For each of the ordinals, its number among the eligible rows, or `None`. `next` is the number of the next eligible one.
    fn eligible_rows(&self, ordinals: std::ops::Range<u64>, next: &mut u64) -> Vec<Option<u64>> {
        let mut number = |ordinal| {
            let kept = self.eligible.as_ref().is_none_or(|eligible| eligible.contains(ordinal));
            let row = kept.then_some(*next);
            *next += u64::from(kept);
            row
        };
        ordinals.map(&mut number).collect()
    }
}

impl Dealt {
    /// Reads a bucket back: its distinct rows, ascending.
    ///
    /// # Errors
    /// `READ_FAILED` where a block can't be read or came back changed.
    pub(super) async fn read(&self, bucket: usize) -> Result<ColumnStore> {
        let blocks = self.blocks.get(bucket).ok_or_else(no_bucket)?.clone();
        let (file, schema) = (self.file.clone(), self.schema.clone());
        blocking(move || {
            let rows = blocks.iter().map(StoredBlock::rows).sum();
            let mut builder = ColumnStoreBuilder::new(&schema, Some(rows))?;
            for block in &blocks {
                builder.append(&file.read(block)?.into_record_batch(&schema)?)?;
            }
            Ok(builder.finish())
        })
        .await
    }
}

/// What a batch of the scan added to buckets.
type Written = Vec<(usize, StoredBlock)>;

/// Waits for the oldest batch under way and notes its blocks: a bucket's blocks are in the order of the scan.
async fn collect(
    under_way: &mut VecDeque<impl Future<Output = Result<Written>>>,
    blocks: &mut [Vec<StoredBlock>],
) -> Result<()> {
    let Some(oldest) = under_way.pop_front() else { return Ok(()) };
    for (bucket, block) in oldest.await? {
        blocks.get_mut(bucket).ok_or_else(no_bucket)?.push(block);
    }
    Ok(())
}

/// Fields of blocks may be null whatever the table says: a reader of the table may have widened them, batch by batch.
fn stored_schema(delivered: &Schema) -> SchemaRef {
    let nullable = |field: &Arc<Field>| field.as_ref().clone().with_nullable(true);
    let fields: Vec<Field> = delivered.fields().iter().map(nullable).collect();
    Arc::new(Schema::new(fields))
}

/// Writes one block for each bucket that wants rows of the batch.
fn deal_batch(
    buckets: &Buckets,
    file: &BlockFile,
    batch: &RecordBatch,
    rows: &[Option<u64>],
) -> Result<Written> {
    let store = ColumnStore::from_batch(batch)?;
    let mut wanted: Vec<Vec<u32>> = vec![Vec::new(); buckets.count()];
    for (row, place) in rows.iter().zip(0..) {
        for bucket in row.iter().flat_map(|row| buckets.of_row(*row)) {
            wanted.get_mut(usize::from(bucket)).ok_or_else(no_bucket)?.push(place);
        }
    }
    let mut recycled = None;
    let mut written = Vec::new();
    for (bucket, places) in wanted.iter().enumerate().filter(|(_, places)| !places.is_empty()) {
        let block = gather(&store, places, recycled.take())?;
        written.push((bucket, file.append(&block)?));
        recycled = Some(block.into_parts().0);
    }
    Ok(written)
}

fn no_bucket() -> Error {
    Error::new(Code::Internal, "a window has no bucket in the scratch file: please report it")
}
