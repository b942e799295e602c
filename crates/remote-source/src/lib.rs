//! Rows of a table behind a server that knows rows by their ids: pinned to one version, found by one scan of row ids, read by takes.
//!
//! Knows neither the server's protocol nor its client: a [`RowService`] asks for rows, and its answers may come in any order.

mod answer;
mod scanning;
mod service;
mod snapshot;
mod source;
#[cfg(test)]
mod testing;

pub use answer::schema_of;
pub use service::{Request, RowService, ScanColumns};
pub use snapshot::{RemoteSnapshot, RemoteTable};
pub use source::{RemoteProjection, RemoteSource};
