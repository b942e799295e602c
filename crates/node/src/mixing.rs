//! Datasets that are mixed: their rows as one table, and the plans of a mixture's epochs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lance_loader_fetch::mixture::{MixtureEpoch, MixtureOrder, MixturePart, UnionSource};
use lance_loader_order::{Code, Error, MAX_WEIGHT, MIXTURE_VERSION, Mixture, Result, SplitLayout};
use lance_loader_permutation::{RowSet, RowSetBuilder};
use napi::bindgen_prelude::BigInt;
use napi_derive::napi;

use crate::convert::{count, number, size, unsigned};
use crate::errors::{ErrorCode, guarded};
use crate::plan::{Plan, PlanOptions};
use crate::table::{Table, TableData};

/// The version of the choice between the datasets of a mixture.
#[napi]
pub const MIXTURE_ALGORITHM_VERSION: u32 = MIXTURE_VERSION;

/// The largest weight.
#[napi]
pub const MAX_MIXTURE_WEIGHT: f64 = MAX_WEIGHT as f64;

/// What decides which dataset gives which sample.
#[napi(object, object_to_js = false)]
pub struct MixtureWeights {
    /// The seed.
    pub seed: BigInt,
    /// How often the weights were changed.
    pub segment: f64,
    /// The weight of each dataset.
    pub weights: Vec<f64>,
    /// The number of splits.
    pub num_splits: f64,
}

impl MixtureWeights {
    fn mixture(&self) -> Result<Mixture> {
        let weights: Vec<u64> =
            self.weights.iter().map(|&weight| count("weight", weight)).collect::<Result<_>>()?;
        let seed = unsigned("seed", &self.seed)?;
        Mixture::new(seed, count("segment", self.segment)?, &weights, count("numSplits", self.num_splits)?)
    }
}

/// Which stretch of the mixture an epoch is.
#[napi(object, object_to_js = false)]
pub struct MixtureStretch {
    /// The samples of each split of the epoch.
    pub split_length: f64,
    /// Samples of each split at its beginning that were had under other weights.
    pub unknown: f64,
    /// The samples of each split that were had under these weights before the epoch.
    pub start: f64,
    /// For each dataset and split, the samples that were had before the weights were these; none when empty.
    pub given: Vec<Vec<f64>>,
}

struct Part {
    table: Arc<TableData>,
    part: MixturePart,
}

/// Datasets, added one by one, and what they are mixed to.
#[napi]
pub struct Mixing {
    parts: Mutex<Vec<Part>>,
}

#[napi]
impl Mixing {
    /// No dataset yet.
    #[napi(constructor)]
    pub fn new() -> Self {
        Self { parts: Mutex::default() }
    }

    /// Adds a dataset, whose plan is of the epoch that it begins with.
    #[napi]
    pub fn add(&self, table: &Table, plan: &Plan) -> napi::Result<(), ErrorCode> {
        guarded(|| {
            let table = table.data()?;
            let refuse = |message: &str| Err(Error::new(Code::InvalidArgument, message));
            let Some((orders, first_epoch)) = plan.orders().filter(|_| plan.is_of(&table)) else {
                return refuse("what is mixed must be a dataset of one table");
            };
            let mut parts = self.parts();
            let last = parts.last().map_or(0, |last| last.part.first_row + last.table.num_rows());
            let split_len = plan.layout().max_len();
            let part = MixturePart { split_len, orders, first_epoch, first_row: last, given: Vec::new() };
            parts.push(Part { table, part });
            Ok(())
        })
    }

    /// Where the rows of each dataset start among those of all.
    #[napi(getter)]
    pub fn starts(&self) -> napi::Result<Vec<f64>, ErrorCode> {
        guarded(|| self.parts().iter().map(|part| number(part.part.first_row)).collect())
    }

    /// The samples of each split of each dataset.
    #[napi(getter)]
    pub fn split_lengths(&self) -> napi::Result<Vec<f64>, ErrorCode> {
        guarded(|| self.lengths().into_iter().map(number).collect())
    }

