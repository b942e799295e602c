//! The plan of an epoch, for one rank and worker.

use std::ops::Range;
use std::sync::{Arc, Weak};

use lance_loader_fetch::chosen::Chosen;
use lance_loader_fetch::epoch::{EpochOrder, EpochRows};
use lance_loader_fetch::mixture::EpochOrders;
use lance_loader_fetch::packing::DocumentPlan;
use lance_loader_fetch::permuted::{SplitRows, SplitsOrder};
use lance_loader_fetch::pipeline::RowPlan;
use lance_loader_order::{
    Code, Cursor, Domain, End, Entry, Error, Key, LeftOut, ORDER_VERSION, Remainder, Result, SplitLayout,
    Topology, sample_seed,
};
use lance_loader_permutation::Permutation;
use napi::bindgen_prelude::{BigInt, BigUint64Array, Uint32Array};
use napi_derive::napi;

use crate::convert::{count, number, size, unsigned};
use crate::errors::{ErrorCode, guarded};
use crate::orders::{Orders, leave_out};
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
    /// Samples of each split that were handed over already, levels that are left out before them included; none when empty.
    pub progress: Vec<f64>,
    /// Rows of each split that were passed already, handed over or skipped; as many as samples when empty.
    pub positions: Vec<f64>,
    /// Whether more rows may be skipped, so that all rows of the splits may be needed.
    pub may_skip: bool,
    /// Levels of every split that are left out: first, behind the last, and so on.
    pub left_out: Vec<f64>,
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
    chosen: Option<Chosen>,
    /// The orders of all epochs and the number of this one; absent for what is a mixture already.
    orders: Option<(Arc<dyn EpochOrders>, u64)>,
    left_out: LeftOut,
    /// Neighbours in the table that the order keeps together.
    run_rows: u64,
    dropped: u64,
    /// What the seeds of samples are drawn from.
    sample_seeds: Key,
}

impl Plan {
    /// An epoch over all rows of the table.
    pub(crate) fn new(table: &Arc<TableData>, options: &PlanOptions) -> Result<Self> {
        let rows = table.num_rows();
        let layout = layout_of(rows, options)?;
        Self::of_orders(table, options, layout, Orders::all(rows, options)?)
    }

    /// An epoch over the rows of one split of a permutation.
    pub(crate) fn of_rows(table: &Arc<TableData>, rows: &SplitRows, options: &PlanOptions) -> Result<Self> {
        let layout = layout_of(rows.view().len(), options)?;
        let plan = Self::of_orders(table, options, layout, Orders::listed(rows, options)?)?;
        Ok(Self { chosen: Some(Chosen::Rows(rows.clone())), run_rows: 1, ..plan })
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
        let (layout, dropped) = {
            let whole = SplitsOrder::new(permutation.clone(), None)?;
            (whole.layout().clone(), whole.dropped())
        };
        let plan = Self::of_orders(table, options, layout, Orders::splits(permutation, options)?)?;
        // Neighbours in a permutation need not be neighbours in the table.
        Ok(Self { dropped, run_rows: 1, chosen: Some(Chosen::Splits(permutation.clone())), ..plan })
    }

    fn of_orders(
        table: &Arc<TableData>,
        options: &PlanOptions,
        layout: SplitLayout,
        orders: Orders,
    ) -> Result<Self> {
        let epoch = count("epoch", options.epoch)?;
        let orders: Arc<dyn EpochOrders> = Arc::new(orders);
        let plan = Self::of(table, options, layout, orders.order(epoch)?)?;
        Ok(Self { orders: Some((orders, epoch)), ..plan })
    }

