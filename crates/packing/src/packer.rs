//! Packing over the splits that one reader owns.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use lance_loader_order::{Code, Error, Result};

use crate::block_batch::BlockBatch;
use crate::options::{PackOptions, invalid};
use crate::progress::{Progress, SplitProgress};
use crate::split_packer::SplitPacker;
use crate::state::PackState;
use crate::stats::PackStats;
use crate::token::{Token, TokenSource};

/// Why [`Packer::pack`] stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackOutcome {
    /// The batch is full.
    Full,
    /// This split wants documents before its next block, which is the next one in order, can be written.
    Needs(u32),
    /// Every owned split has given all blocks of its budget.
    Complete,
}

/// Packs the documents of a contiguous range of splits into blocks.
///
/// The next block is always from the split that has given least, the lowest index first: whole cycles, one block a
/// split. What comes out depends on the documents of each split alone, not on when they are pushed.
///
/// Memory: the tokens that were pushed and not [released](Packer::release), and 8 bytes for each of their documents.
#[derive(Clone, Debug)]
pub struct Packer<T> {
    options: PackOptions,
    length: usize,
    owned: Range<u32>,
    splits: Vec<SplitPacker<T>>,
    /// The blocks that each split has given and its index in `splits`, the next to give on top.
    turns: BinaryHeap<Reverse<(u64, usize)>>,
    /// What was known of all splits at the start; stays true of those that are not owned.
    start: PackState,
}

impl<T: Token> Packer<T> {
    /// A packer at the start of an epoch, over the splits `owned` out of `documents_per_split.len()`.
    ///
    /// `documents_per_split` counts the documents of every split, so that a split knows when it has only padding left.
    pub fn new(options: PackOptions, documents_per_split: &[u64], owned: Range<u32>) -> Result<Self> {
        let start = PackState::start(&options, documents_per_split.len());
        Self::resume(options, documents_per_split, owned, &start)
    }

    /// A packer that goes on from a state that a user gives: one of a complete cycle of all splits that it knows of, so a
    /// state of the same splits or a [merged](crate::merge_pack_states) one.
    ///
    /// A state of other options, beyond the documents or the budget, or with a broken buffer is refused.
    pub fn load(
        options: PackOptions,
        documents_per_split: &[u64],
        owned: Range<u32>,
        state: &PackState,
    ) -> Result<Self> {
        let packer = Self::resume(options, documents_per_split, owned.clone(), state)?;
        state.check_complete_cycle(owned)?;
        Ok(packer)
    }

    /// The same from the middle of a cycle too: for a state that this very range of splits was left at.
    ///
    /// The splits that lag come first. A state of other splits would be taken for one of splits that lag.
    pub fn resume(
        options: PackOptions,
        documents_per_split: &[u64],
        owned: Range<u32>,
        state: &PackState,
    ) -> Result<Self> {
        let num_splits = documents_per_split.len();
        let layout = options.layout::<T>(num_splits)?;
        if owned.start >= owned.end || owned.end as usize > num_splits {
            let Range { start, end } = owned;
            return Err(invalid(format!(
                "the owned splits are {start}..{end}; they must be at least one of 0..{num_splits}"
            )));
        }
        state.check_shape(num_splits)?;
        state.check_same_packing(&options)?;
        let mut start = state.clone();
        let mut counts = Vec::with_capacity(num_splits);
        let mut splits = Vec::with_capacity(owned.len());
        for (split, &documents) in documents_per_split.iter().enumerate() {
            let checked = state.split(split, documents, layout.blocks_per_split)?;
            counts.push(checked.progress.counts);
            if (owned.start as usize..owned.end as usize).contains(&split) {
                splits.push(SplitPacker::new(split, layout, documents, checked));
            }
        }
        start.pack_counts = Some(counts);
        let turns = splits
            .iter()
            .enumerate()
            .map(|(index, split)| Reverse((split.progress().blocks, index)))
            .collect();
        Ok(Self { options, length: layout.length, owned, splits, turns, start })
    }

    /// The options.
    pub fn options(&self) -> &PackOptions {
        &self.options
    }

    /// The owned splits.
    pub fn owned(&self) -> Range<u32> {
        self.owned.clone()
    }

    /// Appends the next document of a split, of any integer type: the one of number [`Packer::documents_pushed`].
    ///
    /// Splits may be fed in any order, ahead of need too. An error (a token that does not fit the type of the ids, a
    /// document that is too long to stay whole, one more than the split has) appends nothing. O(tokens), no allocation
    /// but the buffer's growth.
    pub fn push<V: TokenSource>(&mut self, split: u32, document: &[V]) -> Result<()> {
        let index = self.index(split)?;
        self.splits[index].push(document)
    }

    /// Whether a split wants documents before its next block can be written; never once it is complete.
    pub fn needs(&self, split: u32) -> Result<bool> {
        Ok(self.splits[self.index(split)?].needs())
    }

