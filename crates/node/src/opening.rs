//! A table that is being opened.

use std::collections::HashMap;
use std::sync::Arc;

use lance_loader_fetch::cache::CacheFolder;
use lance_loader_lance_source::{Blobs, Location};
use lance_loader_order::Result;
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;

use crate::base::Base;
use crate::convert::count;
use crate::errors::{ErrorCode, guarded};
use crate::job::Job;
use crate::table::{Table, TableData};

/// What is opened.
#[napi(object, object_to_js = false)]
pub struct OpenOptions {
    /// A path or an object-store URI.
    pub uri: String,
    /// Options of the object store.
    pub storage_options: Option<HashMap<String, String>>,
    /// The version; the newest one when absent.
    pub version: Option<f64>,
    /// The branch; main when absent.
    pub branch: Option<String>,
    /// The columns, all when absent.
    pub columns: Option<Vec<String>>,
    /// An SQL filter.
    pub filter: Option<String>,
    /// Whether blob-encoded columns come as descriptors instead of bytes.
    pub blob_descriptors: Option<bool>,
    /// The folder in which data files of an object store are kept once they were read; none when absent.
    pub cache_dir: Option<String>,
    /// The most bytes of that folder.
    pub cache_bytes: Option<f64>,
    /// Bytes for windows, queues and rows kept in memory.
    pub memory_budget: f64,
    /// Whether that budget is the one which all tables of the process share.
    pub shared_budget: bool,
}

struct OpenRequest {
    location: Location,
    columns: Option<Vec<String>>,
    filter: Option<String>,
    blobs: Blobs,
    memory_budget: u64,
    shared_budget: bool,
}

impl OpenRequest {
    fn new(options: OpenOptions) -> Result<Self> {
        let version = options.version.map(|version| count("version", version)).transpose()?;
        let blobs = if options.blob_descriptors == Some(true) { Blobs::Descriptors } else { Blobs::Bytes };
        let mut location = Location {
            uri: options.uri,
            storage_options: options.storage_options.unwrap_or_default(),
            version,
            branch: options.branch,
            cache: None,
        };
        if let Some(folder) = options.cache_dir.filter(|_| location.is_remote()) {
            let bytes = count("cacheBytes", options.cache_bytes.unwrap_or(0.0))?;
            location.cache = Some(CacheFolder::open(folder.as_ref(), bytes)?);
        }
        Ok(Self {
            location,
            columns: options.columns,
            filter: options.filter,
            blobs,
            memory_budget: count("memoryBudget", options.memory_budget)?,
            shared_budget: options.shared_budget,
        })
    }

    async fn run(self) -> Result<TableData> {
        let columns = self.columns.as_deref();
        let snapshot = lance_loader_lance_source::Snapshot::open(self.location).await?;
        let base = Base::Files(snapshot.clone());
        let source = base.source(columns, self.blobs)?;
        let eligible = match &self.filter {
            Some(filter) => Some(Arc::new(snapshot.filter(filter).await?)),
            None => None,
        };
        TableData::new(base, source, eligible, self.memory_budget, self.shared_budget)
    }
}

/// A table that is being opened: wait, then finish.
#[napi]
pub struct Opening(pub(crate) Job<TableData>);

/// Begins to open a table.
#[napi]
pub fn open(options: OpenOptions) -> napi::Result<Opening, ErrorCode> {
    guarded(|| Ok(Opening(Job::begin(OpenRequest::new(options)?.run())?)))
}

#[napi]
impl Opening {
    /// Fulfilled when `finish` has an answer. Waited for once.
    #[napi]
    pub fn wait<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, ()>, ErrorCode> {
        self.0.wait(env)
    }

    /// The table, or why it could not be opened. Asked once.
    #[napi]
    pub fn finish(&self) -> napi::Result<Table, ErrorCode> {
        guarded(|| Ok(Table::new(self.0.finish()?)))
    }

    /// Stops opening; whoever waits is told.
    #[napi]
    pub fn cancel(&self) {
        self.0.cancel("opening the table");
    }
}
