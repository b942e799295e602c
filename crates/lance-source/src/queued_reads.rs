//! Takes of many rows of a local table through one queue of the kernel.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lance::Dataset;
use tokio::sync::OnceCell;

use crate::Location;
use crate::snapshot::open_dataset;

/// Fewer rows than this are as fast without the queue.
const LEAST_ROWS: usize = 128;

/// A second view of a local table, whose reads go through `io_uring`: where each row is a read of its own, handing them to threads one by one costs
/// several times what the reads cost.
///
/// Only for takes: a scan has few reads. Opened at the second take, since somebody waits for the first one; where the kernel, or a container,
/// refuses, takes go on without it.
#[derive(Debug)]
pub(crate) struct QueuedReads {
    /// `None` where the table is not local.
    location: Option<Location>,
    dataset: OnceCell<Option<Arc<Dataset>>>,
    began: AtomicBool,
    refused: AtomicBool,
}

impl QueuedReads {
    /// For the table at `location`, opened at `version`.
    pub(crate) fn new(location: &Location, version: u64) -> Self {
        let uri = queue_uri(&location.uri).filter(|_| cfg!(target_os = "linux"));
        let location = uri.map(|uri| Location { uri, version: Some(version), ..location.clone() });
        Self {
            location,
            dataset: OnceCell::new(),
            began: AtomicBool::new(false),
            refused: AtomicBool::new(false),
        }
    }

    /// The table for a take of `rows` rows, where that is worth it and not refused.
    pub(crate) async fn dataset(&self, rows: usize) -> Option<Arc<Dataset>> {
        let location = self.location.as_ref()?;
        let first = !self.began.swap(true, Ordering::Relaxed);
        if first || rows < LEAST_ROWS || self.refused.load(Ordering::Relaxed) {
            return None;
        }
        let open = || async { open_dataset(location, location.version).await.ok().map(Arc::new) };
        self.dataset.get_or_init(open).await.clone()
    }

    /// A take failed: whatever the reason was, later ones go the usual way.
    pub(crate) fn refuse(&self) {
        self.refused.store(true, Ordering::Relaxed);
    }
}

/// The same local place under the scheme of the queue; `None` for what is not local.
fn queue_uri(uri: &str) -> Option<String> {
    if let Some(path) = uri.strip_prefix("file://").filter(|path| path.starts_with('/')) {
        return Some(format!("file+uring://{path}"));
    }
    if uri.contains("://") {
        return None;
    }
    let path = std::path::absolute(Path::new(uri)).ok()?;
    let encode = |byte: u8| match byte {
        b'/' | b'-' | b'_' | b'.' | b'~' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    };
    Some(format!("file+uring://{}", path.to_str()?.bytes().map(encode).collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_local_places_are_read_through_the_queue() {
        assert_eq!(queue_uri("/a b/ä%.lance").unwrap(), "file+uring:///a%20b/%C3%A4%25.lance");
        assert_eq!(queue_uri("file:///a%20b").unwrap(), "file+uring:///a%20b");
        assert!(queue_uri("x.lance").unwrap().starts_with("file+uring:///"));
        assert_eq!(
            [queue_uri("s3://a/b"), queue_uri("file://host/a"), queue_uri("memory://a")],
            [None, None, None]
        );
    }
}