    /// An epoch of a given order, cut into splits.
    pub(crate) fn of(
        table: &Arc<TableData>,
        options: &PlanOptions,
        layout: SplitLayout,
        order: Arc<dyn EpochOrder>,
    ) -> Result<Self> {
        let dropped = layout.dropped();
        let (layout, order, left_out) = leave_out(layout, order, &options.left_out)?;
        let topology = Topology::new(
            size("rank", options.rank)?,
            size("worldSize", options.world_size)?,
            size("worker.id", options.worker)?,
            size("worker.numWorkers", options.num_workers)?,
        )?;
        let num_splits = layout.num_splits();
        let owned = topology.owned(num_splits)?;
        let counts = |field, numbers: &[f64]| -> Result<Vec<u64>> {
            numbers.iter().map(|&done| Ok(left_out.left_below(count(field, done)?))).collect()
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
        Ok(Self {
            table,
            plan,
            layout,
            owned,
            order,
            chosen: None,
            orders: None,
            left_out,
            run_rows: run_rows_of(options)?,
            dropped,
            sample_seeds,
        })
    }

    /// The rows from sample number `from` of this plan on.
    pub(crate) fn rows_from(&self, from: u64) -> EpochRows {
        let mut cursor = Cursor::new(self.plan.clone());
        cursor.seek(from);
        EpochRows::new(cursor, self.order.clone())
    }

    /// The permutation that it is over, if it is over one.
    pub(crate) const fn chosen(&self) -> Option<&Chosen> {
        self.chosen.as_ref()
    }

    /// The orders of all epochs of this plan's rows, and the epoch of the plan.
    pub(crate) fn orders(&self) -> Option<(Arc<dyn EpochOrders>, u64)> {
        self.orders.clone()
    }

    /// How the epoch is cut into splits, without the levels that are left out.
    pub(crate) const fn layout(&self) -> &SplitLayout {
        &self.layout
    }

    /// The same rows as documents to be packed, split by split.
    pub(crate) fn documents(&self) -> Result<DocumentPlan> {
        let too_many =
            |_| Error::new(Code::InvalidArgument, "numSplits is above 2^32 - 1, the most that can be packed");
        let owned = u32::try_from(self.owned.start).map_err(too_many)?
            ..u32::try_from(self.owned.end).map_err(too_many)?;
        Ok(DocumentPlan::new(self.order.clone(), self.layout.clone(), owned))
    }

    pub(crate) const fn run_rows(&self) -> u64 {
        self.run_rows
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

/// Neighbours in the table that stay neighbours in the order.
fn run_rows_of(options: &PlanOptions) -> Result<u64> {
    if options.shuffle { count("shuffleClumpSize", options.shuffle_clump_size) } else { Ok(u64::MAX) }
}

pub(crate) fn layout_of(rows: u64, options: &PlanOptions) -> Result<SplitLayout> {
    let remainder = if options.keep_remainder { Remainder::Keep } else { Remainder::Drop };
    SplitLayout::new(rows, size("numSplits", options.num_splits)?, remainder)
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

    /// Up to which level splits have come that have passed so many of the levels that are left.
    #[napi]
    pub fn whole_levels(&self, left: Vec<f64>) -> napi::Result<Vec<f64>, ErrorCode> {
        let whole = |left| number(self.left_out.level_after(count("left", left)?)?);
        guarded(|| left.into_iter().map(whole).collect())
    }

    /// How many of the levels below each of these are left.
    #[napi]
    pub fn left_levels(&self, levels: Vec<f64>) -> napi::Result<Vec<f64>, ErrorCode> {
        let left = |level| number(self.left_out.left_below(count("level", level)?));
        guarded(|| levels.into_iter().map(left).collect())
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

    /// Which dataset of a mixture gives each of the samples from number `from` on: `starts` are the first rows of each.
    #[napi]
    pub fn datasets(
        &self,
        from: f64,
        samples: f64,
        starts: Vec<f64>,
    ) -> napi::Result<Uint32Array, ErrorCode> {
        guarded(|| {
            let starts: Vec<u64> =
                starts.into_iter().map(|start| count("starts", start)).collect::<Result<_>>()?;
            let (from, samples) = self.range(from, samples)?;
            let mut rows = vec![0; samples];
            self.rows_from(from).fill(&mut rows)?;
            let dataset = |row| starts.partition_point(|start| *start <= row).saturating_sub(1) as u32;
            Ok(Uint32Array::new(rows.into_iter().map(dataset).collect()))
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
