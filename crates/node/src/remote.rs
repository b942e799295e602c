//! Tables behind a server, which JavaScript asks for rows.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::StreamExt;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::stream::BoxStream;
use lance_loader_lance_source::Blobs;
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::PermutationConfig;
use lance_loader_remote_source::{RemoteSnapshot, Request, RowService, ScanColumns, schema_of};
use napi::Status;
use napi::bindgen_prelude::{BigUint64Array, Function, Uint8Array};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;

use crate::base::Base;
use crate::convert::count;
use crate::errors::{ErrorCode, guarded};
use crate::job::Job;
use crate::opening::Opening;
use crate::permutation::{PermutationData, PermutationWork, SpillLimits};
use crate::stored::StoredPermutation;
use crate::table::TableData;

/// Calls JavaScript from any thread. Weak: it keeps no event loop alive, for whoever needs rows waits for them.
type Ask = ThreadsafeFunction<RemoteRequest, (), RemoteRequest, Status, false, true>;

/// Where the files of an answer go.
type Answers = UnboundedSender<Result<Vec<u8>>>;

struct JsService(Ask);

impl RowService for JsService {
    fn ask(&self, request: Request) -> BoxStream<'static, Result<Vec<u8>>> {
        let (answers, received) = unbounded();
        // A request that could not be passed on is dropped, which tells whoever waits.
        let request = RemoteRequest { request, answers: Mutex::new(Some(answers)) };
        self.0.call(request, ThreadsafeFunctionCallMode::NonBlocking);
        received.boxed()
    }
}

/// A request for rows, which JavaScript answers with any number of files, and then ends or fails.
#[napi]
pub struct RemoteRequest {
    request: Request,
    answers: Mutex<Option<Answers>>,
}

#[napi]
impl RemoteRequest {
    /// The row ids of a take; `null` for a scan.
    #[napi(getter)]
    pub fn row_ids(&self) -> Option<BigUint64Array> {
        match &self.request {
            Request::Take { row_ids, .. } => Some(BigUint64Array::new(row_ids.clone())),
            Request::Scan { .. } => None,
        }
    }

    /// The columns that are wanted beside the row id; `null` where an expression is.
    #[napi(getter)]
    pub fn columns(&self) -> Option<Vec<String>> {
        match &self.request {
            Request::Take { columns, .. } | Request::Scan { columns: ScanColumns::Named(columns), .. } => {
                Some(columns.clone())
            }
            Request::Scan { .. } => None,
        }
    }

    /// The name and the SQL of the expression that is wanted beside the row id.
    #[napi(getter, ts_return_type = "[name: string, sql: string] | null")]
    pub fn expression(&self) -> Option<Vec<String>> {
        match &self.request {
            Request::Scan { columns: ScanColumns::Expression { name, sql }, .. } => {
                Some(vec![name.clone(), sql.clone()])
            }
            _ => None,
        }
    }

    /// The condition of a scan.
    #[napi(getter)]
    pub fn filter(&self) -> Option<String> {
        match &self.request {
            Request::Scan { filter, .. } => filter.clone(),
            Request::Take { .. } => None,
        }
    }

    /// Whether anybody still waits for an answer.
    #[napi(getter)]
    pub fn is_wanted(&self) -> bool {
        self.answers().as_ref().is_some_and(|answers| !answers.is_closed())
    }

    /// Rows of the answer, as an Arrow IPC file.
    #[napi]
    pub fn answer(&self, file: Uint8Array) {
        if let Some(answers) = &*self.answers() {
            // Nobody may want it any more.
            let _ = answers.unbounded_send(Ok(file.to_vec()));
        }
    }

    /// The answer is complete.
    #[napi]
    pub fn end(&self) {
        self.answers().take();
    }

    /// There is no answer.
    #[napi]
    pub fn fail(&self, code: String, message: String, cause: Option<String>) {
        let code = Code::ALL.into_iter().find(|known| known.as_str() == code).unwrap_or(Code::Internal);
        let error = Error::new(code, message);
        self.give_up(match cause {
            Some(cause) => error.with_cause(Error::new(code, cause)),
            None => error,
        });
    }
}

impl RemoteRequest {
    fn answers(&self) -> MutexGuard<'_, Option<Answers>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give_up(&self, error: Error) {
        if let Some(answers) = self.answers().take() {
            // Nobody may want it any more.
            let _ = answers.unbounded_send(Err(error));
        }
    }
}

