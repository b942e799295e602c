//! The plan of an epoch, for one rank and worker.

use std::ops::Range;
use std::sync::{Arc, Weak};

use lance_loader_fetch::epoch::{EpochOrder, EpochRows};
use lance_loader_fetch::packing::DocumentPlan;
use lance_loader_fetch::permuted::{RowsOrder, SplitRows, SplitsOrder};
use lance_loader_fetch::pipeline::RowPlan;
use lance_loader_order::{
    Code, Cursor, Domain, End, Entry, Error, Key, ORDER_VERSION, Order, Remainder, Result, Shuffle,
    SplitLayout, Topology, sample_seed,
};
use lance_loader_permutation::Permutation;
use napi::bindgen_prelude::{BigInt, BigUint64Array, Uint32Array};
use napi_derive::napi;

use crate::convert::{count, number, size, unsigned};
use crate::errors::{ErrorCode, guarded};
use crate::table::{TableData, closed};

/// The version of the order algorithm.
#[napi]
pub const ORDER_ALGORITHM_VERSION: u32 = ORDER_VERSION;

/// What decides an order, and from where on it is walked.
#[napi(object, object_to_js = false)]
pub struct PlanOptions {
    /// The number of splits.
    pub num_splits: f64,
    /// Whether the first splits have one row more where rows are left over, instead of dropping them.
    pub keep_remainder: bool,
    /// Whether the rows are shuffled.
    pub shuffle: bool,
    /// Rows of a run that the shuffle keeps together.
    pub shuffle_clump_size: f64,
    /// The seed.
    pub shuffle_seed: BigInt,
    /// The epoch.
    pub epoch: f64,
    /// The rank.
    pub rank: f64,
    /// The number of ranks.
    pub world_size: f64,
    /// The worker of this rank.
    pub worker: f64,
    /// The number of workers of each rank.
    pub num_workers: f64,
    /// Samples of each split that were handed over already; none when empty.
    pub progress: Vec<f64>,
    /// Rows of each split that were passed already, handed over or skipped; as many as samples when empty.
    pub positions: Vec<f64>,
    /// Whether more rows may be skipped, so that all rows of the splits may be needed.
    pub may_skip: bool,
}

/// The samples that are left of an epoch. It outlives its table, and holds nothing of it.
#[expect(clippy::struct_field_names, reason = "it is the plan of the core")]
#[derive(Clone)]
#[napi]
pub struct Plan {
    table: Weak<TableData>,
    plan: Arc<lance_loader_order::Plan>,
    layout: SplitLayout,
    owned: Range<usize>,
    order: Arc<dyn EpochOrder>,
    dropped: u64,
    /// What the seeds of samples are drawn from.
    sample_seeds: Key,
}

impl Plan {
    /// An epoch over all rows of the table.
    pub(crate) fn new(table: &Arc<TableData>, options: &PlanOptions) -> Result<Self> {
        let rows = table.num_rows();
        let layout = layout_of(rows, options)?;
        let dropped = layout.dropped();
        Self::of(table, options, layout, Arc::new(order_of(rows, options)?), dropped)
    }

    /// An epoch over the rows of one split of a permutation.
    pub(crate) fn of_rows(table: &Arc<TableData>, rows: &SplitRows, options: &PlanOptions) -> Result<Self> {
        let count = rows.view().len();
        let layout = layout_of(count, options)?;
        let dropped = layout.dropped();
        let order = RowsOrder::new(order_of(count, options)?, rows.clone());
        Self::of(table, options, layout, Arc::new(order), dropped)
    }

    /// An epoch over all splits of a permutation.
    pub(crate) fn of_splits(
        table: &Arc<TableData>,
        permutation: &Arc<Permutation>,
        options: &PlanOptions,
    ) -> Result<Self> {
        let splits = permutation.num_splits();
        if size("numSplits", options.num_splits)? != splits {
            return Err(Error::new(
                Code::InvalidArgument,
                format!(
                    "numSplits is {}, but splitStrategy gives {splits} splits: make them the same",
                    options.num_splits
                ),
            ));
        }
        if let Some(empty) = (0..splits).find(|&split| permutation.len_of(split) == 0) {
            return Err(Error::new(
                Code::TooFewRows,
                format!(
                    "split {empty} of splitStrategy has no row, and each split needs one: use other splits, or a filter that keeps more rows"
                ),
            ));
        }
        let shuffle = if options.shuffle { Some((key_of(options)?, clump_size_of(options)?)) } else { None };
        let order = SplitsOrder::new(permutation.clone(), shuffle)?;
        let (layout, dropped) = (order.layout().clone(), order.dropped());
        Self::of(table, options, layout, Arc::new(order), dropped)
    }

