//! The packing of one epoch, for one rank and worker.

use std::sync::{Arc, Weak};

use lance_loader_fetch::choosing::{ChoosingFetcher, PlanFacts};
use lance_loader_fetch::chosen::Chosen;
use lance_loader_fetch::packing::{
    BlockColumns, DocumentPlan, PackPipeline, PackReadOptions, PackSource, RowNames, TokenDtype,
    check_token_column, packed_schema,
};
use lance_loader_order::{Code, Error, Result};
use lance_loader_packing::{PackOptions, PackState, PackStats, Packer, Token, merge_pack_states};
use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;

use super::options::PackingOptions;
use super::pipeline::PackedPipeline;
use crate::convert::{count, number, size};
use crate::errors::{ErrorCode, guarded};
use crate::pipeline::{StartOptions, fetch_mode};
use crate::plan::Plan;
use crate::runtime::runtime;
use crate::table::{TableData, closed, ipc_schema};

/// Options, and the documents of every split: what a state is checked against. It holds nothing of the table.
#[napi]
pub struct Packing {
    options: PackOptions,
    dtype: TokenDtype,
    columns: BlockColumns,
    documents: DocumentPlan,
    chosen: Option<Chosen>,
    /// Neighbours in the table that the order keeps together.
    run_rows: u64,
    table: Weak<TableData>,
}

/// What was packed since the start of the epoch.
#[napi(object, object_from_js = false)]
pub struct PackingStatistics {
    /// Blocks that were handed over.
    pub blocks: f64,
    /// Tokens of documents in them, each eos included.
    pub real_tokens: f64,
    /// Tokens of padding in them.
    pub pad_tokens: f64,
    /// Documents that were consumed.
    pub documents: f64,
    /// Documents that were cut since they are longer than a block.
    pub documents_split: f64,
    /// Documents that were left out since they are longer than a block.
    pub documents_dropped: f64,
    /// Tokens of begun documents that the budget cuts off.
    pub tokens_left_over: f64,
    /// Documents that were not consumed yet.
    pub documents_left_over: f64,
    /// Real tokens over all tokens.
    pub utilization: f64,
}

impl Packing {
    pub(crate) fn new(table: &Arc<TableData>, plan: &Plan, options: &PackingOptions) -> Result<Self> {
        check_token_column(&table.source.schema())?;
        let packing = Self {
            options: options.core()?,
            dtype: options.dtype(),
            columns: options.columns(),
            documents: plan.documents()?,
            chosen: plan.chosen().cloned(),
            run_rows: plan.run_rows(),
            table: Arc::downgrade(table),
        };
        packing.start_state()?;
        Ok(packing)
    }

    fn fresh<T: Token>(&self) -> Result<Packer<T>> {
        Packer::new(self.options, &self.documents.documents_per_split(), self.documents.owned())
    }

    fn resumed<T: Token>(&self, state: &PackState) -> Result<Packer<T>> {
        Packer::resume(self.options, &self.documents.documents_per_split(), self.documents.owned(), state)
    }

    fn start_state(&self) -> Result<PackState> {
        match self.dtype {
            TokenDtype::Int32 => state_of(&self.fresh::<i32>()?),
            TokenDtype::Int64 => state_of(&self.fresh::<i64>()?),
        }
    }

    fn stats_of(&self, state: &PackState) -> Result<PackStats> {
        Ok(match self.dtype {
            TokenDtype::Int32 => stats_of(&self.resumed::<i32>(state)?),
            TokenDtype::Int64 => stats_of(&self.resumed::<i64>(state)?),
        })
    }

    fn source(&self, table: &Arc<TableData>, options: &StartOptions) -> Result<PackSource> {
        let documents = self.documents.documents_per_split();
        let facts = PlanFacts {
            batch_rows: 1,
            run_rows: self.run_rows,
            splits: 1,
            is_remote: table.is_remote(),
            cache_bytes: table.cache_bytes(),
            scratch: None,
        };
        let planned = self.documents.owned().filter_map(|split| documents.get(split as usize)).sum();
        let (mode, memory) = (fetch_mode(&options.fetch)?, table.memory_of(self.chosen.as_ref()));
        let fetcher = ChoosingFetcher::without_scratch(mode, &memory, facts, planned);
        Ok(PackSource {
            plan: self.documents.clone(),
            fetcher: Arc::new(fetcher),
            names: row_names(table),
            budget: table.budget.clone(),
            statistics: table.statistics.clone(),
        })
    }

