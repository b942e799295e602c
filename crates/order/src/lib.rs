//! The order of samples: pure integer arithmetic, no I/O, no async, no Arrow.

pub mod error;

pub use error::{Code, Error, Result};
