//! A running read of packed blocks.

use lance_loader_fetch::packing::PackPipeline;
use napi::Env;
use napi::bindgen_prelude::{Object, PromiseRaw};
use napi_derive::napi;

use super::plan::{PackingStatistics, statistics, to_json};
use crate::batch;
use crate::convert::count;
use crate::errors::{ErrorCode, guarded};
use crate::wait::Signal;

/// Batches of blocks: take what is there, else wait. Its state can be asked for after it is closed, too.
#[napi]
pub struct PackedPipeline {
    inner: PackPipeline,
    lend: bool,
}

impl PackedPipeline {
    pub(super) fn new(inner: PackPipeline, lend: bool) -> Self {
        Self { inner, lend }
    }
}

#[napi]
impl PackedPipeline {
    /// The batches that are ready, up to `max_blocks` blocks; none while there is none yet; `null` at the end. The consumer was handed
    /// `handed` blocks of this read.
    #[napi(ts_return_type = "NativeBatch[] | null")]
    pub fn take<'env>(
        &self,
        env: &'env Env,
        max_blocks: f64,
        handed: f64,
    ) -> napi::Result<Option<Vec<Object<'env>>>, ErrorCode> {
        let next = guarded(|| self.inner.take(count("maxBlocks", max_blocks)?, count("handed", handed)?))?;
        batch::to_objects(env, next, self.lend)
    }

    /// Fulfilled when `take` has something to say.
    #[napi]
    pub fn wait<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, ()>, ErrorCode> {
        Signal::when(env, |waker| self.inner.on_ready(waker))
    }

    /// The state once the consumer was handed `handed` blocks of this read, as JSON.
    #[napi]
    pub fn state(&self, handed: f64) -> napi::Result<String, ErrorCode> {
        guarded(|| to_json(&self.inner.state(count("handed", handed)?)?))
    }

    /// The totals at the same point.
    #[napi]
    pub fn statistics(&self, handed: f64) -> napi::Result<PackingStatistics, ErrorCode> {
        guarded(|| statistics(&self.inner.stats(count("handed", handed)?)?))
    }

    /// Cancels the reads and frees what waits; whoever waits is told. Closing again changes nothing.
    #[napi]
    pub fn close(&self) {
        self.inner.close();
    }
}
