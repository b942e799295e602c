//! An open table: one snapshot, one projection, one filter.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_schema::Schema;
use lance_loader_fetch::budget::Budget;
use lance_loader_fetch::chosen::Chosen;
use lance_loader_fetch::column::delivered_schema;
use lance_loader_fetch::memory::MemoryTable;
use lance_loader_fetch::source::RowSource;
use lance_loader_fetch::statistics::Statistics;
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::RowSet;
use napi::bindgen_prelude::{BigInt, Uint8Array};
use napi_derive::napi;

use crate::base::Base;
use crate::convert::number;
use crate::errors::{ErrorCode, guarded};
use crate::packing::{Estimating, Packing, PackingOptions};
use crate::permutation::{PermutationHandle, PermutationRows};
use crate::pipeline::{Pipeline, StartOptions, fetch_name};
use crate::plan::{Plan, PlanOptions};
use crate::runtime::shared_budget;

/// What an open table holds.
pub(crate) struct TableData {
    /// None for a mixture, which is of several.
    base: Option<Base>,
    pub(crate) source: Arc<dyn RowSource>,
    pub(crate) eligible: Option<Arc<RowSet>>,
    memory: Arc<MemoryTable>,
    pub(crate) budget: Budget,
    pub(crate) statistics: Arc<Statistics>,
    /// The rows in memory of the permutation that is read, shared by its epochs.
    chosen: Mutex<Option<(Chosen, Arc<MemoryTable>)>>,
    /// The delivered schema as an Arrow IPC stream without batches.
    pub(crate) schema: Vec<u8>,
}

impl TableData {
    pub(crate) fn new(
        base: impl Into<Option<Base>>,
        source: Arc<dyn RowSource>,
        eligible: Option<Arc<RowSet>>,
        memory_budget: u64,
        shared: bool,
    ) -> Result<Self> {
        let budget = if shared { shared_budget(memory_budget) } else { Budget::new(memory_budget) };
        let statistics = Arc::new(Statistics::default());
        let memory = MemoryTable::new(source.clone(), eligible.clone(), budget.clone(), statistics.clone());
        let schema = schema_bytes(source.as_ref())?;
        let (base, memory, chosen) = (base.into(), Arc::new(memory), Mutex::new(None));
        Ok(Self { base, source, eligible, memory, budget, statistics, chosen, schema })
    }

    /// The memory for plans over a permutation, which earlier plans over the same one share; without one for all other plans.
    pub(crate) fn memory_of(&self, chosen: Option<&Chosen>) -> Arc<MemoryTable> {
        let Some(chosen) = chosen else { return self.memory.clone() };
        let mut last = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, memory)) = last.as_ref()
            && known.is_same(chosen)
        {
            return memory.clone();
        }
        let (source, budget) = (self.source.clone(), self.budget.clone());
        let memory = MemoryTable::new(source, None, budget, self.statistics.clone()).of(chosen.clone());
        let memory = Arc::new(memory);
        *last = Some((chosen.clone(), memory.clone()));
        memory
    }

    /// The one snapshot that the rows are of.
    pub(crate) fn base(&self) -> Result<&Base> {
        let mixed =
            || Error::new(Code::InvalidArgument, "a mixture is of several tables: ask one of its datasets");
        self.base.as_ref().ok_or_else(mixed)
    }

    /// Whether each read is a request to a server.
    pub(crate) fn is_remote(&self) -> bool {
        self.base.as_ref().is_some_and(Base::is_remote)
    }

    /// Bytes of the table that local disk keeps once they were read.
    pub(crate) fn cache_bytes(&self) -> u64 {
        self.base.as_ref().map_or(0, Base::cache_bytes)
    }

    /// The number of eligible rows: all live rows, or those that the filter kept.
    pub(crate) fn num_rows(&self) -> u64 {
        self.eligible.as_ref().map_or_else(|| self.source.num_rows(), |eligible| eligible.len())
    }
}

/// The delivered schema as an Arrow IPC stream without batches.
fn schema_bytes(source: &dyn RowSource) -> Result<Vec<u8>> {
    ipc_schema(&delivered_schema(&source.schema())?)
}

/// A schema as an Arrow IPC stream without batches.
pub(crate) fn ipc_schema(schema: &Schema) -> Result<Vec<u8>> {
    let failed = |error: arrow_schema::ArrowError| {
        Error::new(
            Code::UnsupportedType,
            format!("the table's schema can't be written as Arrow IPC: {error}"),
        )
        .with_cause(error)
    };
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), schema).map_err(failed)?;
    writer.finish().map_err(failed)?;
    writer.into_inner().map_err(failed)
}

/// Counters of a table's reads.
#[napi(object, object_from_js = false)]
pub struct TableStatistics {
    /// Bytes of rows that were read, as they lie in memory.
    pub bytes_loaded: f64,
    /// Rows that were read.
    pub rows_loaded: f64,
    /// Seconds that reads took, summed over reads that ran side by side.
    pub fetch_time: f64,
    /// Rows of the running plan of which no read was started yet.
    pub unscanned_rows: f64,
    /// Rows that are being read, or wait to be gathered.
    pub raw_rows: f64,
    /// Rows that are gathered and wait.
    pub ready_rows: f64,
    /// Bytes that are admitted to the budget.
    pub budget_used: f64,
    /// How the last plan is read: `memory`, `scratch` or `take`; absent until that is decided.
    pub fetch: Option<String>,
    /// Why.
    pub fetch_reason: Option<String>,
}

