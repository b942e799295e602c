//! From a plan to batches: windows are read side by side, gathered in order, and wait for the consumer.

use std::collections::VecDeque;
use std::sync::Arc;

use lance_loader_order::{Error, Result};
use tokio::runtime::Handle;

use crate::budget::{Budget, Permit};
use crate::fetcher::{FetchedRows, Fetcher};
use crate::gather::gather;
use crate::ready_queue::{Next, ReadyQueue, Waker};
use crate::sizing::WindowSizing;
use crate::statistics::Statistics;
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
    /// Bytes of gathered batches that may wait; one batch always may.
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
        let driver = Driver {
            runtime: runtime.clone(),
            plan,
            fetcher,
            budget: budget.clone(),
            statistics: statistics.clone(),
            options,
            sizing,
            last_rows: 0,
            reads: VecDeque::new(),
            raw_rows: 0,
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

/// Half of the budget is for windows: those under way, those that wait, and the one that is being gathered.
fn window_bytes(budget: &Budget, io_queue_depth: usize) -> u64 {
    budget.limit() / 2 / (io_queue_depth as u64).saturating_add(1)
}

struct Read {
    planned: u64,
    rows: OwnedTask<FetchedRows>,
    permit: Permit,
}

struct Driver {
    runtime: Handle,
    plan: Box<dyn RowPlan>,
    fetcher: Arc<dyn Fetcher>,
    budget: Budget,
    statistics: Arc<Statistics>,
    options: PipelineOptions,
    sizing: WindowSizing,
    last_rows: u64,
    reads: VecDeque<Read>,
    /// Rows of reads that are not gathered yet.
    raw_rows: u64,
    queue: Arc<ReadyQueue>,
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.statistics.set_unscanned_rows(0);
        self.statistics.set_raw_rows(0);
    }
}

impl Driver {
    async fn run(mut self) -> Result<()> {
        loop {
            self.admit(true)?;
            let Some(Read { planned, rows, mut permit }) = self.reads.pop_front() else { return Ok(()) };
            let fetched = rows.join().await?;
            permit.resize(fetched.bytes);
            // The place of the window that is gathered now is free for the next read.
            self.admit(false)?;
            gather_batches(&self.queue, &fetched, self.options.batch_rows).await?;
            self.raw_rows -= planned;
            self.statistics.set_raw_rows(self.raw_rows);
        }
    }

    /// Starts reads while depth and budget allow; with `needed`, one even above the budget if none is under way.
    fn admit(&mut self, needed: bool) -> Result<()> {
        while self.reads.len() < self.options.io_queue_depth.max(1) && self.plan.remaining() > 0 {
            let row_bytes = self.fetcher.row_bytes();
            let rows = self.sizing.next_rows(self.last_rows, row_bytes).min(self.plan.remaining());
            let bytes =
                if self.fetcher.holds_windows() { rows.saturating_mul(row_bytes.unwrap_or(0)) } else { 0 };
            let permit = match self.budget.try_acquire(bytes) {
                Some(permit) => permit,
                None if needed && self.reads.is_empty() => self.budget.force(bytes),
                None => break,
            };
            let mut planned = vec![0; usize::try_from(rows).map_err(too_many)?];
            self.plan.fill(&mut planned)?;
            self.last_rows = rows;
            let read = OwnedTask::spawn(&self.runtime, self.fetcher.fetch(planned));
            self.reads.push_back(Read { planned: rows, rows: read, permit });
            self.raw_rows += rows;
        }
        self.statistics.set_unscanned_rows(self.plan.remaining());
        self.statistics.set_raw_rows(self.raw_rows);
        Ok(())
    }
}

/// Cuts a window into batches, each of which waits for its place in the queue.
async fn gather_batches(queue: &ReadyQueue, fetched: &FetchedRows, batch_rows: u64) -> Result<()> {
    let batch = usize::try_from(batch_rows.max(1)).unwrap_or(usize::MAX);
    for rows in fetched.indices.chunks(batch) {
        queue.push(gather(&fetched.store, rows, None)?).await?;
    }
    Ok(())
}

fn too_many(_: std::num::TryFromIntError) -> Error {
    Error::new(lance_loader_order::Code::InvalidArgument, "a window has more rows than this platform can address")
}
