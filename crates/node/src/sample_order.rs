//! The order of an epoch over so many rows of no table.

use std::sync::Arc;

use lance_loader_fetch::epoch::{EpochOrder, EpochRows};
use lance_loader_fetch::mixture::EpochOrders;
use lance_loader_fetch::pipeline::RowPlan;
use lance_loader_order::{Code, Cursor, Error, Plan, Result, Topology};
use napi::bindgen_prelude::BigUint64Array;
use napi_derive::napi;

use crate::convert::{count, number, size};
use crate::errors::{ErrorCode, guarded};
use crate::orders::Orders;
use crate::plan::{PlanOptions, layout_of};

/// The most samples that are told at once: 128 MiB.
const MAX_SAMPLES: f64 = (1_u64 << 24) as f64;

/// The samples that are left of an epoch over so many rows, as the plan of a table has them.
#[napi]
pub struct SampleOrder {
    plan: Arc<Plan>,
    order: Arc<dyn EpochOrder>,
    dropped: u64,
}

impl SampleOrder {
    fn of(rows: f64, options: &PlanOptions) -> Result<Self> {
        let rows = count("numRows", rows)?;
        let layout = layout_of(rows, options)?;
        let topology = Topology::new(
            size("rank", options.rank)?,
            size("worldSize", options.world_size)?,
            size("worker.id", options.worker)?,
            size("worker.numWorkers", options.num_workers)?,
        )?;
        let owned = topology.owned(layout.num_splits())?;
        let progress: Vec<u64> = if options.progress.is_empty() {
            vec![0; layout.num_splits()]
        } else {
            let counted = |&done| count("samplesConsumed", done);
            options.progress.iter().map(counted).collect::<Result<_>>()?
        };
        let plan = Plan::new(&layout, owned, &progress)?;
        let order = Orders::all(rows, options)?.order(count("epoch", options.epoch)?)?;
        Ok(Self { plan: Arc::new(plan), order, dropped: layout.dropped() })
    }

    fn rows_from(&self, from: f64, samples: f64) -> Result<Vec<u64>> {
        let from = count("from", from)?;
        if samples > MAX_SAMPLES {
            let message = format!("count is {samples}: it must be at most {MAX_SAMPLES}, ask several times");
            return Err(Error::new(Code::InvalidArgument, message));
        }
        let left = self.plan.remaining().saturating_sub(from);
        let mut rows = vec![0; size("count", samples)?.min(usize::try_from(left).unwrap_or(usize::MAX))];
        let mut cursor = Cursor::new(self.plan.clone());
        cursor.seek(from);
        EpochRows::new(cursor, self.order.clone()).fill(&mut rows)?;
        Ok(rows)
    }
}

#[napi]
impl SampleOrder {
    /// An epoch over the rows 0 to `rows - 1`; positions and levels that are left out are not used.
    #[napi(factory)]
    pub fn over(rows: f64, options: PlanOptions) -> napi::Result<Self, ErrorCode> {
        guarded(|| Self::of(rows, &options))
    }

    /// Samples of this rank and worker in the whole epoch.
    #[napi(getter)]
    pub fn total(&self) -> napi::Result<f64, ErrorCode> {
        guarded(|| number(self.plan.total()))
    }

    /// Samples that are left.
    #[napi(getter)]
    pub fn remaining(&self) -> napi::Result<f64, ErrorCode> {
        guarded(|| number(self.plan.remaining()))
    }

    /// Rows that the cut into splits leaves out.
    #[napi(getter)]
    pub fn dropped(&self) -> napi::Result<f64, ErrorCode> {
        guarded(|| number(self.dropped))
    }

    /// The rows of the samples from number `from` on.
    #[napi]
    pub fn rows(&self, from: f64, samples: f64) -> napi::Result<BigUint64Array, ErrorCode> {
        guarded(|| self.rows_from(from, samples).map(BigUint64Array::new))
    }
}
