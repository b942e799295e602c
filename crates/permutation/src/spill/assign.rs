//! Takes the split of each row and gives the permutation, in memory or through temporary files.

use lance_loader_order::{Result, Shuffle, SplitLayout};

use super::list::RowListBuilder;
use super::options::SpillOptions;
use super::place::{Placed, Placement};
use super::temp_file::WordWriter;
use crate::config::ShuffleConfig;
use crate::error::invalid;
use crate::names::MAX_SPLITS;
use crate::permutation::{Permutation, split_shuffle};
use crate::row_set::RowSetBuilder;

/// Collects the rows of each split: as compressed sets while they fit in the memory limit, in a temporary file beyond
/// it.
///
/// Memory: the limit, and some 600 bytes a split. On disk a row takes 16 bytes for each level of the distribution
/// (one up to 400 million rows under the default limit) and 8 in the finished list.
pub struct SplitAssigner {
    options: SpillOptions,
    placement: Placement,
    kept: Kept,
    lengths: Vec<u64>,
    names: Option<Vec<String>>,
    shuffle: Option<ShuffleConfig>,
    last: Option<u64>,
    /// Rows since the memory was last summed up.
    unchecked: usize,
}

enum Kept {
    Sets(Vec<RowSetBuilder>),
    /// Records of (split, row), each split's rows ascending.
    File(WordWriter),
}

impl SplitAssigner {
    /// For `num_splits` splits, or as many as the split numbers ask for.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where the options are not allowed.
    pub(crate) fn new(
        num_splits: Option<usize>,
        names: Option<Vec<String>>,
        shuffle: Option<ShuffleConfig>,
        options: SpillOptions,
    ) -> Result<Self> {
        options.validate()?;
        Ok(Self {
            placement: Placement::new(&options),
            options,
            kept: Kept::Sets(Vec::new()),
            lengths: vec![0; num_splits.unwrap_or(0)],
            names,
            shuffle,
            last: None,
            unchecked: 0,
        })
    }

    /// Adds rows with the numbers of their splits; `None` drops a row. Ordinals ascend over all calls. Call it a batch at
    /// a time: the memory is bounded between calls. After an error there is nothing to be done but to start anew.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for disorder, lists of unequal length, or the number of a split that there is not;
    /// `WRITE_FAILED` where the temporary file can't be written.
    pub fn push(&mut self, ordinals: &[u64], splits: &[Option<u64>]) -> Result<()> {
        if ordinals.len() != splits.len() {
            let (rows, numbers) = (ordinals.len(), splits.len());
            return Err(invalid(format!("{numbers} split numbers came for {rows} rows; each row needs one")));
        }
        for (&ordinal, &split) in ordinals.iter().zip(splits) {
            if self.last.is_some_and(|last| ordinal <= last) {
                return Err(invalid(format!(
                    "row {ordinal} comes out of order; rows must come in storage order, once each"
                )));
            }
            self.last = Some(ordinal);
            if let Some(split) = split {
                self.keep(ordinal, split)?;
            }
        }
        self.unchecked += ordinals.len();
        self.bound_memory()
    }

    /// The permutation of all rows so far.
    ///
    /// # Errors
    /// `WRITE_FAILED` and `READ_FAILED` of temporary files.
    pub fn finish(mut self) -> Result<Permutation> {
        let splits = self.lengths.len().max(1);
        self.lengths.resize(splits, 0);
        match self.kept {
            Kept::Sets(mut sets) => {
                sets.resize_with(splits, RowSetBuilder::new);
                let sets = sets.into_iter().map(RowSetBuilder::finish).collect();
                Permutation::from_sets(sets, self.shuffle, self.names)
            }
            Kept::File(file) => {
                let rows = file.finish()?.records(self.placement.buffer_bytes())?;
                let layout = SplitLayout::from_lengths(&self.lengths)?;
                let mut list = RowListBuilder::new(SpillOptions { memory_limit: 1, ..self.options })?;
                let mut targets = Targets::new(layout, self.shuffle);
                let mut split = 0;
                let layout = targets.layout.clone();
                self.placement.place(
                    0..layout.total(),
                    &mut rows.map(|row| targets.place(row?)),
                    &mut |start, rows| push_across_splits(&mut list, &layout, &mut split, start, rows),
                )?;
                Permutation::from_list(list.finish(splits)?, self.names)
            }
        }
    }

    fn keep(&mut self, ordinal: u64, split: u64) -> Result<()> {
        let at = self.split_index(split)?;
        self.lengths[at] += 1;
        match &mut self.kept {
            Kept::Sets(sets) => {
                if at >= sets.len() {
                    sets.resize_with(at + 1, RowSetBuilder::new);
                }
                sets[at].push(ordinal)
            }
            Kept::File(file) => file.write(&[split, ordinal]),
        }
    }

    fn split_index(&mut self, split: u64) -> Result<usize> {
        let at = usize::try_from(split).unwrap_or(usize::MAX);
        if let Some(names) = &self.names
            && at >= names.len()
        {
            let count = names.len();
            return Err(invalid(format!(
                "calculation gives split {split}, but splitNames has {count} names, for splits below {count}"
            )));
        }
        if at >= MAX_SPLITS {
            return Err(invalid(format!("calculation gives split {split}; it must be below {MAX_SPLITS}")));
        }
        if at >= self.lengths.len() {
            self.lengths.resize(at + 1, 0);
        }
        Ok(at)
    }

    /// Goes to disk where the sets pass the limit. Summing up is paid for by the rows since the last time.
    fn bound_memory(&mut self) -> Result<()> {
        let Kept::Sets(sets) = &mut self.kept else { return Ok(()) };
        if self.unchecked < sets.len() {
            return Ok(());
        }
        self.unchecked = 0;
        let bytes: usize = sets.iter().map(RowSetBuilder::memory_bytes).sum();
        if bytes as u64 <= self.options.memory_limit {
            return Ok(());
        }
        let mut file = WordWriter::create(self.options.temp_dir.as_deref(), self.placement.buffer_bytes())?;
        for (split, set) in (0..).zip(std::mem::take(sets)) {
            set.finish().iter().try_for_each(|ordinal| file.write(&[split, ordinal]))?;
        }
        self.kept = Kept::File(file);
        Ok(())
    }
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

/// Adds rows that stand at `start` and after it, counted over all splits, to the splits that they belong to.
fn push_across_splits(
    list: &mut RowListBuilder,
    layout: &SplitLayout,
    split: &mut usize,
    start: u64,
    mut rows: &[u64],
) -> Result<()> {
    let mut start = start;
    while !rows.is_empty() {
        let end = layout.start_of(*split + 1);
        let (here, after) = rows.split_at(rows.len().min((end - start) as usize));
        if here.is_empty() {
            *split += 1;
            continue;
        }
        list.push(*split as u64, here)?;
        start += here.len() as u64;
        rows = after;
    }
    Ok(())
}
