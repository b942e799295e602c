//! The threads of the addon, and what all its tables share.

use std::sync::OnceLock;

use lance_loader_fetch::budget::Budget;
use lance_loader_order::{Code, Error, Result};
use tokio::runtime::{Builder, Handle, Runtime};

static RUNTIME: OnceLock<std::io::Result<Runtime>> = OnceLock::new();
static SHARED_BUDGET: OnceLock<Budget> = OnceLock::new();

/// The runtime of the process, started at the first use and never stopped.
///
/// It outlives every JavaScript environment, so that worker threads may load and leave the addon in any order. Its threads sleep when
/// nothing is read, and do not keep the process alive.
pub(crate) fn runtime() -> Result<&'static Handle> {
    let started = RUNTIME.get_or_init(|| {
        keep_freed_buffers();
        let threads = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
        // With what a scan reads ahead kept small, fewer threads that read files were found to hold less memory: see docs/design/fetching.md.
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(threads).max_blocking_threads(2 * threads);
        builder.thread_name("lance-loader").enable_all().build()
    });
    match started {
        Ok(runtime) => Ok(runtime.handle()),
        Err(error) => {
            Err(Error::new(Code::Internal, format!("the loader's threads could not be started: {error}")))
        }
    }
}

/// Frees one large buffer, of which nothing was touched.
///
/// The C library of Linux (`glibc`) gives freed memory back to the system at once, to get it page by page at the next read, until it has seen that buffers
/// as large as these come and go: see `M_MMAP_THRESHOLD` in mallopt(3). Elsewhere this does nothing.
fn keep_freed_buffers() {
    const LARGEST: usize = 16 << 20;
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGEST)));
}

/// The budget of all tables that have none of their own. The first caller sets its limit.
pub(crate) fn shared_budget(limit: u64) -> Budget {
    SHARED_BUDGET.get_or_init(|| Budget::new(limit)).clone()
}
