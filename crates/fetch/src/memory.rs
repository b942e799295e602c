//! The rows of a table that are asked for, in memory: read once, in storage order, by one scan.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;
use futures::FutureExt;
use futures::future::BoxFuture;
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::RowSet;
use tokio::sync::OnceCell;

use crate::budget::{Budget, Permit};
use crate::chosen::Chosen;
use crate::column::{ColumnStore, ColumnStoreBuilder};
use crate::fetcher::{FetchedRows, Fetcher, TakeFetcher};
use crate::pipeline::RowPlan;
use crate::row_bytes::fixed_row_bytes;
use crate::scan_ahead::ScanAhead;
use crate::scratch::{ScratchFetcher, ScratchOptions};
use crate::source::RowSource;
use crate::statistics::Statistics;

/// Bytes of the batches of the scan.
const SCAN_BATCH_BYTES: u64 = 4 << 20;
/// Rows that are read to learn the size of a row.
const SAMPLED_ROWS: u64 = 256;

/// Which way rows are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchMode {
    /// In the cheapest way.
    Auto,
    /// From memory; an error where they don't fit.
    Memory,
    /// From buckets on local disk, into which one scan deals the rows of an epoch.
    Scratch,
    /// By takes.
    Take,
}

/// The eligible rows of a source, loaded at most once, or the knowledge that they don't fit.
///
/// Outlives its pipelines, so that later epochs read nothing.
pub struct MemoryTable {
    source: Arc<dyn RowSource>,
    eligible: Option<Arc<RowSet>>,
    /// What the plans are over, where they are over a permutation of all rows.
    chosen: Option<Chosen>,
    budget: Budget,
    statistics: Arc<Statistics>,
    loaded: OnceCell<Outcome>,
}

/// The rows, or why they don't fit.
type Outcome = std::result::Result<Loaded, String>;

struct Loaded {
    store: Arc<ColumnStore>,
    /// What the store holds of the budget, as long as it lives.
    permit: Permit,
    /// The rows in the store, where plans name rows of the whole table and the store lacks some.
    chosen: Option<Arc<RowSet>>,
}

impl Loaded {
    /// Rows of a plan, found in the store.
    fn rows(&self, rows: &[u64]) -> Result<FetchedRows> {
        let index = |&row: &u64| match &self.chosen {
            None => u32::try_from(row).ok(),
            Some(chosen) if chosen.contains(row) => u32::try_from(chosen.rank(row)).ok(),
            Some(_) => None,
        };
        let indices: Option<Vec<u32>> = rows.iter().map(index).collect();
        let indices = indices.ok_or_else(|| {
            Error::new(Code::Internal, "the plan names a row that is not among those in memory")
        })?;
        Ok(FetchedRows { store: self.store.clone(), indices, bytes: 0 })
    }
}

impl MemoryTable {
    /// A table that is not loaded yet.
    pub fn new(
        source: Arc<dyn RowSource>,
        eligible: Option<Arc<RowSet>>,
        budget: Budget,
        statistics: Arc<Statistics>,
    ) -> Self {
        Self { source, eligible, chosen: None, budget, statistics, loaded: OnceCell::new() }
    }

    /// The same for plans over a permutation of all rows: only the rows that it names are kept in memory.
    #[must_use]
    pub fn of(self, chosen: Chosen) -> Self {
        Self { chosen: Some(chosen), loaded: OnceCell::new(), ..self }
    }

    /// The rows, loading them at the first call; `None` where they don't fit the budget.
    ///
    /// A load whose caller is dropped is cancelled, and begun anew by the next one.
    pub async fn get(&self) -> Result<Option<Arc<ColumnStore>>> {
        Ok(self.loaded().await?.map(|loaded| loaded.store.clone()))
    }

    async fn loaded(&self) -> Result<Option<&Loaded>> {
        Ok(self.loaded.get_or_try_init(|| self.load()).await?.as_ref().ok())
    }

    /// Whether [`Self::get`] has come to an answer.
    pub fn is_settled(&self) -> bool {
        self.loaded.initialized()
    }

    /// The rows to keep; of a permutation that was not looked at yet, the most that they may be.
    pub(crate) fn rows(&self) -> u64 {
        let all = self.source.num_rows();
        match (&self.eligible, &self.chosen, self.loaded.get()) {
            (_, _, Some(Ok(loaded))) => loaded.store.rows() as u64,
            (Some(eligible), _, _) => eligible.len(),
            (None, Some(chosen), _) => chosen.at_most(all),
            (None, None, _) => all,
        }
    }

