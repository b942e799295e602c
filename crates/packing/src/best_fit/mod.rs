//! Whole-document packing: a window of documents is planned at once, then written block by block.

mod first_fit;
mod plan;

pub(crate) use plan::{Plan, WindowPieces};
