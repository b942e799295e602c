//! Gathered batches that wait for the consumer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lance_loader_order::{Code, Error, Result};
use tokio::sync::Notify;

use crate::gather::Block;
use crate::statistics::{Stage, StageRows, Statistics};

/// Called once, when there is something to take: from any thread, and without a lock held.
pub type Waker = Box<dyn FnOnce() + Send>;

/// What a look into the queue finds.
#[derive(Debug)]
pub enum Next {
    /// The next batches, at least one.
    Batches(Vec<Block>),
    /// Nothing yet.
    Pending,
    /// The plan is finished and everything was taken.
    Finished,
}

/// A queue between one producer, which waits for space, and its consumers, which are called back.
///
/// A batch goes to one consumer. All that wait are called for each batch, since one that was called may be gone.
///
/// Bounded by bytes; one batch is always let in. An error or the end stands behind the batches that came before it.
pub(crate) struct ReadyQueue {
    state: Mutex<State>,
    space: Notify,
    max_bytes: u64,
}

struct State {
    batches: VecDeque<Block>,
    bytes: u64,
    rows: StageRows,
    end: Option<Result<()>>,
    closed: bool,
    wakers: Vec<Waker>,
}

impl ReadyQueue {
    pub(crate) fn new(max_bytes: u64, statistics: Arc<Statistics>) -> Self {
        let rows = StageRows::new(statistics, Stage::Ready);
        let state =
            State { batches: VecDeque::new(), bytes: 0, rows, end: None, closed: false, wakers: Vec::new() };
        Self { state: Mutex::new(state), space: Notify::new(), max_bytes }
    }

    /// Adds a batch once there is space; fails with `Closed` once nobody will take it.
    pub(crate) async fn push(&self, mut batch: Block) -> Result<()> {
        loop {
            let space = self.space.notified();
            match self.offer(batch)? {
                None => return Ok(()),
                Some(refused) => batch = refused,
            }
            space.await;
        }
    }

    /// Adds a batch, or gives it back where there is no space.
    fn offer(&self, batch: Block) -> Result<Option<Block>> {
        let mut state = self.lock();
        if state.closed {
            return Err(closed());
        }
        let bytes = state.bytes + bytes_of(&batch);
        if !state.batches.is_empty() && bytes > self.max_bytes {
            return Ok(Some(batch));
        }
        let rows = state.rows.get() + batch.rows() as u64;
        state.bytes = bytes;
        state.rows.set(rows);
        state.batches.push_back(batch);
        wake(state);
        Ok(None)
    }

    /// Marks the end, or the error that ended the work. Later calls change nothing.
    pub(crate) fn finish(&self, end: Result<()>) {
        let mut state = self.lock();
        if state.end.is_none() {
            state.end = Some(end);
        }
        wake(state);
    }

    /// Takes the batches that are there, up to `max_rows` rows but at least one batch.
    pub(crate) fn take(&self, max_rows: u64) -> Result<Next> {
        let mut state = self.lock();
        if state.closed {
            return Err(closed());
        }
        let mut taken = Vec::new();
        let mut rows: u64 = 0;
        while let Some(batch) = state.batches.front() {
            rows = rows.saturating_add(batch.rows() as u64);
            if rows > max_rows && !taken.is_empty() {
                break;
            }
            state.bytes -= bytes_of(batch);
            taken.extend(state.batches.pop_front());
        }
        if !taken.is_empty() {
            let left = state.rows.get() - taken.iter().map(|batch| batch.rows() as u64).sum::<u64>();
            state.rows.set(left);
            drop(state);
            self.space.notify_one();
            return Ok(Next::Batches(taken));
        }
        match &state.end {
            None => Ok(Next::Pending),
            Some(Ok(())) => Ok(Next::Finished),
            Some(Err(error)) => Err(error.clone()),
        }
    }

    /// Calls `waker` as soon as `take` would not answer `Pending`: at once where that is so already.
    pub(crate) fn on_ready(&self, waker: Waker) {
        let mut state = self.lock();
        let ready = state.closed || state.end.is_some() || !state.batches.is_empty();
        state.wakers.push(waker);
        if ready {
            wake(state);
        }
    }

    /// Drops what waits; the producer and the consumer learn that the queue is closed.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let dropped = std::mem::take(&mut state.batches);
        state.bytes = 0;
        state.rows.set(0);
        wake(state);
        drop(dropped);
        self.space.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is changed by code that can't panic half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bytes_of(batch: &Block) -> u64 {
    batch.data().capacity() as u64
}

fn wake(mut state: MutexGuard<'_, State>) {
    let wakers = std::mem::take(&mut state.wakers);
    drop(state);
    for waker in wakers {
        waker();
    }
}

fn closed() -> Error {
    Error::new(Code::Closed, "the pipeline is closed: start another one")
}

#[cfg(test)]
mod tests;
