//! From a plan to batches: windows are read side by side, gathered in order, and wait for the consumer.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::FutureExt;
use lance_loader_order::{Error, Result};
use tokio::runtime::Handle;

use crate::budget::{Budget, Permit};
use crate::fetcher::{FetchedRows, Fetcher};
use crate::gathering::Gathering;
use crate::ready_queue::{Next, ReadyQueue, Waker};
use crate::sizing::WindowSizing;
use crate::statistics::{Stage, StageRows, Statistics};
use crate::task::OwnedTask;

/// The rows of an epoch, from one point of it on, in the order in which they are handed over.
pub trait RowPlan: Send + 'static {
    /// The rows that are left.
    fn remaining(&self) -> u64;

    /// Writes the next rows: their indices among the eligible rows. Asked for at most `remaining()` rows.
    fn fill(&mut self, rows: &mut [u64]) -> Result<()>;
}

/// How a pipeline works; nothing here changes which rows come or in which order.
#[derive(Clone, Copy, Debug)]
pub struct PipelineOptions {
    /// Rows of a batch, at least 1; the last batch may be short.
    pub batch_rows: u64,
    /// Rows of a window, or `None` to choose by the size of a row.
    pub window_rows: Option<u64>,
    /// Windows that may be under way or wait, beside the one that is being gathered; at least 1.
    pub io_queue_depth: usize,
    /// Bytes of gathered batches that may wait, and of those that may be gathered ahead; one batch always may.
    pub ready_bytes: u64,
}

/// Batches of one plan. Dropping or closing it cancels its reads and frees what waits.
pub struct Pipeline {
    queue: Arc<ReadyQueue>,
    driver: OwnedTask<()>,
}

impl Pipeline {
    /// Starts reading.
    pub fn start(
        runtime: &Handle,
        plan: Box<dyn RowPlan>,
        fetcher: Arc<dyn Fetcher>,
        budget: &Budget,
        statistics: &Arc<Statistics>,
        options: PipelineOptions,
    ) -> Self {
        let queue = Arc::new(ReadyQueue::new(options.ready_bytes, statistics.clone()));
        let sizing = WindowSizing {
            batch_rows: options.batch_rows,
            fixed_rows: options.window_rows,
            window_bytes: window_bytes(budget, options.io_queue_depth),
        };
        let mut unscanned = StageRows::new(statistics.clone(), Stage::Unscanned);
        unscanned.set(plan.remaining());
        let driver = Driver {
            runtime: runtime.clone(),
            plan,
            fetcher,
            budget: budget.clone(),
            unscanned,
            raw: StageRows::new(statistics.clone(), Stage::Raw),
            options,
            sizing,
            plan_failed: false,
            last_rows: 0,
            reads: VecDeque::new(),
            queue: queue.clone(),
        };
        let finished = queue.clone();
        let work = OwnedTask::spawn(runtime, driver.run());
        let driver = OwnedTask::spawn(runtime, async move {
            finished.finish(work.join().await);
            Ok(())
        });
        Self { queue, driver }
    }

    /// Takes the batches that are ready: up to `max_rows` rows, at least one batch.
    ///
    /// An error of a read comes behind the batches before it, and again at every later call.
    pub fn take(&self, max_rows: u64) -> Result<Next> {
        self.queue.take(max_rows)
    }

    /// Calls `waker` once, from any thread, as soon as [`Self::take`] would not answer `Pending`.
    pub fn on_ready(&self, waker: Waker) {
        self.queue.on_ready(waker);
    }

    /// Cancels the reads and frees what waits. Closing again changes nothing.
    pub fn close(&self) {
        self.driver.cancel();
        self.queue.close();
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        self.close();
    }
}

/// Two thirds of the budget are for windows: those under way, those that wait, and the one that is being gathered.
pub(crate) fn window_bytes(budget: &Budget, io_queue_depth: usize) -> u64 {
    budget.limit() / 3 * 2 / (io_queue_depth as u64).saturating_add(1)
}

struct Read {
    rows: OwnedTask<FetchedRows>,
    permit: Permit,
}

struct Driver {
    runtime: Handle,
    plan: Box<dyn RowPlan>,
    fetcher: Arc<dyn Fetcher>,
    budget: Budget,
    /// Rows of which no read was started yet.
    unscanned: StageRows,
    /// Rows that are not in the queue yet, though their read was started.
    raw: StageRows,
    options: PipelineOptions,
    sizing: WindowSizing,
    plan_failed: bool,
    last_rows: u64,
    reads: VecDeque<Read>,
    queue: Arc<ReadyQueue>,
}

impl Driver {
    async fn run(mut self) -> Result<()> {
        loop {
            self.admit(true)?;
            let Some(Read { rows, mut permit }) = self.reads.pop_front() else { return Ok(()) };
            let fetched = rows.join().await?;
            permit.resize(fetched.bytes);
            // The place of the window that is gathered now is free for the next read.
            self.admit(false)?;
            self.gather_batches(fetched).await?;
        }
    }

    /// Starts reads while depth and budget allow; with `needed`, one even above the budget if none is under way.
    fn admit(&mut self, needed: bool) -> Result<()> {
        let depth = self.options.io_queue_depth.max(1);
        while self.reads.len() < depth && self.plan.remaining() > 0 && !self.plan_failed {
            let (row_bytes, holds_windows) = (self.fetcher.row_bytes(), self.fetcher.holds_windows());
            if holds_windows && row_bytes.is_none() && !self.reads.is_empty() {
                // Only the window under way will tell how large the rows are, and so how many more windows the budget carries.
                break;
            }
            let run_rows = || self.fetcher.run_rows().filter(|_| self.sizing.fixed_rows.is_none());
            let rows = self.fetcher.window_rows().or_else(run_rows);
            let rows = rows.unwrap_or_else(|| self.sizing.next_rows(self.last_rows, row_bytes));
            let rows = rows.min(self.plan.remaining());
            let bytes = if holds_windows { rows.saturating_mul(row_bytes.unwrap_or(0)) } else { 0 };
            let permit = match self.budget.try_acquire(bytes) {
                Some(permit) => permit,
                None if needed && self.reads.is_empty() => self.budget.force(bytes),
                None => break,
            };
            let mut planned = vec![0; usize::try_from(rows).map_err(too_many)?];
            let filled = self.plan.fill(&mut planned);
            self.plan_failed = filled.is_err();
            self.last_rows = rows;
            // A plan that fails does so in its turn, like a read: behind the windows before it.
            let fetched = match filled {
                Ok(()) => self.fetcher.fetch(planned),
                Err(error) => std::future::ready(Err(error)).boxed(),
            };
            self.reads.push_back(Read { rows: OwnedTask::spawn(&self.runtime, fetched), permit });
            self.raw.set(self.raw.get() + rows);
            self.unscanned.set(self.plan.remaining());
        }
        Ok(())
    }

    /// Cuts a window into batches, each of which waits for its place in the queue.
    async fn gather_batches(&mut self, fetched: FetchedRows) -> Result<()> {
        let PipelineOptions { batch_rows, ready_bytes, .. } = self.options;
        let mut gathering = Gathering::new(&self.runtime, fetched, batch_rows, ready_bytes);
        while let Some(batches) = gathering.next().await? {
            for batch in batches {
                let batch = batch?;
                let rows = batch.rows() as u64;
                self.queue.push(batch).await?;
                self.raw.set(self.raw.get() - rows);
            }
        }
        Ok(())
    }
}

fn too_many(_: std::num::TryFromIntError) -> Error {
    Error::new(
        lance_loader_order::Code::InvalidArgument,
        "a window has more rows than this platform can address",
    )
}
