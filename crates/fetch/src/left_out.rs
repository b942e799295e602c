//! An epoch without some of its levels.

use std::sync::Arc;

use lance_loader_order::{LeftOut, Result, SplitLayout};

use crate::epoch::EpochOrder;

/// The order of an epoch from which levels are left out: positions are those of what is left.
pub struct LeftOutOrder {
    order: Arc<dyn EpochOrder>,
    whole: SplitLayout,
    left: SplitLayout,
    left_out: LeftOut,
}

impl LeftOutOrder {
    /// What is left of an epoch that is cut as `whole` and has this order.
    ///
    /// # Errors
    /// None that `whole` does not have.
    pub fn new(order: Arc<dyn EpochOrder>, whole: SplitLayout, left_out: LeftOut) -> Result<Self> {
        let lengths: Vec<u64> =
            (0..whole.num_splits()).map(|split| left_out.left_below(whole.len_of(split))).collect();
        let left = SplitLayout::from_lengths(&lengths)?;
        Ok(Self { order, whole, left, left_out })
    }

    /// The splits of what is left.
    pub const fn layout(&self) -> &SplitLayout {
        &self.left
    }
}

impl EpochOrder for LeftOutOrder {
    fn rows(&self, positions: &mut [u64]) -> Result<()> {
        for position in positions.iter_mut() {
            let (split, sample) = self.left.split_of(*position);
            *position = self.whole.start_of(split) + self.left_out.level_of(sample)?;
        }
        self.order.rows(positions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lance_loader_order::Order;

    #[test]
    fn positions_of_what_is_left_are_those_of_the_epoch_without_the_levels() {
        let whole = SplitLayout::from_lengths(&[6, 5, 2]).unwrap();
        let left_out = LeftOut::new(&[(1, 3), (5, 9)]).unwrap();
        let order = LeftOutOrder::new(Arc::new(Order::Storage { rows: 13 }), whole, left_out).unwrap();
        let mut rows: Vec<u64> = (0..order.layout().total()).collect();
        order.rows(&mut rows).unwrap();
        assert_eq!(rows, [0, 3, 4, 6, 9, 10, 11]);
    }
}