    fn read(&self, state: &PackState, options: &StartOptions) -> Result<PackedPipeline> {
        let table = self.table.upgrade().ok_or_else(closed)?;
        let rows_a_split = options.read_batch_size.map(|rows| count("readBatchSize", rows)).transpose()?;
        let read = PackReadOptions {
            columns: self.columns,
            batch_blocks: count("batchSize", options.batch_rows)?.max(1),
            window_rows: rows_a_split
                .map(|rows| rows.saturating_mul(self.documents.owned().len() as u64).max(1)),
            io_queue_depth: size("ioQueueDepth", options.io_queue_depth)?.max(1),
            ready_bytes: count("readyBytes", options.ready_bytes)?,
        };
        let (runtime, source, lend) = (runtime()?, self.source(&table, options)?, options.lend_buffers);
        let inner = match self.dtype {
            TokenDtype::Int32 => PackPipeline::start(runtime, source, self.resumed::<i32>(state)?, read)?,
            TokenDtype::Int64 => PackPipeline::start(runtime, source, self.resumed::<i64>(state)?, read)?,
        };
        Ok(PackedPipeline::new(inner, lend))
    }
}

fn state_of<T: Token>(packer: &Packer<T>) -> Result<PackState> {
    packer.state(&packer.progress())
}

fn stats_of<T: Token>(packer: &Packer<T>) -> PackStats {
    packer.stats(&packer.progress())
}

/// Row ids, by which messages name rows.
fn row_names(table: &Arc<TableData>) -> RowNames {
    let (source, eligible) = (table.source.clone(), table.eligible.clone());
    Arc::new(move |row| {
        let mut rows = [row];
        if let Some(eligible) = &eligible {
            let outside =
                |row| Error::new(Code::Internal, format!("the plan names row {row}, which is not eligible"));
            eligible.select_many(&mut rows).map_err(outside)?;
        }
        source.row_ids(&mut rows)?;
        let [id] = rows;
        Ok(id)
    })
}

#[napi]
impl Packing {
    /// The schema of the batches, as an Arrow IPC stream without batches.
    #[napi(getter)]
    pub fn schema(&self) -> napi::Result<Uint8Array, ErrorCode> {
        guarded(|| {
            let schema = packed_schema(self.options.length, self.dtype, self.columns)?;
            Ok(Uint8Array::new(ipc_schema(&schema)?))
        })
    }

    /// Blocks of this rank and worker in the whole epoch.
    #[napi(getter)]
    pub fn total(&self) -> napi::Result<f64, ErrorCode> {
        guarded(|| {
            let splits = self.documents.documents_per_split().len().max(1) as u64;
            number(self.options.blocks_per_epoch / splits * self.documents.owned().len() as u64)
        })
    }

    /// The state at the start of the epoch, as JSON.
    #[napi]
    pub fn start_state_json(&self) -> napi::Result<String, ErrorCode> {
        guarded(|| to_json(&self.start_state()?))
    }

    /// Refuses a state that this packing can't go on from; its position in a cycle does not matter. Gives it as it was understood.
    #[napi]
    pub fn check(&self, state: String) -> napi::Result<String, ErrorCode> {
        guarded(|| {
            let state = from_json(&state)?;
            self.stats_of(&state)?;
            to_json(&state)
        })
    }

    /// Refuses a state of an incomplete cycle, or of another rank.
    #[napi]
    pub fn check_complete_cycle(&self, state: String) -> napi::Result<(), ErrorCode> {
        guarded(|| from_json(&state)?.check_complete_cycle(self.documents.owned()))
    }

    /// The totals at a state.
    #[napi]
    pub fn statistics(&self, state: String) -> napi::Result<PackingStatistics, ErrorCode> {
        guarded(|| statistics(&self.stats_of(&from_json(&state)?)?))
    }

    /// Starts to read from a state on; `skip` of the options is not used.
    #[napi]
    pub fn start(&self, state: String, options: StartOptions) -> napi::Result<PackedPipeline, ErrorCode> {
        guarded(|| self.read(&from_json(&state)?, &options))
    }
}

/// One packing state of those of all ranks, as JSON.
#[napi]
pub fn merge_packing_states(states: Vec<String>) -> napi::Result<String, ErrorCode> {
    guarded(|| {
        let states: Vec<PackState> = states.iter().map(|state| from_json(state)).collect::<Result<_>>()?;
        to_json(&merge_pack_states(&states)?)
    })
}

pub(super) fn to_json(state: &PackState) -> Result<String> {
    serde_json::to_string(state)
        .map_err(|error| Error::new(Code::Internal, format!("a packing state can't be written: {error}")))
}

fn from_json(state: &str) -> Result<PackState> {
    serde_json::from_str(state).map_err(|error| {
        Error::new(Code::InvalidArgument, format!("the packing part of the state can't be read: {error}"))
    })
}

pub(super) fn statistics(stats: &PackStats) -> Result<PackingStatistics> {
    Ok(PackingStatistics {
        blocks: number(stats.blocks)?,
        real_tokens: number(stats.real_tokens)?,
        pad_tokens: number(stats.pad_tokens)?,
        documents: number(stats.documents)?,
        documents_split: number(stats.documents_split)?,
        documents_dropped: number(stats.documents_dropped)?,
        tokens_left_over: number(stats.tokens_left_over)?,
        documents_left_over: number(stats.documents_left_over)?,
        utilization: stats.utilization(),
    })
}
