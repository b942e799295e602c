//! The whole table in memory: read once, in storage order, by one scan.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;
use futures::future::BoxFuture;
use futures::{FutureExt, TryStreamExt};
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::RowSet;
use tokio::sync::OnceCell;

use crate::budget::{Budget, Permit};
use crate::column::{ColumnStore, ColumnStoreBuilder};
use crate::fetcher::{FetchedRows, Fetcher, TakeFetcher};
use crate::row_bytes::fixed_row_bytes;
use crate::source::RowSource;
use crate::statistics::Statistics;

/// Bytes of the batches of the scan.
const SCAN_BATCH_BYTES: u64 = 4 << 20;
/// Rows that are read to learn the size of a row.
const SAMPLED_ROWS: u64 = 256;

/// Which way rows are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchMode {
    /// From memory where the projected columns of the eligible rows fit the budget, else by takes.
    Auto,
    /// From memory; an error where they don't fit.
    Memory,
    /// By takes.
    Take,
}

/// The eligible rows of a source, loaded at most once, or the knowledge that they don't fit.
///
/// Outlives its pipelines, so that later epochs read nothing.
pub struct MemoryTable {
    source: Arc<dyn RowSource>,
    eligible: Option<Arc<RowSet>>,
    budget: Budget,
    statistics: Arc<Statistics>,
    loaded: OnceCell<Option<Loaded>>,
}

struct Loaded {
    store: Arc<ColumnStore>,
    /// What the store holds of the budget, as long as it lives.
    _permit: Permit,
}

impl MemoryTable {
    /// A table that is not loaded yet.
    pub fn new(
        source: Arc<dyn RowSource>,
        eligible: Option<Arc<RowSet>>,
        budget: Budget,
        statistics: Arc<Statistics>,
    ) -> Self {
        Self { source, eligible, budget, statistics, loaded: OnceCell::new() }
    }

    /// The rows, loading them at the first call; `None` where they don't fit the budget.
    ///
    /// A load whose caller is dropped is cancelled, and begun anew by the next one.
    pub async fn get(&self) -> Result<Option<Arc<ColumnStore>>> {
        let loaded = self.loaded.get_or_try_init(|| self.load()).await?;
        Ok(loaded.as_ref().map(|loaded| loaded.store.clone()))
    }

    /// Whether [`Self::get`] has come to an answer.
    pub fn is_settled(&self) -> bool {
        self.loaded.initialized()
    }

    fn rows(&self) -> u64 {
        self.eligible.as_ref().map_or_else(|| self.source.num_rows(), |eligible| eligible.len())
    }

    async fn load(&self) -> Result<Option<Loaded>> {
        let rows = self.rows();
        if u32::try_from(rows).is_err() {
            return Ok(None);
        }
        let expected = self.row_bytes().await?.saturating_mul(rows);
        let Some(mut permit) = self.budget.try_acquire(expected) else { return Ok(None) };
        let started = Instant::now();
        let mut builder = ColumnStoreBuilder::new(&self.source.schema(), usize::try_from(rows).ok())?;
        let mut batches = self.source.scan(SCAN_BATCH_BYTES);
        let mut scanned = 0;
        while let Some(batch) = batches.try_next().await? {
            let end = scanned + batch.num_rows() as u64;
            builder.append(&self.keep_eligible(batch, scanned..end)?)?;
            scanned = end;
            if !permit.try_grow(permit.bytes().max(builder.bytes() as u64)) {
                return Ok(None);
            }
        }
        if builder.rows() as u64 != rows {
            return Err(Error::new(
                Code::RowsMissing,
                format!("a scan of {rows} rows came back with {}: the table's files are damaged", builder.rows()),
            ));
        }
        let store = builder.finish();
        let bytes = store.bytes() as u64;
        permit.resize(bytes);
        self.statistics.add_read(rows, bytes, started.elapsed());
        Ok(Some(Loaded { store: Arc::new(store), _permit: permit }))
    }