    /// Whether a split has given all blocks of its budget: what follows in it is left over.
    pub fn is_complete(&self, split: u32) -> Result<bool> {
        Ok(self.splits[self.index(split)?].is_complete())
    }

    /// Documents of a split that were pushed, those before a resume included: where reading goes on.
    pub fn documents_pushed(&self, split: u32) -> Result<u64> {
        Ok(self.splits[self.index(split)?].documents_pushed())
    }

    /// Tokens that are held for a split.
    pub fn buffered_tokens(&self, split: u32) -> Result<u64> {
        Ok(self.splits[self.index(split)?].buffered_tokens())
    }

    /// Writes blocks into the rows of `batch` that are free, as far as the documents allow.
    ///
    /// O(tokens written); best-fit also plans a window at a time, O(n log n) in its documents.
    pub fn pack(&mut self, batch: &mut BlockBatch<'_, T>) -> Result<PackOutcome> {
        if batch.length() != self.length {
            return Err(invalid(format!(
                "the batch has blocks of {} tokens; packSequences is {}",
                batch.length(),
                self.length
            )));
        }
        while !batch.is_full() {
            let Some(split) = self.next_split() else { return Ok(PackOutcome::Complete) };
            let index = (split - self.owned.start) as usize;
            let packer = &mut self.splits[index];
            if packer.needs() {
                return Ok(PackOutcome::Needs(split));
            }
            packer.prepare()?;
            if let Some(row) = batch.next_row() {
                packer.write(row);
            }
            if let Some(mut turn) = self.turns.peek_mut() {
                *turn = Reverse((packer.progress().blocks, index));
            }
        }
        Ok(PackOutcome::Full)
    }

    /// The split whose block is the next one; none once every owned split has given its budget.
    pub fn next_split(&mut self) -> Option<u32> {
        while let Some(&Reverse((_, index))) = self.turns.peek() {
            if !self.splits[index].is_complete() {
                return Some(self.owned.start + index as u32);
            }
            self.turns.pop();
        }
        None
    }

    /// How far one owned split is.
    pub fn split_progress(&self, split: u32) -> Result<SplitProgress> {
        Ok(self.splits[self.index(split)?].progress())
    }

    /// Blocks that the owned splits have still to give.
    pub fn blocks_left(&self) -> u64 {
        self.splits.iter().map(SplitPacker::blocks_left).sum()
    }

    /// Tokens of a split that were pushed and that no block holds yet.
    pub fn tokens_ahead(&self, split: u32) -> Result<u64> {
        Ok(self.splits[self.index(split)?].tokens_ahead())
    }

    /// Tokens that a split can make use of, at most, before its budget ends.
    pub fn tokens_usable(&self, split: u32) -> Result<u64> {
        Ok(self.splits[self.index(split)?].tokens_usable())
    }

    /// How far the owned splits are: a small snapshot to keep beside the batch that it follows.
    pub fn progress(&self) -> Progress {
        Progress { splits: self.splits.iter().map(SplitPacker::progress).collect() }
    }

    /// Forgets the tokens before `progress`: once a consumer has got so far, no earlier state is asked for.
    pub fn release(&mut self, progress: &Progress) -> Result<()> {
        self.check_progress(progress)?;
        self.splits.iter_mut().zip(&progress.splits).for_each(|(split, progress)| split.release(progress));
        Ok(())
    }

    /// The state at `progress`, this one or an earlier one back to what was released. Nothing moves.
    ///
    /// Copies the rest of the last document of each split (concat), or nothing (best-fit). Splits that are not owned are
    /// as they were in the state that was loaded.
    pub fn state(&self, progress: &Progress) -> Result<PackState> {
        self.check_progress(progress)?;
        let mut state = self.start.clone();
        for (offset, (split, progress)) in self.splits.iter().zip(&progress.splits).enumerate() {
            state.set(self.owned.start as usize + offset, split.state(progress)?);
        }
        Ok(state)
    }

    /// What the owned splits had handed over at `progress`.
    pub fn stats(&self, progress: &Progress) -> PackStats {
        let documents = self.splits.iter().map(SplitPacker::documents).fold(0, u64::saturating_add);
        PackStats::new(progress, documents, self.length)
    }

    fn index(&self, split: u32) -> Result<usize> {
        if self.owned.contains(&split) {
            return Ok((split - self.owned.start) as usize);
        }
        Err(invalid(format!(
            "split {split} is not owned; the owned ones are {}..{}",
            self.owned.start, self.owned.end
        )))
    }

    fn check_progress(&self, progress: &Progress) -> Result<()> {
        let past = |(split, at): (&SplitPacker<T>, &SplitProgress)| split.progress().blocks >= at.blocks;
        if progress.splits.len() == self.splits.len() && self.splits.iter().zip(&progress.splits).all(past) {
            return Ok(());
        }
        Err(Error::new(Code::Internal, "a packer was handed the progress of another one"))
    }
}