    /// The rows of all datasets as one table, with a memory budget of its own or the shared one.
    #[napi]
    pub fn table(&self, memory_budget: f64, shared_budget: bool) -> napi::Result<Table, ErrorCode> {
        guarded(|| {
            let parts = self.parts();
            let source = UnionSource::new(parts.iter().map(|part| part.table.source.clone()).collect())?;
            let eligible = eligible(&parts)?.map(Arc::new);
            let budget = count("memoryBudget", memory_budget)?;
            Ok(Table::new(TableData::new(None, Arc::new(source), eligible, budget, shared_budget)?))
        })
    }

    /// The plan of an epoch of the mixture over its table.
    #[napi]
    pub fn plan(
        &self,
        table: &Table,
        weights: MixtureWeights,
        stretch: MixtureStretch,
        options: PlanOptions,
    ) -> napi::Result<Plan, ErrorCode> {
        guarded(|| {
            let epoch = MixtureEpoch {
                split_len: count("splitLength", stretch.split_length)?,
                unknown: count("unknown", stretch.unknown)?,
                start: count("start", stretch.start)?,
            };
            let lengths = vec![epoch.split_len; size("numSplits", weights.num_splits)?];
            let parts = self.parts_after(&stretch.given)?;
            let order = MixtureOrder::new(weights.mixture()?, parts, epoch)?;
            Plan::of(&table.data()?, &options, SplitLayout::from_lengths(&lengths)?, Arc::new(order))
        })
    }

    /// The levels until the first dataset has no more, or until each was had whole.
    #[napi]
    pub fn levels(&self, weights: MixtureWeights, until_all: bool) -> napi::Result<f64, ErrorCode> {
        guarded(|| {
            let (mixture, lengths) = (weights.mixture()?, self.lengths());
            let levels = if until_all {
                mixture.levels_to_last_end(&lengths)?
            } else {
                mixture.levels_to_first_end(&lengths)?
            };
            number(levels)
        })
    }
}

/// For each dataset and split, how many samples it gave among the first `levels[split]` that were had under these weights.
#[napi]
pub fn mixture_counts(weights: MixtureWeights, levels: Vec<f64>) -> napi::Result<Vec<Vec<f64>>, ErrorCode> {
    guarded(|| {
        let mixture = weights.mixture()?;
        let mut counts = vec![Vec::with_capacity(levels.len()); mixture.num_sources()];
        for (split, level) in levels.into_iter().enumerate() {
            let of_split = mixture.counts(split as u64, count("level", level)?)?;
            for (counts, of_dataset) in counts.iter_mut().zip(of_split) {
                counts.push(number(of_dataset)?);
            }
        }
        Ok(counts)
    })
}

impl Mixing {
    fn parts(&self) -> MutexGuard<'_, Vec<Part>> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lengths(&self) -> Vec<u64> {
        self.parts().iter().map(|part| part.part.split_len).collect()
    }

    /// The datasets after what they gave already.
    fn parts_after(&self, given: &[Vec<f64>]) -> Result<Vec<MixturePart>> {
        let after = |(at, part): (usize, &Part)| {
            let given = given.get(at).map(Vec::as_slice).unwrap_or_default();
            let given = given.iter().map(|&samples| count("given", samples)).collect::<Result<_>>()?;
            Ok(MixturePart { given, ..part.part.clone() })
        };
        self.parts().iter().enumerate().map(after).collect()
    }
}

/// Which of the rows of all datasets are eligible; all of them where no dataset has a filter.
fn eligible(parts: &[Part]) -> Result<Option<RowSet>> {
    if parts.iter().all(|part| part.table.eligible.is_none()) {
        return Ok(None);
    }
    let mut rows = RowSetBuilder::new();
    let mut start = 0;
    for Part { table, .. } in parts {
        let count = table.source.num_rows();
        match &table.eligible {
            Some(eligible) => eligible.iter().try_for_each(|row| rows.push(start + row))?,
            None if count > 0 => rows.push_range(start, start + count - 1)?,
            None => {}
        }
        start += count;
    }
    Ok(Some(rows.finish()))
}
