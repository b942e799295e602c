//! Background work that ends with its owner.

use std::future::Future;

use lance_loader_order::{Code, Error, Result};
use tokio::runtime::Handle;
use tokio::task::{JoinError, JoinHandle};

/// A spawned task that is cancelled when this is dropped.
#[derive(Debug)]
pub struct OwnedTask<T>(JoinHandle<Result<T>>);

impl<T: Send + 'static> OwnedTask<T> {
    /// Begins `work` on the threads of `runtime`.
    pub fn spawn(runtime: &Handle, work: impl Future<Output = Result<T>> + Send + 'static) -> Self {
        Self(runtime.spawn(work))
    }

    /// Waits for the result; a panic of the task is an `Internal` error.
    pub async fn join(mut self) -> Result<T> {
        match (&mut self.0).await {
            Ok(result) => result,
            Err(error) => Err(failed(error)),
        }
    }

    /// Stops it at its next point of waiting.
    pub fn cancel(&self) {
        self.0.abort();
    }
}

impl<T> Drop for OwnedTask<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Begins work that blocks or computes for long on a thread of its own. It is not stopped half-way when what waits for it is dropped.
pub(crate) fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> impl Future<Output = Result<T>> + Send {
    let begun = tokio::task::spawn_blocking(work);
    async move { begun.await.unwrap_or_else(|error| Err(failed(error))) }
}

fn failed(error: JoinError) -> Error {
    if error.is_cancelled() {
        return Error::new(Code::Aborted, "the read was cancelled");
    }
    let panic = error.into_panic();
    let text = panic
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned());
    Error::new(
        Code::Internal,
        format!(
            "a background task of the loader panicked: {}. Please report this",
            text.unwrap_or_else(|| "(no message)".to_string())
        ),
    )
}
