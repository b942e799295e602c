//! Sequence packing over the documents of a plan.

mod estimating;
mod options;
mod pipeline;
mod plan;

pub use estimating::Estimating;
pub use options::PackingOptions;
pub use plan::Packing;
