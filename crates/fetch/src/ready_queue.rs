//! Gathered batches that wait for the consumer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lance_loader_order::{Code, Error, Result};
use tokio::sync::Notify;

use crate::gather::Block;
use crate::statistics::Statistics;

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

/// A queue between one producer, which waits for space, and one consumer, which is called back.
///
/// Bounded by bytes; one batch is always let in. An error or the end stands behind the batches that came before it.
pub(crate) struct ReadyQueue {
    state: Mutex<State>,
    space: Notify,
    max_bytes: u64,
    statistics: Arc<Statistics>,
}

#[derive(Default)]
struct State {
    batches: VecDeque<Block>,
    bytes: u64,
    rows: u64,
    end: Option<Result<()>>,
    closed: bool,
    waker: Option<Waker>,
}

impl ReadyQueue {
    pub(crate) fn new(max_bytes: u64, statistics: Arc<Statistics>) -> Self {
        Self { state: Mutex::default(), space: Notify::new(), max_bytes, statistics }
    }

    /// Adds a batch once there is space; fails with `Closed` once nobody will take it.
    pub(crate) async fn push(&self, batch: Block) -> Result<()> {
        let mut batch = Some(batch);
        loop {
            let space = self.space.notified();
            if self.offer(&mut batch)? {
                return Ok(());
            }
            space.await;
        }
    }

    fn offer(&self, batch: &mut Option<Block>) -> Result<bool> {
        let mut state = self.lock();
        if state.closed {
            return Err(closed());
        }
        if !state.batches.is_empty() && state.bytes >= self.max_bytes {
            return Ok(false);
        }
        if let Some(batch) = batch.take() {
            state.bytes += batch.data().capacity() as u64;
            state.rows += batch.rows() as u64;
            state.batches.push_back(batch);
        }
        self.statistics.set_ready_rows(state.rows);
        wake(state);
        Ok(true)
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
        let mut rows = 0;
        while rows < max_rows || taken.is_empty() {
            let Some(batch) = state.batches.pop_front() else { break };
            rows += batch.rows() as u64;
            state.rows -= batch.rows() as u64;
            state.bytes -= batch.data().capacity() as u64;
            taken.push(batch);
        }
        if !taken.is_empty() {
            self.statistics.set_ready_rows(state.rows);
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
        let replaced = state.waker.replace(waker);
        if ready {
            wake(state);
        } else {
            drop(state);
        }
        if let Some(replaced) = replaced {
            replaced();
        }
    }

    /// Drops what waits; the producer and the consumer learn that the queue is closed.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let dropped = std::mem::take(&mut state.batches);
        state.bytes = 0;
        state.rows = 0;
        self.statistics.set_ready_rows(0);
        wake(state);
        drop(dropped);
        self.space.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is changed by code that can't panic half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wake(mut state: MutexGuard<'_, State>) {
    let waker = state.waker.take();
    drop(state);
    if let Some(waker) = waker {
        waker();
    }
}

fn closed() -> Error {
    Error::new(Code::Closed, "the pipeline is closed: start another one")
}
