//! Several sources as one: their rows under one numbering, and the order in which a mixture takes them.

mod order;
mod source;

pub use order::{EpochOrders, MixtureEpoch, MixtureOrder, MixturePart};
pub use source::UnionSource;
