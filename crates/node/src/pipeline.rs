//! A running read of a plan.

use std::sync::Arc;

use lance_loader_fetch::choosing::{ChoosingFetcher, PlanFacts};
use lance_loader_fetch::fetcher::Fetcher;
use lance_loader_fetch::memory::{FetchMode, MemoryFirstFetcher};
use lance_loader_fetch::permuted::RowsInOrder;
use lance_loader_fetch::pipeline::{PipelineOptions, RowPlan};
use lance_loader_fetch::scratch::ScratchOptions;
use lance_loader_order::{Code, Error, Result};
use napi::Env;
use napi::bindgen_prelude::{Object, PromiseRaw};
use napi_derive::napi;

use crate::batch;
use crate::convert::{count, number, size};
use crate::errors::{ErrorCode, guarded};
use crate::plan::Plan;
use crate::runtime::runtime;
use crate::shared::SharedPipeline;
use crate::table::TableData;
use crate::wait::Signal;

/// How a plan is read; nothing here changes which rows come or in which order.
#[napi(object, object_to_js = false)]
pub struct StartOptions {
    /// Samples of the plan to leave out at its beginning.
    pub skip: f64,
    /// Rows of a batch.
    pub batch_rows: f64,
    /// Rows that a split contributes to one read; by the size of a row when absent.
    pub read_batch_size: Option<f64>,
    /// Reads in flight.
    pub io_queue_depth: f64,
    /// Bytes of gathered batches that may wait.
    pub ready_bytes: f64,
    /// `auto`, `memory`, `scratch` or `take`.
    pub fetch: String,
    /// The folder of scratch files; no scratch when absent.
    pub scratch_dir: Option<String>,
    /// The most bytes of scratch.
    pub scratch_bytes: Option<f64>,
    /// Whether batches are lent to JavaScript instead of copied.
    pub lend_buffers: bool,
}

/// Batches of a plan: take what is there, else wait.
#[napi]
pub struct Pipeline(Arc<SharedPipeline>);

impl Pipeline {
    pub(crate) fn start(table: &Arc<TableData>, plan: &Plan, options: &StartOptions) -> Result<Self> {
        if !plan.is_of(table) {
            return Err(Error::new(Code::InvalidArgument, "the plan is of another table"));
        }
        let skip = count("skip", options.skip)?;
        let facts = PlanFacts {
            batch_rows: count("batchSize", options.batch_rows)?.max(1),
            run_rows: plan.run_rows(),
            splits: plan.owned().len() as u64,
            is_remote: table.is_remote(),
            cache_bytes: table.cache_bytes(),
            scratch: scratch_options(options)?,
        };
        let (mode, memory) = (fetch_mode(&options.fetch)?, table.memory_of(plan.chosen()));
        let fetcher = ChoosingFetcher::new(mode, &memory, facts, Box::new(plan.rows_from(skip)));
        Self::run(table, Box::new(plan.rows_from(skip)), Arc::new(fetcher), Some(plan), options)
    }

    /// Reads rows that no epoch plans.
    pub(crate) fn start_rows(
        table: &Arc<TableData>,
        rows: RowsInOrder,
        options: &StartOptions,
    ) -> Result<Self> {
        let fetcher = MemoryFirstFetcher::new(fetch_mode(&options.fetch)?, table.memory_of(None));
        Self::run(table, Box::new(rows), Arc::new(fetcher), None, options)
    }

    fn run(
        table: &Arc<TableData>,
        rows: Box<dyn RowPlan>,
        fetcher: Arc<dyn Fetcher>,
        plan: Option<&Plan>,
        options: &StartOptions,
    ) -> Result<Self> {
        let splits = plan.map_or(1, |plan| plan.owned().len() as u64);
        let rows_a_split = options.read_batch_size.map(|rows| count("readBatchSize", rows)).transpose()?;
        let pipeline_options = PipelineOptions {
            batch_rows: count("batchSize", options.batch_rows)?.max(1),
            window_rows: rows_a_split.map(|rows| rows.saturating_mul(splits).max(1)),
            io_queue_depth: size("ioQueueDepth", options.io_queue_depth)?.max(1),
            ready_bytes: count("readyBytes", options.ready_bytes)?,
        };
        let inner = lance_loader_fetch::pipeline::Pipeline::start(
            runtime()?,
            rows,
            fetcher,
            &table.budget,
            &table.statistics,
            pipeline_options,
        );
        let skip = count("skip", options.skip)?;
        Ok(Self(SharedPipeline::new(inner, options.lend_buffers, plan.cloned(), skip)))
    }
}

pub(crate) fn fetch_mode(name: &str) -> Result<FetchMode> {
    match name {
        "auto" => Ok(FetchMode::Auto),
        "memory" => Ok(FetchMode::Memory),
        "scratch" => Ok(FetchMode::Scratch),
        "take" => Ok(FetchMode::Take),
        _ => Err(Error::new(
            Code::InvalidArgument,
            format!("fetch is {name:?}: it must be \"auto\", \"memory\", \"scratch\" or \"take\""),
        )),
    }
}

pub(crate) const fn fetch_name(mode: FetchMode) -> &'static str {
    match mode {
        FetchMode::Auto => "auto",
        FetchMode::Memory => "memory",
        FetchMode::Scratch => "scratch",
        FetchMode::Take => "take",
    }
}

fn scratch_options(options: &StartOptions) -> Result<Option<ScratchOptions>> {
    let Some(folder) = &options.scratch_dir else { return Ok(None) };
    let max_bytes = count("scratchBytes", options.scratch_bytes.unwrap_or(0.0))?;
    Ok(Some(ScratchOptions { folder: folder.into(), max_bytes, required: false }))
}

#[napi]
impl Pipeline {
    /// The batches that are ready, up to `max_rows` rows; none while there is none yet; `null` at the end.
    #[napi(ts_return_type = "NativeBatch[] | null")]
    pub fn take<'env>(
        &self,
        env: &'env Env,
        max_rows: f64,
    ) -> napi::Result<Option<Vec<Object<'env>>>, ErrorCode> {
        let next = guarded(|| self.0.inner.take(count("maxRows", max_rows)?))?;
        batch::to_objects(env, next, self.0.lend)
    }

    /// Fulfilled when `take` has something to say.
    #[napi]
    pub fn wait<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, ()>, ErrorCode> {
        Signal::when(env, |waker| self.0.inner.on_ready(waker))
    }

    /// An id by which worker threads of this process attach to this pipeline, until it is closed. Those that do take its batches instead of
    /// this thread.
    #[napi]
    pub fn share(&self) -> napi::Result<f64, ErrorCode> {
        guarded(|| number(self.0.share()))
    }

    /// Cancels the reads and frees what waits; whoever waits is told. Closing again changes nothing.
    #[napi]
    pub fn close(&self) {
        self.0.close();
    }
}
