//! Promises that say when to look.

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
