//! What a pipeline counts while it works.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::choice::Choice;

/// Finished reads that wait to be looked at, at most: who does not look loses the oldest.
const LOGGED_READS: usize = 4096;

/// A finished read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinishedRead {
    /// The rows that were read.
    pub rows: u64,
    /// Their bytes, as they lie in memory.
    pub bytes: u64,
    /// How long it took.
    pub took: Duration,
}

/// Counters of one or several pipelines, exact at any time. Updated without locks, but for the log of reads while somebody watches it.
#[derive(Debug, Default)]
pub struct Statistics {
    bytes_loaded: AtomicU64,
    rows_loaded: AtomicU64,
    fetch_nanos: AtomicU64,
    unscanned_rows: AtomicU64,
    raw_rows: AtomicU64,
    ready_rows: AtomicU64,
    watched: AtomicBool,
    finished: Mutex<VecDeque<FinishedRead>>,
    choice: Mutex<Option<Choice>>,
}

/// A reading of [`Statistics`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Bytes of rows that were read from the table, as they lie in memory.
    pub bytes_loaded: u64,
    /// Rows that were read from the table.
    pub rows_loaded: u64,
    /// Time that reads took, summed over reads that ran side by side.
    pub fetch_time: Duration,
    /// Rows of the plan of which no read was started yet.
    pub unscanned_rows: u64,
    /// Rows that are being read, or wait to be gathered.
    pub raw_rows: u64,
    /// Rows that are gathered and wait for the consumer.
    pub ready_rows: u64,
}

impl Statistics {
    /// Counts a finished read.
    pub fn add_read(&self, rows: u64, bytes: u64, took: Duration) {
        self.rows_loaded.fetch_add(rows, Ordering::Relaxed);
        self.bytes_loaded.fetch_add(bytes, Ordering::Relaxed);
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.fetch_nanos.fetch_add(nanos, Ordering::Relaxed);
        if self.watched.load(Ordering::Relaxed) {
            let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
            if finished.len() == LOGGED_READS {
                finished.pop_front();
            }
            finished.push_back(FinishedRead { rows, bytes, took });
        }
    }

    /// The reads that have finished since the last call, of which the first one only begins to log them.
    pub fn take_finished(&self) -> Vec<FinishedRead> {
        self.watched.store(true, Ordering::Relaxed);
        self.finished.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
    }

    /// Notes how the last pipeline reads.
    pub(crate) fn set_choice(&self, choice: Choice) {
        *self.choice.lock().unwrap_or_else(PoisonError::into_inner) = Some(choice);
    }

    /// How the last pipeline reads, and why; `None` until one has decided.
    pub fn choice(&self) -> Option<Choice> {
        self.choice.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads all counters.
    pub fn read(&self) -> Reading {
        Reading {
            bytes_loaded: self.bytes_loaded.load(Ordering::Relaxed),
            rows_loaded: self.rows_loaded.load(Ordering::Relaxed),
            fetch_time: Duration::from_nanos(self.fetch_nanos.load(Ordering::Relaxed)),
            unscanned_rows: self.unscanned_rows.load(Ordering::Relaxed),
            raw_rows: self.raw_rows.load(Ordering::Relaxed),
            ready_rows: self.ready_rows.load(Ordering::Relaxed),
        }
    }
}

/// Where rows of a plan are on their way to the consumer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stage {
    Unscanned,
    Raw,
    Ready,
}

/// What one pipeline has in one stage. Pipelines add up, and what a pipeline had goes with it.
#[derive(Debug)]
pub(crate) struct StageRows {
    statistics: Arc<Statistics>,
    stage: Stage,
    rows: u64,
}

impl StageRows {
    pub(crate) fn new(statistics: Arc<Statistics>, stage: Stage) -> Self {
        Self { statistics, stage, rows: 0 }
    }

    pub(crate) const fn get(&self) -> u64 {
        self.rows
    }

    pub(crate) fn set(&mut self, rows: u64) {
        let all = match self.stage {
            Stage::Unscanned => &self.statistics.unscanned_rows,
            Stage::Raw => &self.statistics.raw_rows,
            Stage::Ready => &self.statistics.ready_rows,
        };
        // Atomic sums wrap, so that this subtracts, too.
        all.fetch_add(rows.wrapping_sub(self.rows), Ordering::Relaxed);
        self.rows = rows;
    }
}

impl Drop for StageRows {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_logged_once_somebody_asks_and_the_latest_are_kept() {
        let statistics = Statistics::default();
        statistics.add_read(1, 10, Duration::from_millis(1));
        assert_eq!(statistics.take_finished(), []);
        for rows in 0..LOGGED_READS as u64 + 2 {
            statistics.add_read(rows, 0, Duration::ZERO);
        }
        let rows: Vec<u64> = statistics.take_finished().iter().map(|read| read.rows).collect();
        assert!(rows.iter().copied().eq(2..LOGGED_READS as u64 + 2));
        assert_eq!(statistics.take_finished(), []);
    }
}
