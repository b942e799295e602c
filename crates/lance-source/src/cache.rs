//! Data files of an object store, kept on local disk once they were read.

mod cached_store;
mod flights;

use std::sync::Arc;

use lance::io::WrappingObjectStore;
use lance_loader_fetch::cache::CacheFolder;
use object_store::ObjectStore;
use object_store::list::PaginatedListStore;

use cached_store::CachedStore;

/// Puts a cache before the object store of a table.
#[derive(Debug)]
pub(crate) struct Cached {
    folder: Arc<CacheFolder>,
}

impl Cached {
    pub(crate) const fn new(folder: Arc<CacheFolder>) -> Self {
        Self { folder }
    }
}

impl WrappingObjectStore for Cached {
    fn wrap(&self, store_prefix: &str, original: Arc<dyn ObjectStore>) -> Arc<dyn ObjectStore> {
        Arc::new(CachedStore::new(store_prefix, original, self.folder.clone()))
    }

    fn wrap_paginated(
        &self,
        _store_prefix: &str,
        original: Arc<dyn PaginatedListStore>,
    ) -> Option<Arc<dyn PaginatedListStore>> {
        Some(original)
    }
}
