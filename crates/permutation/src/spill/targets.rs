//! Where the rows of splits stand in a list of all splits.

use lance_loader_order::{Result, Shuffle, SplitLayout};

use super::list::RowList;
use super::options::SpillOptions;
use super::place::{Placed, Placement};
use super::words::{Words, WordsBuilder};
use crate::config::ShuffleConfig;
use crate::error::invalid;
use crate::permutation::split_shuffle;

/// The list of `pairs`, records of (split, row) with the rows of each split in order: as many as `layout` says.
///
/// Memory: the limit. What is on disk stays there.
pub(super) fn in_splits(
    pairs: Words,
    layout: SplitLayout,
    shuffle: Option<ShuffleConfig>,
    options: &SpillOptions,
) -> Result<RowList> {
    let placement = Placement::new(options);
    let limit = if pairs.is_on_disk() { 1 } else { options.memory_limit };
    let mut list = WordsBuilder::new(options.with_limit(limit));
    let mut targets = Targets::new(layout.clone(), shuffle);
    let mut placed = pairs.records(placement.buffer_bytes())?.map(|pair| targets.place(pair?));
    placement.place(0..layout.total(), &mut placed, &mut |_, rows| list.push(rows))?;
    Ok(RowList::new(list.finish()?, layout))
}

/// The position of each row, as the rows of each split come in order.
struct Targets {
    layout: SplitLayout,
    shuffle: Option<ShuffleConfig>,
    /// For each split its next index, and its shuffle once it was needed.
    splits: Vec<(u64, Option<Shuffle>)>,
}

impl Targets {
    fn new(layout: SplitLayout, shuffle: Option<ShuffleConfig>) -> Self {
        let splits = vec![(0, None); layout.num_splits()];
        Self { layout, shuffle, splits }
    }

    fn place(&mut self, [split, row]: [u64; 2]) -> Result<Placed> {
        let at = split as usize;
        let Some((next, order)) = self.splits.get_mut(at) else {
            return Err(invalid(format!("split is {split}; it must be below {}", self.layout.num_splits())));
        };
        let index = *next;
        *next += 1;
        let position = match self.shuffle {
            None => index,
            Some(shuffle) => {
                let order = match order {
                    Some(order) => order,
                    None => order.insert(split_shuffle(shuffle, at, self.layout.len_of(at))?),
                };
                order.position_of(index)?
            }
        };
        Ok([self.layout.start_of(at) + position, row])
    }
}
