//! Batches of a window: gathered side by side, handed on in order.

use std::collections::VecDeque;
use std::sync::Arc;

use lance_loader_order::Result;
use tokio::runtime::Handle;

use crate::fetcher::FetchedRows;
use crate::gather::{Block, gather};
use crate::task::OwnedTask;

/// The rows that a task gathers where batches are smaller, if their bytes allow: a task costs as much as a dozen rows.
const TASK_ROWS: usize = 256;

/// How the batches of a window are dealt to tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Deal {
    /// Rows of a task: whole batches.
    task_rows: usize,
    /// Tasks under way at one time.
    width: usize,
}

impl Deal {
    /// As many tasks as there are threads, as long as what they gather has `max_bytes` at most; one batch always may.
    fn new(batch_rows: usize, row_bytes: u64, max_bytes: u64, threads: usize) -> Self {
        let batch_bytes = row_bytes.saturating_mul(batch_rows as u64).max(1);
        let carried = usize::try_from(max_bytes / batch_bytes).unwrap_or(usize::MAX);
        let task_batches = (TASK_ROWS / batch_rows).min(carried / threads.max(1)).max(1);
        let width = (carried / task_batches).min(threads).max(1);
        Self { task_rows: task_batches.saturating_mul(batch_rows), width }
    }
}

/// The batches of one window, of which those that are next are being gathered.
///
/// Dropping it cancels what is not begun yet.
pub(crate) struct Gathering {
    runtime: Handle,
    fetched: Arc<FetchedRows>,
    batch_rows: usize,
    deal: Deal,
    /// The first row that no task has.
    next_row: usize,
    tasks: VecDeque<OwnedTask<Vec<Result<Block>>>>,
}

impl Gathering {
    /// Batches of `batch_rows` rows (at least 1) of `fetched`; at most `max_bytes`, or one task, are gathered ahead.
    pub(crate) fn new(runtime: &Handle, fetched: FetchedRows, batch_rows: u64, max_bytes: u64) -> Self {
        let batch_rows = usize::try_from(batch_rows.max(1)).unwrap_or(usize::MAX);
        let row_bytes = (fetched.store.bytes() / fetched.store.rows().max(1)) as u64;
        let deal = Deal::new(batch_rows, row_bytes, max_bytes, runtime.metrics().num_workers());
        let (runtime, fetched) = (runtime.clone(), Arc::new(fetched));
        Self { runtime, fetched, batch_rows, deal, next_row: 0, tasks: VecDeque::new() }
    }

    /// The next batches in order, or `None` behind the last. An error stands behind the batches before it.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<Result<Block>>>> {
        while self.tasks.len() < self.deal.width && self.next_row < self.fetched.indices.len() {
            let (fetched, batch_rows, start) = (self.fetched.clone(), self.batch_rows, self.next_row);
            self.next_row = start.saturating_add(self.deal.task_rows).min(fetched.indices.len());
            let rows = start..self.next_row;
            let work = async move {
                let rows = fetched.indices.get(rows).unwrap_or_default();
                Ok(rows.chunks(batch_rows).map(|rows| gather(&fetched.store, rows, None)).collect())
            };
            self.tasks.push_back(OwnedTask::spawn(&self.runtime, work));
        }
        match self.tasks.pop_front() {
            Some(task) => task.join().await.map(Some),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_have_whole_batches_and_enough_rows() {
        let rows = |batch_rows| Deal::new(batch_rows, 1, u64::MAX, 4).task_rows;
        assert_eq!([1, 10, 100, 256, 300].map(rows), [256, 250, 200, 256, 300]);
        assert_eq!(rows(usize::MAX), usize::MAX);
    }

    #[test]
    fn no_more_is_gathered_at_once_than_threads_and_bytes_allow() {
        let deal = |batch_rows, row_bytes, max_bytes| {
            let Deal { task_rows, width } = Deal::new(batch_rows, row_bytes, max_bytes, 4);
            (task_rows, width)
        };
        assert_eq!([0, 256_000, 512_000, 10_000_000].map(|bytes| deal(256, 1000, bytes).1), [1, 1, 2, 4]);
        assert_eq!(deal(1, 1 << 20, 8 << 20), (2, 4));
        assert_eq!(deal(1, 1 << 20, 2 << 20), (1, 2));
        assert_eq!(deal(256, 0, 0), (256, 1));
        assert_eq!(deal(usize::MAX, u64::MAX, u64::MAX), (usize::MAX, 1));
    }
}
