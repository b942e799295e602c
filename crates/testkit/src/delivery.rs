//! What a pipeline delivers.

use std::time::{Duration, Instant};

use lance_loader_fetch::gather::Block;
use lance_loader_fetch::pipeline::Pipeline;
use lance_loader_fetch::ready_queue::Next;
use lance_loader_order::{Code, Error, Result};
use tokio::sync::oneshot;

/// How long a test waits for what must come: what takes longer hangs.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// The next batches of `pipeline`, up to `max_rows` rows, or `None` at the end; waits as a consumer does.
///
/// # Errors
/// The pipeline's, and `Aborted` if nothing comes for [`PATIENCE`].
pub async fn next(pipeline: &Pipeline, max_rows: u64) -> Result<Option<Vec<Block>>> {
    loop {
        match pipeline.take(max_rows)? {
            Next::Batches(blocks) => return Ok(Some(blocks)),
            Next::Finished => return Ok(None),
            Next::Pending => ready(pipeline).await?,
        }
    }
}

async fn ready(pipeline: &Pipeline) -> Result<()> {
    let (sender, receiver) = oneshot::channel();
    pipeline.on_ready(Box::new(move || {
        // A test that no longer waits has failed already.
        let _ = sender.send(());
    }));
    let hangs = || Error::new(Code::Aborted, "the pipeline was not ready in time, or dropped its waker");
    tokio::time::timeout(PATIENCE, receiver).await.ok().and_then(std::result::Result::ok).ok_or_else(hangs)
}

/// All batches of `pipeline`, and the error that ended it, if one did.
pub async fn drain(pipeline: &Pipeline) -> (Vec<Block>, Option<Error>) {
    let mut blocks = Vec::new();
    loop {
        match next(pipeline, 1).await {
            Ok(Some(more)) => blocks.extend(more),
            Ok(None) => return (blocks, None),
            Err(error) => return (blocks, Some(error)),
        }
    }
}

/// Waits until `condition` holds: for what other tasks do in their own time.
///
/// # Panics
/// If it does not hold within [`PATIENCE`].
pub async fn eventually(condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < PATIENCE, "what was waited for did not come to pass");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