    /// The bytes of a row: exact for columns of fixed width, else learned from a few rows spread over the table.
    async fn row_bytes(&self) -> Result<u64> {
        if let Some(bytes) = fixed_row_bytes(&self.source.schema()) {
            return Ok(bytes);
        }
        let rows = self.rows();
        let sampled = rows.min(SAMPLED_ROWS);
        if sampled == 0 {
            return Ok(0);
        }
        let mut sample: Vec<u64> =
            (0..sampled).map(|index| (u128::from(index) * u128::from(rows) / u128::from(sampled)) as u64).collect();
        if let Some(eligible) = &self.eligible {
            eligible.select_many(&mut sample).map_err(|row| Error::new(Code::Internal, format!("row {row} is not eligible")))?;
        }
        let store = ColumnStore::from_batch(&self.source.take(sample).await?)?;
        Ok((store.bytes() as u64).div_ceil(sampled))
    }

    fn keep_eligible(&self, batch: RecordBatch, ordinals: std::ops::Range<u64>) -> Result<RecordBatch> {
        let Some(eligible) = &self.eligible else { return Ok(batch) };
        let kept: BooleanArray = ordinals.map(|ordinal| Some(eligible.contains(ordinal))).collect();
        filter_record_batch(&batch, &kept)
            .map_err(|error| Error::new(Code::Internal, format!("a filter's rows could not be kept: {error}")).with_cause(error))
    }
}

/// Gathers from memory where the table fits; until it is loaded, the first window, and where it does not fit every one, is a take.
pub struct MemoryFirstFetcher {
    mode: FetchMode,
    table: Arc<MemoryTable>,
    take: Arc<TakeFetcher>,
    /// The first window comes by a take, so that nobody waits for the scan to see a first batch.
    began: AtomicBool,
}

impl MemoryFirstFetcher {
    /// A fetcher of one pipeline over a table that its pipelines share.
    pub fn new(mode: FetchMode, table: Arc<MemoryTable>) -> Self {
        let take = TakeFetcher::new(table.source.clone(), table.eligible.clone(), table.statistics.clone());
        Self { mode, table, take: Arc::new(take), began: AtomicBool::new(false) }
    }
}

impl Fetcher for MemoryFirstFetcher {
    fn fetch(&self, rows: Vec<u64>) -> BoxFuture<'static, Result<FetchedRows>> {
        let first = !self.began.swap(true, Ordering::Relaxed);
        if self.mode == FetchMode::Take || (first && !self.table.is_settled()) {
            return self.take.fetch(rows);
        }
        let (mode, table, take) = (self.mode, self.table.clone(), self.take.clone());
        async move {
            match table.get().await? {
                Some(store) => from_memory(store, &rows),
                None if mode == FetchMode::Memory => Err(does_not_fit(&table)),
                None => take.fetch(rows).await,
            }
        }
        .boxed()
    }

    fn row_bytes(&self) -> Option<u64> {
        self.take.row_bytes()
    }

    fn holds_windows(&self) -> bool {
        self.mode == FetchMode::Take || matches!(self.table.loaded.get(), Some(None))
    }
}

fn from_memory(store: Arc<ColumnStore>, rows: &[u64]) -> Result<FetchedRows> {
    let indices: std::result::Result<Vec<u32>, _> = rows.iter().map(|&row| u32::try_from(row)).collect();
    let indices = indices.map_err(|_| Error::new(Code::Internal, "the plan names a row beyond the table in memory"))?;
    Ok(FetchedRows { store, indices, bytes: 0 })
}

fn does_not_fit(table: &MemoryTable) -> Error {
    Error::new(
        Code::InvalidArgument,
        format!(
            "fetch is \"memory\", but the {} rows with the columns that are read don't fit the memoryBudget of {} bytes \
             ({} of them in use): give a larger memoryBudget, fewer columns, or fetch: \"auto\"",
            table.rows(),
            table.budget.limit(),
            table.budget.used()
        ),
    )
}
