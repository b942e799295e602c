//! Promises that say when to look.

use lance_loader_fetch::ready_queue::Waker;
use napi::bindgen_prelude::PromiseRaw;
use napi::{Env, JsDeferred, JsValue};

use crate::errors::{ErrorCode, from_napi};

type Settle = fn(Env) -> napi::Result<()>;

/// Settles a promise of the environment it was made in, from any thread. Dropped unused, it settles too.
pub(crate) struct Signal(Option<JsDeferred<(), Settle>>);

impl Signal {
    /// A promise and what fulfils it. A pending one keeps the event loop alive: somebody waits for it.
    pub(crate) fn new(env: &Env) -> napi::Result<(Self, PromiseRaw<'_, ()>), ErrorCode> {
        let (deferred, promise) = env.create_deferred::<(), Settle>().map_err(|error| from_napi(&error))?;
        Ok((Self(Some(deferred)), PromiseRaw::new(env.raw(), promise.raw())))
    }

    /// A promise that is fulfilled when a queue calls the waker that it is given.
    pub(crate) fn when(env: &Env, queue: impl FnOnce(Waker)) -> napi::Result<PromiseRaw<'_, ()>, ErrorCode> {
        let (signal, promise) = Self::new(env)?;
        queue(Box::new(move || signal.fulfil()));
        Ok(promise)
    }

    pub(crate) fn fulfil(self) {
        drop(self);
    }
}

impl Drop for Signal {
    fn drop(&mut self) {
        if let Some(deferred) = self.0.take() {
            deferred.resolve(|_| Ok(()));
        }
    }
}
