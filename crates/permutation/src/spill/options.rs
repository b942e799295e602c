//! How much memory a build may take, where it goes on beyond that, and how it is ended.

use std::path::PathBuf;

use lance_loader_order::Result;

use super::stop::Stop;
use crate::error::invalid;

/// The memory and the temporary folder of a build, and what ends it. None of them changes what is built.
#[derive(Clone, Debug)]
pub struct SpillOptions {
    /// Bytes that lists of rows may take before they go to disk. Default: 100 MiB. Beside it a build takes some 600
    /// bytes a split.
    pub memory_limit: u64,
    /// The folder of the temporary files, which have no name and vanish with the process. Default: the system's.
    pub temp_dir: Option<PathBuf>,
    /// Ends the build; its temporary files vanish then. Default: one that nobody throws.
    pub stop: Stop,
}

impl Default for SpillOptions {
    fn default() -> Self {
        Self { memory_limit: 100 << 20, temp_dir: None, stop: Stop::default() }
    }
}

impl SpillOptions {
    /// Checks the values.
    pub(crate) fn validate(&self) -> Result<()> {
        if self.memory_limit == 0 {
            return Err(invalid("memoryLimit is 0; it must be at least 1 byte"));
        }
        Ok(())
    }

    /// The same with another limit, of at least 1 byte.
    pub(super) fn with_limit(&self, memory_limit: u64) -> Self {
        Self { memory_limit: memory_limit.max(1), ..self.clone() }
    }
}
