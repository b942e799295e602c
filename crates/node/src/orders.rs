//! The order of rows that a dataset has in each of its epochs.

use std::sync::Arc;

use lance_loader_fetch::epoch::EpochOrder;
use lance_loader_fetch::left_out::LeftOutOrder;
use lance_loader_fetch::mixture::EpochOrders;
use lance_loader_fetch::permuted::{RowsOrder, SplitRows, SplitsOrder};
use lance_loader_order::{Domain, Key, LeftOut, Order, Result, Shuffle, SplitLayout};
use lance_loader_permutation::Permutation;

use crate::convert::{count, unsigned};
use crate::plan::PlanOptions;

/// Which rows an epoch is over.
enum Rows {
    /// So many rows of a table, from its first on.
    All(u64),
    /// The rows of one split of a permutation.
    Listed(SplitRows),
    /// All splits of a permutation, each by itself.
    Splits(Arc<Permutation>),
}

/// The orders of all epochs: a function of the epoch's number.
pub(crate) struct Orders {
    rows: Rows,
    /// The seed and the size of clumps; absent where nothing is shuffled.
    shuffle: Option<(u64, u64)>,
}

impl Orders {
    /// Over the first `rows` rows.
    pub(crate) fn all(rows: u64, options: &PlanOptions) -> Result<Self> {
        Self::of(Rows::All(rows), options)
    }

    /// Over the rows of one split of a permutation.
    pub(crate) fn listed(rows: &SplitRows, options: &PlanOptions) -> Result<Self> {
        Self::of(Rows::Listed(rows.clone()), options)
    }

    /// Over all splits of a permutation.
    pub(crate) fn splits(permutation: &Arc<Permutation>, options: &PlanOptions) -> Result<Self> {
        Self::of(Rows::Splits(permutation.clone()), options)
    }

    fn of(rows: Rows, options: &PlanOptions) -> Result<Self> {
        let shuffle = || -> Result<_> {
            let seed = unsigned("shuffleSeed", &options.shuffle_seed)?;
            Ok((seed, count("shuffleClumpSize", options.shuffle_clump_size)?))
        };
        Ok(Self { rows, shuffle: options.shuffle.then(shuffle).transpose()? })
    }

    /// The order of so many rows.
    fn order_of(rows: u64, shuffle: Option<(Key, u64)>) -> Result<Order> {
        match shuffle {
            None => Ok(Order::Storage { rows }),
            Some((key, clump_size)) => Ok(Order::Shuffled(Shuffle::new(rows, clump_size, key)?)),
        }
    }
}

impl EpochOrders for Orders {
    fn order(&self, epoch: u64) -> Result<Arc<dyn EpochOrder>> {
        let shuffle =
            self.shuffle.map(|(seed, clump_size)| (Key::derive(seed, epoch, Domain::Epoch), clump_size));
        Ok(match &self.rows {
            Rows::All(rows) => Arc::new(Self::order_of(*rows, shuffle)?),
            Rows::Listed(rows) => {
                Arc::new(RowsOrder::new(Self::order_of(rows.view().len(), shuffle)?, rows.clone()))
            }
            Rows::Splits(permutation) => Arc::new(SplitsOrder::new(permutation.clone(), shuffle)?),
        })
    }
}

/// What is left of an epoch without some levels of its splits.
pub(crate) fn leave_out(
    layout: SplitLayout,
    order: Arc<dyn EpochOrder>,
    levels: &[f64],
) -> Result<(SplitLayout, Arc<dyn EpochOrder>, LeftOut)> {
    let levels: Vec<u64> = levels.iter().map(|&level| count("skipSteps", level)).collect::<Result<_>>()?;
    let ranges = levels.as_chunks().0.iter().map(|&[start, end]| (start, end));
    let left_out = LeftOut::new(&ranges.collect::<Vec<_>>())?;
    if left_out.is_empty() {
        return Ok((layout, order, left_out));
    }
    let order = LeftOutOrder::new(order, layout, left_out.clone())?;
    Ok((order.layout().clone(), Arc::new(order), left_out))
}
