//! What the Rust tests share: a table that is a function of the ordinal, a fake source over it, a pipeline on a bench.
//!
//! A dev-dependency only. Knows neither Lance nor JavaScript, and needs no clock to be faked: a [`FakeSource`] that is held lets
//! its reads go when the test says so, in the order in which it says so.

mod bench;
mod counts;
mod delivery;
mod fault;
mod gate;
mod rows;
mod source;
mod source_builder;
mod table;

pub use bench::Bench;
pub use counts::Counts;
pub use delivery::{PATIENCE, drain, eventually, next};
pub use fault::{Fault, Trigger};
pub use rows::ListedRows;
pub use source::FakeSource;
pub use source_builder::FakeSourceBuilder;
pub use table::{TestColumn, TestTable};