/// One snapshot of a table with one projection and one filter.
#[napi]
pub struct Table {
    data: Mutex<Option<Arc<TableData>>>,
}

impl Table {
    pub(crate) fn new(data: TableData) -> Self {
        Self { data: Mutex::new(Some(Arc::new(data))) }
    }

    pub(crate) fn data(&self) -> Result<Arc<TableData>> {
        let data = self.data.lock().unwrap_or_else(PoisonError::into_inner);
        data.clone().ok_or_else(closed)
    }
}

pub(crate) fn closed() -> Error {
    Error::new(Code::Closed, "the dataset is closed: open it again")
}

#[napi]
impl Table {
    /// The version that is pinned.
    #[napi(getter)]
    pub fn version(&self) -> napi::Result<f64, ErrorCode> {
        guarded(|| number(self.data()?.base()?.version()))
    }

    /// The branch; `null` is main.
    #[napi(getter)]
    pub fn branch(&self) -> napi::Result<Option<String>, ErrorCode> {
        guarded(|| Ok(self.data()?.base()?.branch().map(ToString::to_string)))
    }

    /// The digest of the data files' names.
    #[napi(getter)]
    pub fn identity(&self) -> napi::Result<String, ErrorCode> {
        guarded(|| Ok(self.data()?.base()?.identity().to_string()))
    }

    /// The number of eligible rows.
    #[napi(getter)]
    pub fn num_rows(&self) -> napi::Result<f64, ErrorCode> {
        guarded(|| number(self.data()?.num_rows()))
    }

    /// The schema of the batches, as an Arrow IPC stream without batches.
    #[napi(getter)]
    pub fn schema(&self) -> napi::Result<Uint8Array, ErrorCode> {
        guarded(|| Ok(Uint8Array::new(self.data()?.schema.clone())))
    }

    /// The counters of all reads of this table.
    #[napi]
    pub fn statistics(&self) -> napi::Result<TableStatistics, ErrorCode> {
        guarded(|| {
            let data = self.data()?;
            let reading = data.statistics.read();
            let choice = data.statistics.choice();
            let fetch = choice.as_ref().map(|choice| fetch_name(choice.mode).to_string());
            Ok(TableStatistics {
                bytes_loaded: number(reading.bytes_loaded)?,
                rows_loaded: number(reading.rows_loaded)?,
                fetch_time: reading.fetch_time.as_secs_f64(),
                unscanned_rows: number(reading.unscanned_rows)?,
                raw_rows: number(reading.raw_rows)?,
                ready_rows: number(reading.ready_rows)?,
                budget_used: number(data.budget.used())?,
                fetch,
                fetch_reason: choice.map(|choice| choice.reason),
            })
        })
    }

    /// The plan of an epoch.
    #[napi]
    pub fn plan(&self, options: PlanOptions) -> napi::Result<Plan, ErrorCode> {
        guarded(|| Plan::new(&self.data()?, &options))
    }

    /// The plan of an epoch over the rows of a permutation of this table.
    #[napi]
    pub fn plan_rows(&self, rows: &PermutationRows, options: PlanOptions) -> napi::Result<Plan, ErrorCode> {
        guarded(|| {
            let data = self.data()?;
            rows.check_table(data.base()?)?;
            Plan::of_rows(&data, rows.rows(), &options)
        })
    }

    /// The plan of an epoch over all splits of a permutation of this table.
    #[napi]
    pub fn plan_splits(
        &self,
        permutation: &PermutationHandle,
        options: PlanOptions,
    ) -> napi::Result<Plan, ErrorCode> {
        guarded(|| {
            let data = self.data()?;
            permutation.check_table(data.base()?)?;
            Plan::of_splits(&data, permutation.permutation(), &options)
        })
    }

    /// Starts to read the rows of a permutation of this table: all of them, or those at `offsets`.
    #[napi]
    pub fn start_rows(
        &self,
        rows: &PermutationRows,
        offsets: Option<Vec<f64>>,
        options: StartOptions,
    ) -> napi::Result<Pipeline, ErrorCode> {
        guarded(|| {
            let data = self.data()?;
            rows.check_table(data.base()?)?;
            Pipeline::start_rows(&data, rows.plan(offsets)?, &options)
        })
    }

    /// Starts to read a plan of this table.
    #[napi]
    pub fn start(&self, plan: &Plan, options: StartOptions) -> napi::Result<Pipeline, ErrorCode> {
        guarded(|| Pipeline::start(&self.data()?, plan, &options))
    }

    /// The packing of a plan's documents.
    #[napi]
    pub fn packing(&self, plan: &Plan, options: PackingOptions) -> napi::Result<Packing, ErrorCode> {
        guarded(|| Packing::new(&self.data()?, plan, &options))
    }

    /// Begins to estimate the blocks of an epoch from a sample of a plan of epoch 0.
    #[napi]
    pub fn estimate_blocks(
        &self,
        plan: &Plan,
        options: PackingOptions,
        seed: BigInt,
    ) -> napi::Result<Estimating, ErrorCode> {
        guarded(|| Estimating::start(&self.data()?, plan, &options, &seed))
    }

    /// Lets the snapshot, the rows in memory and the counters go once running pipelines have ended. Closing again changes nothing.
    #[napi]
    pub fn close(&self) {
        let data = self.data.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(data);
    }
}
