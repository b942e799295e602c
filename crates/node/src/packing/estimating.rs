//! An estimate that is under way.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use lance_loader_fetch::fetcher::TakeFetcher;
use lance_loader_fetch::packing::{check_token_column, estimate_blocks};
use lance_loader_order::{Code, Error, Result};
use napi::Env;
use napi::bindgen_prelude::{BigInt, PromiseRaw};
use napi_derive::napi;
use tokio::task::AbortHandle;

use super::options::PackingOptions;
use crate::convert::{number, unsigned};
use crate::errors::{ErrorCode, guarded, panicked};
use crate::plan::Plan;
use crate::runtime::runtime;
use crate::table::TableData;
use crate::wait::Signal;

#[derive(Default)]
struct Slot {
    result: Option<Result<u64>>,
    signal: Option<Signal>,
}

/// An estimate of the blocks of an epoch: wait, then finish.
#[napi]
pub struct Estimating {
    slot: Arc<Mutex<Slot>>,
    task: AbortHandle,
}

impl Estimating {
    pub(crate) fn start(
        table: &Arc<TableData>,
        plan: &Plan,
        options: &PackingOptions,
        seed: &BigInt,
    ) -> Result<Self> {
        check_token_column(&table.source.schema())?;
        let (documents, length, mode) = (plan.documents()?, options.length()?, options.mode()?);
        let seed = unsigned("shuffleSeed", seed)?;
        let (source, eligible) = (table.source.clone(), table.eligible.clone());
        let fetcher = Arc::new(TakeFetcher::new(source, eligible, table.statistics.clone()));
        let slot = Arc::new(Mutex::new(Slot::default()));
        let filled = slot.clone();
        let task = runtime()?.spawn(async move {
            let work = estimate_blocks(&documents, fetcher, seed, length, mode);
            let result = AssertUnwindSafe(work).catch_unwind().await;
            settle(&filled, result.unwrap_or_else(|panic| Err(panicked(panic.as_ref()))));
        });
        Ok(Self { slot, task: task.abort_handle() })
    }
}

/// Keeps the first result and tells whoever waits.
fn settle(slot: &Mutex<Slot>, result: Result<u64>) {
    let mut slot = lock(slot);
    slot.result.get_or_insert(result);
    let signal = slot.signal.take();
    drop(slot);
    if let Some(signal) = signal {
        signal.fulfil();
    }
}

fn lock(slot: &Mutex<Slot>) -> MutexGuard<'_, Slot> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

#[napi]
impl Estimating {
    /// Fulfilled when `finish` has an answer. Waited for once.
    #[napi]
    pub fn wait<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, ()>, ErrorCode> {
        let (signal, promise) = Signal::new(env)?;
        let mut slot = lock(&self.slot);
        if slot.result.is_some() {
            drop(slot);
            signal.fulfil();
        } else {
            slot.signal = Some(signal);
        }
        Ok(promise)
    }

    /// The number of blocks, a multiple of the number of splits, or why there is none.
    #[napi]
    pub fn finish(&self) -> napi::Result<f64, ErrorCode> {
        guarded(|| {
            let unfinished = || Error::new(Code::Internal, "an estimate was asked for before it was there");
            number(lock(&self.slot).result.clone().ok_or_else(unfinished)??)
        })
    }

    /// Stops estimating; whoever waits is told.
    #[napi]
    pub fn cancel(&self) {
        self.task.abort();
        settle(&self.slot, Err(Error::new(Code::Aborted, "the estimate was aborted")));
    }
}

impl Drop for Estimating {
    fn drop(&mut self) {
        self.task.abort();
    }
}
