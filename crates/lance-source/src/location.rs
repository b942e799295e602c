//! Where a table lies and which snapshot of it is wanted.

use std::collections::HashMap;
use std::sync::Arc;

use lance_loader_fetch::cache::CacheFolder;

/// The place of a table, the options of its object store, and the snapshot that is wanted.
#[derive(Clone, Debug, Default)]
pub struct Location {
    /// A local path or an object-store URI (`s3://`, `gs://`, `az://`, `file://`).
    pub uri: String,
    /// Options of the object store, by Lance's own names. They may hold secrets and are never printed.
    pub storage_options: HashMap<String, String>,
    /// The version; the newest one when absent.
    pub version: Option<u64>,
    /// The branch that `version` counts on; main when absent.
    pub branch: Option<String>,
    /// Where the data files of a table in an object store are kept once they were read.
    pub cache: Option<Arc<CacheFolder>>,
}

impl Location {
    /// Whether each read is a request to a server.
    pub fn is_remote(&self) -> bool {
        self.uri.split_once("://").is_some_and(|(scheme, _)| scheme != "file" && scheme != "memory")
    }
}
