//! Work in the background whose result is asked for later.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use lance_loader_order::{Code, Error, Result};
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use tokio::task::AbortHandle;

use crate::errors::{ErrorCode, panicked};
use crate::runtime::runtime;
use crate::wait::Signal;

struct Slot<T> {
    result: Option<Result<T>>,
    settled: bool,
    signal: Option<Signal>,
}

/// Work that was begun: wait, then finish. Dropped, it stops.
pub(crate) struct Job<T> {
    slot: Arc<Mutex<Slot<T>>>,
    task: AbortHandle,
}

impl<T: Send + 'static> Job<T> {
    pub(crate) fn begin(work: impl Future<Output = Result<T>> + Send + 'static) -> Result<Self> {
        let slot = Arc::new(Mutex::new(Slot { result: None, settled: false, signal: None }));
        let filled = slot.clone();
        let task = runtime()?.spawn(async move {
            let result = AssertUnwindSafe(work).catch_unwind().await;
            settle(&filled, result.unwrap_or_else(|panic| Err(panicked(panic.as_ref()))));
        });
        Ok(Self { slot, task: task.abort_handle() })
    }

    /// Fulfilled when `finish` has an answer. Waited for once.
    pub(crate) fn wait<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, ()>, ErrorCode> {
        let (signal, promise) = Signal::new(env)?;
        let mut slot = lock(&self.slot);
        if slot.settled {
            drop(slot);
            signal.fulfil();
        } else {
            slot.signal = Some(signal);
        }
        Ok(promise)
    }

    /// The result. Asked once.
    pub(crate) fn finish(&self) -> Result<T> {
        let result = lock(&self.slot).result.take();
        result.unwrap_or_else(|| {
            Err(Error::new(Code::Internal, "a result was asked for before it was there, or more than once"))
        })
    }

    /// Stops; whoever waits is told `what` was aborted.
    pub(crate) fn cancel(&self, what: &str) {
        self.task.abort();
        settle(&self.slot, Err(Error::new(Code::Aborted, format!("{what} was aborted"))));
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn settle<T>(slot: &Mutex<Slot<T>>, result: Result<T>) {
    let mut slot = lock(slot);
    if slot.settled {
        return;
    }
    slot.settled = true;
    slot.result = Some(result);
    let signal = slot.signal.take();
    drop(slot);
    if let Some(signal) = signal {
        signal.fulfil();
    }
}

fn lock<T>(slot: &Mutex<Slot<T>>) -> MutexGuard<'_, Slot<T>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
