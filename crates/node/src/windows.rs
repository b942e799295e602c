//! The reads of a table, one by one, for who watches them.

use napi_derive::napi;

use crate::convert::number;
use crate::errors::{ErrorCode, guarded};
use crate::table::Table;

/// A read that has finished.
#[napi(object, object_from_js = false)]
pub struct FinishedWindow {
    /// The rows that were read.
    pub rows: f64,
    /// Their bytes, as they lie in memory.
    pub bytes: f64,
    /// Seconds that it took.
    pub seconds: f64,
}

#[napi]
impl Table {
    /// The reads that have finished since the last call; the first call begins to count.
    #[napi]
    pub fn finished_windows(&self) -> napi::Result<Vec<FinishedWindow>, ErrorCode> {
        guarded(|| {
            let finished = self.data()?.statistics.take_finished();
            let window = |read: lance_loader_fetch::statistics::FinishedRead| {
                let (rows, bytes) = (number(read.rows)?, number(read.bytes)?);
                Ok(FinishedWindow { rows, bytes, seconds: read.took.as_secs_f64() })
            };
            finished.into_iter().map(window).collect()
        })
    }
}
