//! A switch that ends work from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lance_loader_order::{Code, Error, Result};

/// Ends the work that holds a clone of it, soon after it was thrown. It is never thrown back.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Throws it.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work may go on.
    ///
    /// # Errors
    /// `ABORTED` once it was thrown.
    pub fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) {
            return Err(Error::new(Code::Aborted, "the work on a permutation was aborted"));
        }
        Ok(())
    }
}