impl Drop for RemoteRequest {
    fn drop(&mut self) {
        self.give_up(Error::new(
            Code::Closed,
            "the thread that asks the server has ended: open the table anew",
        ));
    }
}

/// What is known of a remote table before its rows are.
#[napi(object, object_to_js = false)]
pub struct RemoteTableOptions {
    /// The database and the name of the table.
    pub identity: String,
    /// The version that is asked for.
    pub version: f64,
    /// The branch; main when absent.
    pub branch: Option<String>,
    /// The schema of an answer, as an Arrow IPC file.
    pub schema: Uint8Array,
}

/// A remote table at one version.
#[napi]
pub struct RemoteTable(lance_loader_remote_source::RemoteTable);

#[napi]
impl RemoteTable {
    /// `ask` is called for each request. It must not throw, and must not hold this object.
    #[napi(constructor)]
    pub fn new(
        options: RemoteTableOptions,
        ask: Function<'_, RemoteRequest, ()>,
    ) -> napi::Result<Self, ErrorCode> {
        let ask = ask.build_threadsafe_function().weak::<true>().build();
        guarded(|| {
            let ask = ask.map_err(|error| {
                Error::new(Code::Internal, format!("requests could not be passed to JavaScript: {error}"))
            })?;
            Ok(Self(lance_loader_remote_source::RemoteTable {
                service: Arc::new(JsService(ask)),
                identity: options.identity.into(),
                version: count("version", options.version)?,
                branch: options.branch,
                schema: schema_of(&options.schema)?,
            }))
        })
    }

    /// Begins to open the table.
    #[napi]
    pub fn open(&self, options: RemoteOpenOptions) -> napi::Result<Opening, ErrorCode> {
        guarded(|| {
            let (table, budget) = (self.0.clone(), count("memoryBudget", options.memory_budget)?);
            let blobs = if options.blob_descriptors { Blobs::Descriptors } else { Blobs::Bytes };
            // Columns that the table lacks need no scan to be found.
            table.projection(options.columns.as_deref(), options.blob_descriptors)?;
            Ok(Opening(Job::begin(async move {
                let base = Base::Remote(RemoteSnapshot::open(table, options.filter).await?);
                let source = base.source(options.columns.as_deref(), blobs)?;
                TableData::new(base, source, None, budget, options.shared_budget)
            })?))
        })
    }

    /// Begins to build a permutation of the table.
    #[napi]
    pub fn build_permutation(
        &self,
        config: String,
        limits: SpillLimits,
    ) -> napi::Result<PermutationWork, ErrorCode> {
        guarded(|| {
            let (table, config) = (self.0.clone(), PermutationConfig::from_json(&config)?);
            PermutationWork::begin(false, |stop| {
                let options = limits.options(&stop)?;
                Ok(async move {
                    let (snapshot, permutation) =
                        RemoteSnapshot::build(table, config.clone(), options).await?;
                    Ok(PermutationData::built(Base::Remote(snapshot), permutation, config))
                })
            })
        })
    }

    /// Begins to read a stored permutation of the table, which is at the version that the stored table names.
    #[napi]
    pub fn load_permutation(
        &self,
        stored: &StoredPermutation,
        limits: SpillLimits,
    ) -> napi::Result<PermutationWork, ErrorCode> {
        guarded(|| {
            let (table, stored) = (self.0.clone(), stored.snapshot().clone());
            PermutationWork::begin(false, |stop| {
                let options = limits.options(&stop)?;
                Ok(async move {
                    let base = Base::Remote(RemoteSnapshot::open(table, None).await?);
                    PermutationData::stored(base, &stored, options).await
                })
            })
        })
    }
}

/// How a remote table is opened.
#[napi(object, object_to_js = false)]
pub struct RemoteOpenOptions {
    /// The columns, all when absent.
    pub columns: Option<Vec<String>>,
    /// An SQL filter.
    pub filter: Option<String>,
    /// Whether blob-encoded columns come as descriptors: their bytes don't.
    pub blob_descriptors: bool,
    /// Bytes for windows, queues and rows kept in memory.
    pub memory_budget: f64,
    /// Whether that budget is the one which all tables of the process share.
    pub shared_budget: bool,
}
