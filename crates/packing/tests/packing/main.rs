//! Packing against plain models and golden cases.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is how a test fails")]

mod arguments;
mod best_fit;
mod concat;
mod corpus;
mod estimate;
mod golden;
mod model;
mod resume;
mod state_checks;