    /// The distinct rows that the permutation names, where they are fewer than all.
    async fn chosen_rows(&self) -> Result<Option<Arc<RowSet>>> {
        let Some(chosen) = self.chosen.clone() else { return Ok(None) };
        let rows = self.source.num_rows();
        // Looking at all of its positions takes a while.
        let distinct = tokio::task::spawn_blocking(move || chosen.distinct(rows)).await;
        let distinct = distinct.map_err(|error| {
            Error::new(Code::Internal, "looking at the rows of a permutation was interrupted")
                .with_cause(error)
        })?;
        Ok(distinct?.map(Arc::new))
    }

    /// Whether the rows are in memory.
    pub(crate) fn is_loaded(&self) -> bool {
        self.loaded.get().is_some_and(Outcome::is_ok)
    }

    /// Whether a load has found that the rows don't fit.
    pub(crate) fn overflowed(&self) -> bool {
        self.loaded.get().is_some_and(Outcome::is_err)
    }

    /// All live rows of the source.
    pub(crate) fn table_rows(&self) -> u64 {
        self.source.num_rows()
    }

    pub(crate) const fn budget(&self) -> &Budget {
        &self.budget
    }

    pub(crate) const fn statistics(&self) -> &Arc<Statistics> {
        &self.statistics
    }

    /// A fetcher of one plan over the same rows.
    pub(crate) fn scratch_fetcher(&self, options: ScratchOptions, plan: Box<dyn RowPlan>) -> ScratchFetcher {
        ScratchFetcher::new(
            self.source.clone(),
            self.eligible.clone(),
            self.budget.clone(),
            self.statistics.clone(),
            options,
            plan,
        )
    }

    fn take_fetcher(&self) -> TakeFetcher {
        TakeFetcher::new(self.source.clone(), self.eligible.clone(), self.statistics.clone())
    }

    /// Whether the rows can't fit, as far as the schema alone tells.
    fn is_too_large(&self) -> bool {
        let bytes = fixed_row_bytes(&self.source.schema());
        bytes.is_some_and(|bytes| bytes.saturating_mul(self.rows()) > self.budget.limit())
    }

    async fn load(&self) -> Result<Outcome> {
        let chosen = self.chosen_rows().await?;
        let kept = chosen.as_ref().or(self.eligible.as_ref());
        let rows = kept.map_or_else(|| self.source.num_rows(), |kept| kept.len());
        if u32::try_from(rows).is_err() {
            return Ok(Err(format!("are more than the {} that can be kept in memory", u32::MAX)));
        }
        let expected = self.row_bytes(kept, rows).await?.saturating_mul(rows);
        let Some(mut permit) = self.budget.try_acquire(expected) else {
            return Ok(Err(self.does_not_fit(expected)));
        };
        let mut builder = ColumnStoreBuilder::new(&self.source.schema(), usize::try_from(rows).ok())?;
        if !self.scan_into(&mut builder, &mut permit, kept).await? {
            drop(permit);
            return Ok(Err(self.does_not_fit(builder.bytes() as u64)));
        }
        let store = builder.finish();
        permit.resize(store.bytes() as u64);
        Ok(Ok(Loaded { store: Arc::new(store), permit, chosen }))
    }

    /// Appends all rows, or those of `kept`; `false` as soon as they outgrow the budget.
    async fn scan_into(
        &self,
        builder: &mut ColumnStoreBuilder,
        permit: &mut Permit,
        kept: Option<&Arc<RowSet>>,
    ) -> Result<bool> {
        let mut batches = ScanAhead::new(self.source.as_ref(), SCAN_BATCH_BYTES);
        let mut scanned = 0;
        let mut started = Instant::now();
        while let Some(batch) = batches.next().await? {
            let (rows, bytes, first) = (builder.rows(), builder.bytes(), scanned);
            scanned += batch.num_rows() as u64;
            builder.append(&keep(kept, batch, first..scanned)?)?;
            let (rows, bytes) = (builder.rows() - rows, builder.bytes().saturating_sub(bytes));
            self.statistics.add_read(rows as u64, bytes as u64, started.elapsed());
            started = Instant::now();
            if !permit.try_grow(permit.bytes().max(builder.bytes() as u64)) {
                return Ok(false);
            }
        }
        // Where not all rows are kept, rows that are lost would pass off those behind them as others, without their number telling.
        if scanned != self.source.num_rows() || kept.is_some_and(|kept| builder.rows() as u64 != kept.len()) {
            let wanted = self.source.num_rows();
            let message =
                format!("a scan of {wanted} rows came back with {scanned}: the table's files are damaged");
            return Err(Error::new(Code::RowsMissing, message));
        }
        Ok(true)
    }

    fn does_not_fit(&self, bytes: u64) -> String {
        let (limit, used) = (self.budget.limit(), self.budget.used());
        format!("need at least {bytes} bytes of the memoryBudget of {limit}, of which {used} are in use")
    }

