//! A table that is being opened.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use lance_loader_lance_source::{Blobs, Location};
use lance_loader_order::{Code, Error, Result};
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;
use tokio::task::AbortHandle;

use crate::convert::count;
use crate::errors::{ErrorCode, guarded, panicked};
use crate::runtime::runtime;
use crate::table::{Table, TableData};
use crate::wait::Signal;

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
        Ok(Self {
            location: Location {
                uri: options.uri,
                storage_options: options.storage_options.unwrap_or_default(),
                version,
                branch: options.branch,
            },
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
        let source = snapshot.source(columns, self.blobs)?;
        let eligible = match &self.filter {
            Some(filter) => Some(Arc::new(snapshot.filter(filter).await?)),
            None => None,
        };
        TableData::new(snapshot, Arc::new(source), eligible, self.memory_budget, self.shared_budget)
    }
}

#[derive(Default)]
struct Slot {
    result: Option<Result<TableData>>,
    settled: bool,
    signal: Option<Signal>,
}

/// A table that is being opened: wait, then finish.
#[napi]
pub struct Opening {
    slot: Arc<Mutex<Slot>>,
    task: AbortHandle,
}

/// Begins to open a table.
#[napi]
pub fn open(options: OpenOptions) -> napi::Result<Opening, ErrorCode> {
    guarded(|| {
        let request = OpenRequest::new(options)?;
        let slot = Arc::new(Mutex::new(Slot::default()));
        let filled = slot.clone();
        let task = runtime()?.spawn(async move {
            let result = std::panic::AssertUnwindSafe(request.run()).catch_unwind().await;
            settle(&filled, result.unwrap_or_else(|panic| Err(panicked(panic.as_ref()))));
        });
        Ok(Opening { slot, task: task.abort_handle() })
    })
}

fn settle(slot: &Mutex<Slot>, result: Result<TableData>) {
    let mut slot = lock(slot);
    if slot.settled {
        return;
    }
    slot.settled = true;
    slot.result = Some(result);
    let signal = slot.signal.take();
    drop(slot);
    if let Some(signal) = signal {
        signal.fulfil();
    }
}

fn lock(slot: &Mutex<Slot>) -> MutexGuard<'_, Slot> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

#[napi]
impl Opening {
    /// Fulfilled when `finish` has an answer. Waited for once.
    #[napi]
    pub fn wait<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, ()>, ErrorCode> {
        let (signal, promise) = Signal::new(env)?;
        let mut slot = lock(&self.slot);
        if slot.settled {
            drop(slot);
            signal.fulfil();
        } else {
            slot.signal = Some(signal);
        }
        Ok(promise)
    }

    /// The table, or why it could not be opened. Asked once.
    #[napi]
    pub fn finish(&self) -> napi::Result<Table, ErrorCode> {
        guarded(|| {
            let result = lock(&self.slot).result.take();
            let data = result.unwrap_or_else(|| {
                Err(Error::new(Code::Internal, "a table was asked for before it was open, or more than once"))
            })?;
            Ok(Table::new(data))
        })
    }

    /// Stops opening; whoever waits is told.
    #[napi]
    pub fn cancel(&self) {
        self.task.abort();
        settle(&self.slot, Err(Error::new(Code::Aborted, "opening the table was aborted")));
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        self.task.abort();
    }
}