    fn of(
        table: &Arc<TableData>,
        options: &PlanOptions,
        layout: SplitLayout,
        order: Arc<dyn EpochOrder>,
        dropped: u64,
    ) -> Result<Self> {
        let topology = Topology::new(
            size("rank", options.rank)?,
            size("worldSize", options.world_size)?,
            size("worker.id", options.worker)?,
            size("worker.numWorkers", options.num_workers)?,
        )?;
        let num_splits = layout.num_splits();
        let owned = topology.owned(num_splits)?;
        let counts = |field, numbers: &[f64]| -> Result<Vec<u64>> {
            numbers.iter().map(|&done| count(field, done)).collect()
        };
        let progress = match options.progress.as_slice() {
            [] => vec![0; num_splits],
            progress => counts("samples_consumed_per_split", progress)?,
        };
        let positions = match options.positions.as_slice() {
            [] => progress.clone(),
            positions => counts("positions_consumed_per_split", positions)?,
        };
        let end = if options.may_skip { End::LastRow } else { End::CompleteCycle };
        let plan = lance_loader_order::Plan::after_skips(&layout, owned.clone(), &progress, &positions, end)?;
        let seed = unsigned("shuffleSeed", &options.shuffle_seed)?;
        let sample_seeds = Key::derive(seed, count("epoch", options.epoch)?, Domain::SampleSeed);
        let (table, plan) = (Arc::downgrade(table), Arc::new(plan));
        Ok(Self { table, plan, layout, owned, order, dropped, sample_seeds })
    }

    /// The rows from sample number `from` of this plan on.
    pub(crate) fn rows_from(&self, from: u64) -> EpochRows {
        let mut cursor = Cursor::new(self.plan.clone());
        cursor.seek(from);
        EpochRows::new(cursor, self.order.clone())
    }

    /// The same rows as documents to be packed, split by split.
    pub(crate) fn documents(&self) -> Result<DocumentPlan> {
        let too_many =
            |_| Error::new(Code::InvalidArgument, "numSplits is above 2^32 - 1, the most that can be packed");
        let owned = u32::try_from(self.owned.start).map_err(too_many)?
            ..u32::try_from(self.owned.end).map_err(too_many)?;
        Ok(DocumentPlan::new(self.order.clone(), self.layout.clone(), owned))
    }

    pub(crate) fn owned(&self) -> Range<usize> {
        self.owned.clone()
    }

    /// The schema of the rows, as an Arrow IPC stream without batches.
    pub(crate) fn schema(&self) -> Result<Vec<u8>> {
        Ok(self.table.upgrade().ok_or_else(closed)?.schema.clone())
    }

    pub(crate) fn is_of(&self, table: &Arc<TableData>) -> bool {
        self.table.as_ptr() == Arc::as_ptr(table)
    }

    /// The row ids of the samples from number `from` on.
    fn ids(&self, from: f64, samples: f64) -> Result<Vec<u64>> {
        let table = self.table.upgrade().ok_or_else(closed)?;
        let (from, samples) = self.range(from, samples)?;
        let mut rows = vec![0; samples];
        self.rows_from(from).fill(&mut rows)?;
        if let Some(eligible) = &table.eligible {
            let outside = |row| {
                Error::new(Code::Internal, format!("the plan names row {row} of {} rows", eligible.len()))
            };
            eligible.select_many(&mut rows).map_err(outside)?;
        }
        table.source.row_ids(&mut rows)?;
        Ok(rows)
    }

    /// As many of the samples from number `from` on as there are, at most `samples`.
    fn range(&self, from: f64, samples: f64) -> Result<(u64, usize)> {
        let from = count("from", from)?;
        let left = self.plan.remaining().saturating_sub(from);
        let samples = count("count", samples)?.min(left);
        let samples = usize::try_from(samples).map_err(|_| {
            Error::new(Code::InvalidArgument, format!("count is {samples}, more than fit into memory"))
        })?;
        Ok((from, samples))
    }
}

