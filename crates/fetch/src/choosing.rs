//! One fetcher for every way of reading: chooses once it knows the size of a row.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use futures::future::BoxFuture;
use lance_loader_order::Result;

use crate::budget::Budget;
use crate::choice::{Choice, Facts, Place};
use crate::fetcher::{FetchedRows, Fetcher};
use crate::memory::{FetchMode, MemoryFirstFetcher, MemoryTable};
use crate::pipeline::RowPlan;
use crate::scratch::{ScratchFetcher, ScratchOptions};

/// Neighbours that are worth a read of their own.
const LONG_RUN: u64 = 256;
/// Bytes of a window of neighbours, and of the part that a split has in it: with larger ones each read has new memory, which costs more than it saves.
const RUN_WINDOW_BYTES: u64 = 8 << 20;
const RUN_BYTES: u64 = 512 << 10;
/// Windows of neighbours share the budget with those that are read ahead.
const RUN_WINDOW_SHARE: u64 = 8;
/// Buckets share the budget as windows do: one that is gathered and a few that are read.
const BUCKET_SHARE: u64 = 6;

/// What a [`ChoosingFetcher`] knows of its plan, beside its rows.
#[derive(Clone, Debug)]
pub struct PlanFacts {
    /// Rows of a batch: buckets have whole batches.
    pub batch_rows: u64,
    /// Neighbours in the table that the plan keeps together; `u64::MAX` for storage order.
    pub run_rows: u64,
    /// Splits of which a window has rows.
    pub splits: u64,
    /// Whether each read of the table is a request to a server.
    pub is_remote: bool,
    /// Bytes of the table that are kept on local disk once they were read.
    pub cache_bytes: u64,
    /// Where scratch may be; `None` for nowhere.
    pub scratch: Option<ScratchOptions>,
}

/// Reads one plan in the way that was asked for, or with `Auto` in the cheapest one.
///
/// The first window comes as takes and memory have it, so that nobody waits for a scan to see a first batch; where the schema does not tell the size
/// of a row, the choice is made behind it.
pub struct ChoosingFetcher {
    mode: FetchMode,
    table: Arc<MemoryTable>,
    budget: Budget,
    facts: PlanFacts,
    planned_rows: u64,
    /// Takes, or memory with takes until it is loaded.
    direct: MemoryFirstFetcher,
    scratch: Option<ScratchFetcher>,
    /// Rows of the windows that were asked for before the first bucket.
    before: AtomicU64,
    chosen: OnceLock<Choice>,
    bucket_rows: OnceLock<u64>,
}

impl ChoosingFetcher {
    /// A fetcher of one pipeline over a table that its pipelines share. `plan` has the same rows as the pipeline's.
    pub fn new(mode: FetchMode, table: &Arc<MemoryTable>, facts: PlanFacts, plan: Box<dyn RowPlan>) -> Self {
        let planned_rows = plan.remaining();
        let scratch = facts.scratch.clone().filter(|_| matches!(mode, FetchMode::Auto | FetchMode::Scratch));
        let required = mode == FetchMode::Scratch;
        let scratch =
            scratch.map(|options| table.scratch_fetcher(ScratchOptions { required, ..options }, plan));
        Self { scratch, ..Self::without_scratch(mode, table, facts, planned_rows) }
    }

    /// A fetcher of `planned_rows` rows in an order that nobody knows in advance: `Scratch` means takes here.
    pub fn without_scratch(
        mode: FetchMode,
        table: &Arc<MemoryTable>,
        facts: PlanFacts,
        planned_rows: u64,
    ) -> Self {
        let direct = MemoryFirstFetcher::new(mode, table.clone());
        Self {
            mode,
            table: table.clone(),
            budget: table.budget().clone(),
            facts,
            planned_rows,
            direct,
            scratch: None,
            before: AtomicU64::new(0),
            chosen: OnceLock::new(),
            bucket_rows: OnceLock::new(),
        }
    }

    /// The scratch and the rows of its buckets, once windows are to come from there.
    fn buckets(&self) -> Option<(&ScratchFetcher, u64)> {
        let row_bytes = self.direct.row_bytes()?;
        let mode = self.chosen_mode(row_bytes);
        let scratch = self.scratch.as_ref()?;
        if mode != FetchMode::Scratch || self.before.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let bucket_rows = *self.bucket_rows.get_or_init(|| {
            self.whole_batches(self.budget.limit() / BUCKET_SHARE / planned_bytes(row_bytes))
        });
        Some((scratch, bucket_rows))
    }

    fn chosen_mode(&self, row_bytes: u64) -> FetchMode {
        self.chosen.get_or_init(|| self.choose(row_bytes)).mode
    }

    fn whole_batches(&self, rows: u64) -> u64 {
        let batch = self.facts.batch_rows.clamp(1, u64::from(u32::MAX));
        (rows.min(u64::from(u32::MAX)) / batch).max(1) * batch
    }

    fn choose(&self, row_bytes: u64) -> Choice {
        let choice = if self.mode == FetchMode::Auto && self.table.is_loaded() {
            Choice { mode: FetchMode::Memory, reason: "the rows are in memory already".to_string() }
        } else if self.mode == FetchMode::Auto {
            let table_rows = self.table.table_rows();
            let place = if !self.facts.is_remote {
                Place::Disk
            } else if table_rows.saturating_mul(row_bytes) < self.facts.cache_bytes {
                Place::Cache
            } else {
                Place::Store
            };
            Choice::of(&Facts {
                table_rows,
                eligible_rows: self.table.rows(),
                planned_rows: self.planned_rows,
                run_rows: self.facts.run_rows,
                row_bytes,
                budget: self.budget.limit(),
                scratch_bytes: self.facts.scratch.as_ref().map_or(0, |scratch| scratch.max_bytes),
                place,
                overflowed: self.table.overflowed(),
            })
        } else {
            Choice::requested(self.mode)
        };
        if choice.mode != FetchMode::Memory {
            self.direct.only_take();
        }
        self.table.statistics().set_choice(choice.clone());
        choice
    }
}

/// Bytes of a row and of its place in a window: where rows are tiny, the places are what takes memory.
const fn planned_bytes(row_bytes: u64) -> u64 {
    const PLACE: u64 = 16;
    row_bytes.saturating_add(PLACE)
}

impl Fetcher for ChoosingFetcher {
    fn fetch(&self, rows: Vec<u64>) -> BoxFuture<'static, Result<FetchedRows>> {
        if let Some((scratch, bucket_rows)) = self.buckets() {
            return scratch.fetch(rows, self.before.load(Ordering::Relaxed), bucket_rows);
        }
        self.before.fetch_add(rows.len() as u64, Ordering::Relaxed);
        self.direct.fetch(rows)
    }

    fn row_bytes(&self) -> Option<u64> {
        self.direct.row_bytes()
    }

    fn holds_windows(&self) -> bool {
        self.buckets().is_some() || self.direct.holds_windows()
    }

    fn window_rows(&self) -> Option<u64> {
        self.buckets().map(|(_, bucket_rows)| bucket_rows)
    }

    fn run_rows(&self) -> Option<u64> {
        let row_bytes = self.direct.row_bytes()?;
        let takes = self.chosen_mode(row_bytes) == FetchMode::Take;
        if !takes || self.facts.is_remote || self.facts.run_rows < LONG_RUN {
            return None;
        }
        let bytes = RUN_WINDOW_BYTES.max(self.facts.splits.saturating_mul(RUN_BYTES));
        let bytes = bytes.min(self.budget.limit() / RUN_WINDOW_SHARE);
        Some(self.whole_batches(bytes / planned_bytes(row_bytes)))
    }
}