    /// The bytes of a row: exact for columns of fixed width, else learned from a few rows spread over the table.
    async fn row_bytes(&self, kept: Option<&Arc<RowSet>>, rows: u64) -> Result<u64> {
        if let Some(bytes) = fixed_row_bytes(&self.source.schema()) {
            return Ok(bytes);
        }
        let sampled = rows.min(SAMPLED_ROWS);
        if sampled == 0 {
            return Ok(0);
        }
        let sample: Vec<u64> = (0..sampled)
            .map(|index| (u128::from(index) * u128::from(rows) / u128::from(sampled)) as u64)
            .collect();
        let take = TakeFetcher::new(self.source.clone(), kept.cloned(), self.statistics.clone());
        Ok(take.fetch(sample).await?.bytes.div_ceil(sampled))
    }
}

fn keep(
    kept: Option<&Arc<RowSet>>,
    batch: RecordBatch,
    ordinals: std::ops::Range<u64>,
) -> Result<RecordBatch> {
    let Some(kept) = kept else { return Ok(batch) };
    let kept: BooleanArray = ordinals.map(|ordinal| Some(kept.contains(ordinal))).collect();
    filter_record_batch(&batch, &kept).map_err(|error| {
        Error::new(Code::Internal, format!("a filter's rows could not be kept: {error}")).with_cause(error)
    })
}

/// Gathers from memory where the table fits; until it is loaded, the first window, and where it does not fit every one, is a take.
pub struct MemoryFirstFetcher {
    mode: FetchMode,
    table: Arc<MemoryTable>,
    take: Arc<TakeFetcher>,
    /// Whether the first window was asked for.
    began: AtomicBool,
    /// Whether all that is asked for from now on comes by takes.
    takes: AtomicBool,
}

impl MemoryFirstFetcher {
    /// A fetcher of one pipeline over a table that its pipelines share. It has no scratch: `Scratch` means takes here.
    pub fn new(mode: FetchMode, table: Arc<MemoryTable>) -> Self {
        let take = Arc::new(table.take_fetcher());
        let takes = AtomicBool::new(matches!(mode, FetchMode::Take | FetchMode::Scratch));
        Self { mode, table, take, began: AtomicBool::new(false), takes }
    }

    /// Loads nothing from now on, unless that has begun.
    pub(crate) fn only_take(&self) {
        self.takes.store(true, Ordering::Relaxed);
    }

    /// Whether the first window comes by a take, so that nobody waits for the scan to see a first batch: not where the window
    /// is a large part of the table, which would be read twice, nor where the scan is not allowed to begin.
    fn takes_first(&self, rows: u64) -> bool {
        let refused = self.mode == FetchMode::Memory && self.table.is_too_large();
        !self.table.is_settled() && !refused && rows < self.table.rows() / 2
    }
}

impl Fetcher for MemoryFirstFetcher {
    fn fetch(&self, rows: Vec<u64>) -> BoxFuture<'static, Result<FetchedRows>> {
        let first = !self.began.swap(true, Ordering::Relaxed);
        if self.takes.load(Ordering::Relaxed) || (first && self.takes_first(rows.len() as u64)) {
            return self.take.fetch(rows);
        }
        let (mode, table, take) = (self.mode, self.table.clone(), self.take.clone());
        async move {
            match table.loaded().await? {
                Some(loaded) => loaded.rows(&rows),
                None if mode == FetchMode::Memory => Err(refused(&table)),
                None => take.fetch(rows).await,
            }
        }
        .boxed()
    }

    fn row_bytes(&self) -> Option<u64> {
        let loaded = self.table.loaded.get().and_then(|outcome| outcome.as_ref().ok());
        let loaded = loaded.and_then(|loaded| loaded.permit.bytes().checked_div(self.table.rows()));
        loaded.or_else(|| self.take.row_bytes())
    }

    fn holds_windows(&self) -> bool {
        let by_takes = match self.table.loaded.get() {
            Some(outcome) => outcome.is_err(),
            // What waits for the table must not take the place of the table, unless it is plain that the table will not come. Of rows
            // of unknown size, the first window is read alone.
            None => self.table.is_too_large() || self.row_bytes().is_none(),
        };
        by_takes || self.takes.load(Ordering::Relaxed)
    }
}

fn refused(table: &MemoryTable) -> Error {
    let reason = table.loaded.get().and_then(|outcome| outcome.as_ref().err());
    Error::new(
        Code::InvalidArgument,
        format!(
            "fetch is \"memory\", but the {} rows with the columns that are read {}: give a larger memoryBudget, fewer columns, or \
             fetch: \"auto\"",
            table.rows(),
            reason.map_or("don't fit", String::as_str)
        ),
    )
}