fn layout_of(rows: u64, options: &PlanOptions) -> Result<SplitLayout> {
    let remainder = if options.keep_remainder { Remainder::Keep } else { Remainder::Drop };
    SplitLayout::new(rows, size("numSplits", options.num_splits)?, remainder)
}

fn order_of(rows: u64, options: &PlanOptions) -> Result<Order> {
    if !options.shuffle {
        return Ok(Order::Storage { rows });
    }
    Ok(Order::Shuffled(Shuffle::new(rows, clump_size_of(options)?, key_of(options)?)?))
}

fn key_of(options: &PlanOptions) -> Result<Key> {
    let seed = unsigned("shuffleSeed", &options.shuffle_seed)?;
    Ok(Key::derive(seed, count("epoch", options.epoch)?, Domain::Epoch))
}

fn clump_size_of(options: &PlanOptions) -> Result<u64> {
    count("shuffleClumpSize", options.shuffle_clump_size)
}

#[napi]
impl Plan {
    /// Samples of this rank and worker in the whole epoch.
    #[napi(getter)]
    pub fn total(&self) -> napi::Result<f64, ErrorCode> {
        guarded(|| number(self.plan.total()))
    }

    /// Samples that the plan has.
    #[napi(getter)]
    pub fn remaining(&self) -> napi::Result<f64, ErrorCode> {
        guarded(|| number(self.plan.remaining()))
    }

    /// Rows that the cut into splits leaves out.
    #[napi(getter)]
    pub fn dropped(&self) -> napi::Result<f64, ErrorCode> {
        guarded(|| number(self.dropped))
    }

    /// The first split that is owned, and the one behind the last.
    #[napi(getter)]
    pub fn owned_splits(&self) -> napi::Result<Vec<f64>, ErrorCode> {
        guarded(|| Ok(vec![number(self.owned.start as u64)?, number(self.owned.end as u64)?]))
    }

    /// The progress of every split once `samples` samples of the plan were handed over.
    #[napi]
    pub fn progress_after(&self, samples: f64) -> napi::Result<Vec<f64>, ErrorCode> {
        guarded(|| self.plan.progress_after(count("samples", samples)?).into_iter().map(number).collect())
    }

    /// The rows of every split that were passed once `samples` samples of the plan were handed over.
    #[napi]
    pub fn positions_after(&self, samples: f64) -> napi::Result<Vec<f64>, ErrorCode> {
        guarded(|| self.plan.positions_after(count("samples", samples)?).into_iter().map(number).collect())
    }

    /// The rows of each owned split in the whole epoch.
    #[napi(getter)]
    pub fn owned_lengths(&self) -> napi::Result<Vec<f64>, ErrorCode> {
        guarded(|| self.owned.clone().map(|split| number(self.layout.len_of(split))).collect())
    }

    /// The splits of the samples from number `from` on.
    #[napi]
    pub fn splits(&self, from: f64, samples: f64) -> napi::Result<Uint32Array, ErrorCode> {
        guarded(|| {
            let (from, samples) = self.range(from, samples)?;
            let mut entries = vec![Entry::default(); samples];
            let mut cursor = Cursor::new(self.plan.clone());
            cursor.seek(from);
            cursor.fill(&mut entries);
            Ok(Uint32Array::new(entries.iter().map(|entry| entry.split as u32).collect()))
        })
    }

    /// The row ids of the samples from number `from` on. Reads no row.
    #[napi]
    pub fn row_ids(&self, from: f64, samples: f64) -> napi::Result<BigUint64Array, ErrorCode> {
        guarded(|| self.ids(from, samples).map(BigUint64Array::new))
    }

    /// The seeds of the samples from number `from` on: functions of the plan's seed, its epoch, and the row id.
    #[napi]
    pub fn sample_seeds(&self, from: f64, samples: f64) -> napi::Result<BigUint64Array, ErrorCode> {
        guarded(|| {
            let mut numbers = self.ids(from, samples)?;
            for number in &mut numbers {
                *number = sample_seed(self.sample_seeds, *number);
            }
            Ok(BigUint64Array::new(numbers))
        })
    }
}
