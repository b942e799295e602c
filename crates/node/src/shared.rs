//! Pipelines that worker threads read.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use lance_loader_fetch::gather::Block;
use lance_loader_fetch::ready_queue::Next;
use lance_loader_order::{Code, Error, Result};
use napi::Env;
use napi::bindgen_prelude::{Object, PromiseRaw, Uint8Array};
use napi_derive::napi;

use crate::batch;
use crate::convert::{count, number};
use crate::errors::{ErrorCode, guarded};
use crate::plan::Plan;
use crate::wait::Signal;

/// The pipelines of the process that were given an id. Weak: an id keeps nothing alive.
static PIPELINES: LazyLock<Mutex<Pipelines>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Pipelines {
    last_id: u64,
    by_id: HashMap<u64, Weak<SharedPipeline>>,
}

/// A running read, and how far it was taken.
pub(crate) struct SharedPipeline {
    pub(crate) inner: lance_loader_fetch::pipeline::Pipeline,
    pub(crate) lend: bool,
    /// What names the rows; none where the rows are of no epoch.
    pub(crate) plan: Option<Plan>,
    /// The batches and rows that attached threads took.
    taken: Mutex<Taken>,
    id: Mutex<Option<u64>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    batches: u64,
    /// Samples of the plan before the next batch.
    rows: u64,
}

/// What a look for a batch finds.
enum Look {
    /// A batch, and what was taken before it.
    Batch(Taken, Block),
    Pending,
    Finished,
}

impl SharedPipeline {
    /// A read that begins behind the first `skip` samples of the plan.
    pub(crate) fn new(
        inner: lance_loader_fetch::pipeline::Pipeline,
        lend: bool,
        plan: Option<Plan>,
        skip: u64,
    ) -> Arc<Self> {
        let taken = Mutex::new(Taken { batches: 0, rows: skip });
        Arc::new(Self { inner, lend, plan, taken, id: Mutex::default() })
    }

    /// The id by which other threads find it: the same at every call.
    pub(crate) fn share(self: &Arc<Self>) -> u64 {
        let mut id = lock(&self.id);
        *id.get_or_insert_with(|| {
            let mut pipelines = lock(&PIPELINES);
            pipelines.last_id += 1;
            let id = pipelines.last_id;
            pipelines.by_id.insert(id, Arc::downgrade(self));
            id
        })
    }

    pub(crate) fn close(&self) {
        self.inner.close();
        self.forget();
    }

    /// Takes one batch if there is one.
    fn take(&self) -> Result<Look> {
        // Held while taking, so that the places are the order of the plan.
        let mut taken = lock(&self.taken);
        let mut blocks = match self.inner.take(1)? {
            Next::Finished => return Ok(Look::Finished),
            Next::Pending => return Ok(Look::Pending),
            Next::Batches(blocks) => blocks.into_iter(),
        };
        let Some(block) = blocks.next() else { return Ok(Look::Pending) };
        let at = *taken;
        taken.batches += 1;
        taken.rows += block.rows() as u64;
        Ok(Look::Batch(at, block))
    }

    fn planned(&self) -> Result<&Plan> {
        self.plan.as_ref().ok_or_else(no_epoch)
    }

    fn forget(&self) {
        if let Some(id) = lock(&self.id).take() {
            lock(&PIPELINES).by_id.remove(&id);
        }
    }
}

impl Drop for SharedPipeline {
    fn drop(&mut self) {
        self.forget();
    }
}

/// The pipeline of another thread. It ends when that thread closes it, or lets it go.
#[napi]
pub struct AttachedPipeline(Weak<SharedPipeline>);

/// Attaches to the pipeline that `share` gave an id, from any thread of the process.
#[napi]
pub fn attach_pipeline(id: f64) -> napi::Result<AttachedPipeline, ErrorCode> {
    guarded(|| {
        let found = lock(&PIPELINES).by_id.get(&count("id", id)?).cloned();
        found.map(AttachedPipeline).ok_or_else(ended)
    })
}

impl AttachedPipeline {
    fn shared(&self) -> Result<Arc<SharedPipeline>> {
        self.0.upgrade().ok_or_else(ended)
    }
}

#[napi]
impl AttachedPipeline {
    /// One batch, which no other thread gets, with its number among those of the pipeline (`sequence`) and the samples of the plan before it
    /// (`first`); none while there is none yet; `null` at the end.
    #[napi(ts_return_type = "(NativeBatch & { readonly sequence: number; readonly first: number })[] | null")]
    pub fn take<'env>(&self, env: &'env Env) -> napi::Result<Option<Vec<Object<'env>>>, ErrorCode> {
        let shared = guarded(|| self.shared())?;
        let (at, block) = match guarded(|| shared.take())? {
            Look::Batch(at, block) => (at, block),
            Look::Pending => return Ok(Some(Vec::new())),
            Look::Finished => return Ok(None),
        };
        let (sequence, first) = guarded(|| Ok((number(at.batches)?, number(at.rows)?)))?;
        batch::to_placed_object(env, block, shared.lend, sequence, first).map(|batch| Some(vec![batch]))
    }

    /// Fulfilled when `take` has something to say, unless another thread is quicker.
    #[napi]
    pub fn wait<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, ()>, ErrorCode> {
        let (signal, promise) = Signal::new(env)?;
        // Dropped where the pipeline has gone, which fulfils the promise.
        if let Some(shared) = self.0.upgrade() {
            shared.inner.on_ready(Box::new(move || signal.fulfil()));
        }
        Ok(promise)
    }

    /// The plan that is read, which names the rows.
    #[napi]
    pub fn plan(&self) -> napi::Result<Plan, ErrorCode> {
        guarded(|| self.shared()?.planned().cloned())
    }

    /// The schema of the batches, as an Arrow IPC stream without batches.
    #[napi(getter)]
    pub fn schema(&self) -> napi::Result<Uint8Array, ErrorCode> {
        guarded(|| Ok(Uint8Array::new(self.shared()?.planned()?.schema()?)))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is behind these locks is changed by code that can't panic half-way.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn ended() -> Error {
    Error::new(Code::Closed, "the pipeline is closed: start another one")
}

fn no_epoch() -> Error {
    Error::new(Code::Internal, "the rows of this pipeline are of no epoch")
}
