//! How the rows of a window are read: the stage that can be exchanged.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use futures::FutureExt;
use futures::future::BoxFuture;
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::RowSet;

use crate::column::ColumnStore;
use crate::row_bytes::fixed_row_bytes;
use crate::source::RowSource;
use crate::statistics::Statistics;
use crate::window::Window;

/// The rows of a window, in memory, and where each row of the plan is among them.
#[derive(Clone, Debug)]
pub struct FetchedRows {
    /// The columns.
    pub store: Arc<ColumnStore>,
    /// For each row of the plan, its row in `store`.
    pub indices: Vec<u32>,
    /// The bytes that this window holds by itself; 0 where the rows belong to something that lasts longer.
    pub bytes: u64,
}

/// Reads windows. Rows are told by their index among the eligible rows: all rows of the source, or those that a filter kept.
pub trait Fetcher: Send + Sync + 'static {
    /// Reads the rows of a window; they come in the order of the plan and may repeat.
    fn fetch(&self, rows: Vec<u64>) -> BoxFuture<'static, Result<FetchedRows>>;

    /// The bytes of a row in memory, as far as known by now.
    fn row_bytes(&self) -> Option<u64>;

    /// Whether a window holds memory of its own, which counts against the budget until it is gathered.
    fn holds_windows(&self) -> bool;

    /// The rows that the next window must have, where that is not for the pipeline to choose; a multiple of a batch's.
    fn window_rows(&self) -> Option<u64> {
        None
    }

    /// The rows of a window that is a run of neighbours in the table, where such are read at once; a multiple of a batch's.
    fn run_rows(&self) -> Option<u64> {
        None
    }
}

/// Reads each window by one take of its sorted, distinct rows.
pub struct TakeFetcher {
    inner: Arc<TakeInner>,
}

struct TakeInner {
    source: Arc<dyn RowSource>,
    eligible: Option<Arc<RowSet>>,
    statistics: Arc<Statistics>,
    /// The size of a row, where the schema tells it.
    fixed_bytes: Option<u64>,
    /// What was read so far, to know the size of a row where it does not.
    read_rows: AtomicU64,
    read_bytes: AtomicU64,
}

impl TakeFetcher {
    /// Takes from `source` the rows of `eligible`, or all rows.
    pub fn new(
        source: Arc<dyn RowSource>,
        eligible: Option<Arc<RowSet>>,
        statistics: Arc<Statistics>,
    ) -> Self {
        let fixed_bytes = fixed_row_bytes(&source.schema());
        let (read_rows, read_bytes) = (AtomicU64::new(0), AtomicU64::new(0));
        Self {
            inner: Arc::new(TakeInner { source, eligible, statistics, fixed_bytes, read_rows, read_bytes }),
        }
    }
}

impl Fetcher for TakeFetcher {
    fn fetch(&self, rows: Vec<u64>) -> BoxFuture<'static, Result<FetchedRows>> {
        self.inner.clone().fetch(rows).boxed()
    }

    fn row_bytes(&self) -> Option<u64> {
        self.inner.fixed_bytes.or_else(|| {
            let rows = self.inner.read_rows.load(Ordering::Relaxed);
            self.inner.read_bytes.load(Ordering::Relaxed).checked_div(rows)
        })
    }

    fn holds_windows(&self) -> bool {
        true
    }
}

impl TakeInner {
    async fn fetch(self: Arc<Self>, mut rows: Vec<u64>) -> Result<FetchedRows> {
        if let Some(eligible) = &self.eligible {
            eligible.select_many(&mut rows).map_err(|row| outside(row, eligible.len()))?;
        }
        let Window { ordinals, indices } = Window::new(&rows);
        drop(rows);
        let started = Instant::now();
        let wanted = ordinals.len();
        let batch = self.source.take(ordinals).await?;
        if batch.num_rows() != wanted {
            return Err(Error::new(
                Code::RowsMissing,
                format!("a read of {wanted} rows came back with {}: the source is damaged", batch.num_rows()),
            ));
        }
        let store = ColumnStore::from_batch(&batch)?;
        let bytes = store.bytes() as u64;
        self.statistics.add_read(wanted as u64, bytes, started.elapsed());
        self.read_rows.fetch_add(wanted as u64, Ordering::Relaxed);
        self.read_bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(FetchedRows { store: Arc::new(store), indices, bytes })
    }
}

fn outside(row: u64, rows: u64) -> Error {
    Error::new(Code::Internal, format!("the plan names row {row} of {rows} rows"))
}
