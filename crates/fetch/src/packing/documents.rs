//! Which documents are read next, of which splits.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

use lance_loader_order::{Code, Error, Result, SplitLayout};

use crate::epoch::EpochOrder;

/// Parts in which a window is dealt to each split: the more, the more even.
const PARTS: u64 = 8;

/// Names rows in messages: from an index among the eligible rows to a row id.
pub type RowNames = Arc<dyn Fn(u64) -> Result<u64> + Send + Sync>;

/// The documents of an epoch, split by split, in an order.
#[derive(Clone)]
pub struct DocumentPlan {
    order: Arc<dyn EpochOrder>,
    layout: SplitLayout,
    owned: Range<u32>,
}

impl DocumentPlan {
    /// The documents of the splits `owned` of `layout`.
    pub fn new(order: Arc<dyn EpochOrder>, layout: SplitLayout, owned: Range<u32>) -> Self {
        Self { order, layout, owned }
    }

    /// The owned splits.
    pub fn owned(&self) -> Range<u32> {
        self.owned.clone()
    }

    /// The number of documents of every split, the ones that are not owned included.
    pub fn documents_per_split(&self) -> Vec<u64> {
        (0..self.layout.num_splits()).map(|split| self.layout.len_of(split)).collect()
    }

    /// The rows, as indices among the eligible ones, of documents given by their split and their number in it.
    pub(super) fn rows(&self, documents: impl Iterator<Item = (u32, u64)>) -> Result<Vec<u64>> {
        let mut rows: Vec<u64> = documents
            .map(|(split, document)| self.layout.start_of(split as usize).saturating_add(document))
            .collect();
        self.order.rows(&mut rows)?;
        Ok(rows)
    }
}

/// How far one owned split was planned, and how many tokens of it are on their way.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitDemand {
    /// The next document to read.
    pub(super) next: u64,
    /// Documents that are left to read.
    pub(super) left: u64,
    /// Tokens that are read or being read and that no block has, as far as they are known.
    pub(super) tokens_ahead: u64,
    /// Tokens that the split can make use of.
    pub(super) tokens_usable: u64,
    /// The expected tokens of a document, at least 1.
    pub(super) tokens_each: u64,
}

/// Deals about `rows` documents to the splits, so that all have about as many tokens ahead: for each a run of documents, by its place.
///
/// Only splits that can still make use of tokens get any. O(splits log splits).
pub(super) fn deal(demands: &[SplitDemand], rows: u64) -> Vec<(usize, Range<u64>)> {
    let part = rows.div_ceil((demands.len() as u64).saturating_mul(PARTS).max(1)).max(1);
    let mut dealt = vec![0_u64; demands.len()];
    let wants = |demand: &SplitDemand, dealt: u64| {
        let tokens = demand.tokens_ahead.saturating_add(dealt.saturating_mul(demand.tokens_each));
        (dealt < demand.left && tokens < demand.tokens_usable).then_some(tokens)
    };
    let mut hungry: BinaryHeap<Reverse<(u64, usize)>> = demands
        .iter()
        .enumerate()
        .filter_map(|(place, demand)| Some(Reverse((wants(demand, 0)?, place))))
        .collect();
    let mut rows_left = rows;
    while rows_left > 0 {
        let Some(Reverse((_, place))) = hungry.pop() else { break };
        let (Some(demand), Some(dealt)) = (demands.get(place), dealt.get_mut(place)) else { break };
        let given = part.min(rows_left).min(demand.left - *dealt);
        *dealt += given;
        rows_left -= given;
        hungry.extend(wants(demand, *dealt).map(|tokens| Reverse((tokens, place))));
    }
    let runs = demands.iter().zip(dealt).enumerate().filter(|(_, (_, dealt))| *dealt > 0);
    runs.map(|(place, (demand, dealt))| (place, demand.next..demand.next + dealt)).collect()
}

/// Gives about `rows` documents to the split with the fewest tokens ahead, of those that can still make use of any.
pub(super) fn deal_to_one(demands: &[SplitDemand], rows: u64) -> Option<(usize, Range<u64>)> {
    let hungry = demands.iter().enumerate();
    let hungry = hungry.filter(|(_, demand)| demand.left > 0 && demand.tokens_ahead < demand.tokens_usable);
    let (place, demand) = hungry.min_by_key(|(_, demand)| demand.tokens_ahead)?;
    let usable = (demand.tokens_usable - demand.tokens_ahead).div_ceil(demand.tokens_each.max(1));
    Some((place, demand.next..demand.next + rows.min(demand.left).min(usable)))
}

pub(super) fn no_documents(split: u32) -> Error {
    Error::new(
        Code::Internal,
        format!("split {split} wants documents, and all of its are read: please report it"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVEN: SplitDemand =
        SplitDemand { next: 0, left: 1000, tokens_ahead: 0, tokens_usable: u64::MAX, tokens_each: 10 };

    #[test]
    fn splits_with_fewer_tokens_ahead_get_more_documents() {
        let demands = [EVEN, SplitDemand { tokens_ahead: 300, next: 7, ..EVEN }];
        assert_eq!(deal(&demands, 100), [(0, 0..65), (1, 7..42)].map(|(place, run)| (place, run)));
        let long = SplitDemand { tokens_each: 90, ..EVEN };
        let dealt = deal(&[EVEN, long], 100);
        assert!(dealt[0].1.end > 8 * dealt[1].1.end / 2, "{dealt:?}");
    }

    #[test]
    fn a_split_gets_no_more_than_it_has_or_can_use() {
        let few = SplitDemand { left: 3, ..EVEN };
        let sated = SplitDemand { tokens_ahead: 50, tokens_usable: 50, ..EVEN };
        let nearly = SplitDemand { tokens_usable: 25, ..EVEN };
        assert_eq!(deal(&[few, sated, nearly], 24), [(0, 0..3), (2, 0..3)]);
        assert_eq!(deal(&[sated], 24), []);
        assert_eq!(deal(&[EVEN; 3], 0), []);
    }

    #[test]
    fn a_run_goes_to_the_split_with_least_that_can_use_it() {
        let ahead = SplitDemand { tokens_ahead: 300, ..EVEN };
        assert_eq!(deal_to_one(&[ahead, EVEN], 100), Some((1, 0..100)));
        let sated = SplitDemand { tokens_usable: 0, ..EVEN };
        assert_eq!(deal_to_one(&[ahead, sated, SplitDemand { left: 0, ..EVEN }], 5000), Some((0, 0..1000)));
        let nearly = SplitDemand { tokens_usable: 25, next: 7, ..EVEN };
        assert_eq!(deal_to_one(&[nearly], 100), Some((0, 7..10)));
        assert_eq!(deal_to_one(&[sated], 100), None);
    }

    #[test]
    fn one_row_goes_to_the_split_with_least() {
        let demands = [SplitDemand { tokens_ahead: 5, ..EVEN }, EVEN];
        assert_eq!(deal(&demands, 1), [(1, 0..1)]);
    }
}
