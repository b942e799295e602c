//! The plan of an epoch: which sample comes next, for the splits that one consumer owns.
//!
//! The next sample is always from the owned split that has yielded least, the lowest split first. In closed
//! form: for each level from the lowest progress on, every owned split whose progress is at most that level
//! and whose length is above it yields its sample number `level`, in split order. Between the levels at which
//! a split joins or ends, the splits that yield are the same: a *phase*. There are at most two phases a
//! split, and a phase is arithmetic.
//!
//! Where rows were skipped, a split's positions are ahead of its samples. Its sample number `level` then stands
//! that much further on, and it ends that much earlier.

mod cursor;

use crate::{Code, Error, Result, SplitLayout};
pub use cursor::{Cursor, Entry};
use std::ops::Range;

/// The samples that a consumer has still to hand over in an epoch, in order, from any progress.
///
/// Memory: under a hundred bytes a split, whatever the number of rows. Read it through a [`Cursor`].
#[derive(Clone, Debug)]
pub struct Plan {
    /// Samples of each split that were handed over before the plan starts.
    progress: Vec<u64>,
    /// Rows of each split that were skipped before the plan starts.
    skipped: Vec<u64>,
    /// The owned splits that have samples left, ascending.
    lanes: Vec<Lane>,
    /// The same, by the level at which they join.
    arrivals: Vec<Lane>,
    phases: Vec<Phase>,
    remaining: u64,
    total: u64,
}

/// Where a plan ends after rows were skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Where the first split that has lost rows does: no cycle without it is complete.
    CompleteCycle,
    /// At the last row of every split, which may be needed in the place of others that will be skipped.
    LastRow,
}

/// A split that has samples left.
#[derive(Clone, Copy, Debug)]
struct Lane {
    split: usize,
    /// The position in the epoch of the split's first row.
    start: u64,
    /// How far positions are ahead of levels: the rows that were skipped.
    skipped: u64,
    /// The level at which the split joins: its progress.
    join: u64,
    /// The level at which the split has ended: its length, where no row was skipped.
    end: u64,
}

impl Lane {
    fn yields_at(&self, level: u64) -> bool {
        self.join <= level && level < self.end
    }
}

/// Levels at which the same splits yield.
#[derive(Clone, Copy, Debug)]
struct Phase {
    levels: (u64, u64),
    /// How many splits yield.
    lanes: usize,
    /// Samples of the plan before this phase.
    before: u64,
}

/// A place in the plan: the phase, the level, and how many lanes of that level have yielded.
struct Place {
    phase: usize,
    level: u64,
    lane: usize,
}

impl Plan {
    /// The plan of the `owned` splits of `layout`, of which `progress` samples each (one number for every
    /// split of the layout) were handed over already. Progress may be uneven: the splits that lag catch up
    /// first.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where `owned` is no range of splits, `progress` has another length than the layout,
    /// or is beyond a split. Time: O(splits log splits).
    pub fn new(layout: &SplitLayout, owned: Range<usize>, progress: &[u64]) -> Result<Self> {
        Self::after_skips(layout, owned, progress, progress, End::LastRow)
    }

    /// The plan where rows were skipped: besides `progress`, `positions` says for each split how many of its rows
    /// were passed, handed over or skipped. Where none were, the plan is that of [`new`](Self::new).
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` as for [`new`](Self::new), and where `positions` has another length than the layout, is
    /// below `progress`, or is beyond a split.
    pub fn after_skips(
        layout: &SplitLayout,
        owned: Range<usize>,
        progress: &[u64],
        positions: &[u64],
        end: End,
    ) -> Result<Self> {
        check_owned(layout, &owned)?;
        check_progress(layout, "progress", progress)?;
        check_progress(layout, "positions", positions)?;
        let skipped = skips_of(progress, positions)?;
        let lane = |(split, (join, skipped)): (usize, (&u64, &u64))| Lane {
            split,
            start: layout.start_of(split),
            skipped: *skipped,
            join: *join,
            end: layout.len_of(split) - skipped,
        };
        let splits = progress.iter().zip(&skipped).enumerate();
        let mut lanes: Vec<Lane> = splits.take(owned.end).skip(owned.start).map(lane).collect();
        if end == End::CompleteCycle {
            let last = lanes.iter().filter(|lane| lane.skipped > 0).map(|lane| lane.end).min();
            for lane in &mut lanes {
                lane.end = lane.end.min(last.unwrap_or(u64::MAX));
            }
        }
        lanes.retain(|lane| lane.join < lane.end);
        let mut arrivals = lanes.clone();
        arrivals.sort_by_key(|lane| lane.join);
        let phases = phases_of(&lanes);
        let remaining = lanes.iter().map(|lane| lane.end - lane.join).sum();
        let total = layout.start_of(owned.end) - layout.start_of(owned.start);
        Ok(Self { progress: progress.to_vec(), skipped, lanes, arrivals, phases, remaining, total })
    }

    /// The samples of the owned splits in the whole epoch, those already handed over included.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// The samples that the plan has.
    pub const fn remaining(&self) -> u64 {
        self.remaining
    }

    /// The progress of every split of the layout once `samples` samples of the plan were handed over; all of
    /// them where `samples` passes [`remaining`](Self::remaining). Splits that are not owned keep their
    /// progress. O(splits).
    pub fn progress_after(&self, samples: u64) -> Vec<u64> {
        let (level, mut partial) = match self.place_of(samples) {
            Some(place) => (place.level, place.lane),
            None => (u64::MAX, 0),
        };
        let mut progress = self.progress.clone();
        for lane in &self.lanes {
            let mut yielded = level.clamp(lane.join, lane.end);
            if partial > 0 && lane.yields_at(level) {
                yielded += 1;
                partial -= 1;
            }
            if let Some(progress) = progress.get_mut(lane.split) {
                *progress = yielded;
            }
        }
        progress
    }

    /// The rows of every split of the layout that were passed once `samples` samples of the plan were handed over: the
    /// progress, and what was skipped before the plan starts. O(splits).
    pub fn positions_after(&self, samples: u64) -> Vec<u64> {
        let progress = self.progress_after(samples);
        progress.iter().zip(&self.skipped).map(|(progress, skipped)| progress + skipped).collect()
    }

    /// Where the sample number `sample` of the plan stands; nowhere, from the end on. O(log splits).
    fn place_of(&self, sample: u64) -> Option<Place> {
        let phase = self.phases.partition_point(|phase| phase.before <= sample).checked_sub(1)?;
        let found = self.phases.get(phase)?;
        let (inside, lanes) = (sample - found.before, found.lanes as u64);
        let level = found.levels.0 + inside / lanes;
        (level < found.levels.1).then_some(Place { phase, level, lane: (inside % lanes) as usize })
    }
}

/// Cuts the levels at every join and end. Levels at which no split yields are left out.
fn phases_of(lanes: &[Lane]) -> Vec<Phase> {
    let mut joins: Vec<u64> = lanes.iter().map(|lane| lane.join).collect();
    let mut ends: Vec<u64> = lanes.iter().map(|lane| lane.end).collect();
    joins.sort_unstable();
    ends.sort_unstable();
    let mut edges = [joins.as_slice(), ends.as_slice()].concat();
    edges.sort_unstable();
    edges.dedup();
    let mut phases = Vec::with_capacity(edges.len());
    let mut before = 0;
    for (first, end) in edges.iter().zip(edges.iter().skip(1)) {
        let passed = |levels: &[u64]| levels.partition_point(|level| level <= first);
        let lanes = passed(&joins) - passed(&ends);
        if lanes > 0 {
            phases.push(Phase { levels: (*first, *end), lanes, before });
            before += (end - first) * lanes as u64;
        }
    }
    phases
}

fn check_owned(layout: &SplitLayout, owned: &Range<usize>) -> Result<()> {
    let num_splits = layout.num_splits();
    if owned.start <= owned.end && owned.end <= num_splits {
        return Ok(());
    }
    let (start, end) = (owned.start, owned.end);
    let message =
        format!("owned splits are {start}..{end}: they must be a range inside the {num_splits} splits");
    Err(Error::new(Code::InvalidArgument, message))
}

fn check_progress(layout: &SplitLayout, name: &str, progress: &[u64]) -> Result<()> {
    let num_splits = layout.num_splits();
    if progress.len() != num_splits {
        let given = progress.len();
        let message =
            format!("{name} has {given} numbers: it must have one for each of the {num_splits} splits");
        return Err(Error::new(Code::InvalidArgument, message));
    }
    let beyond = progress.iter().enumerate().find(|(split, progress)| **progress > layout.len_of(*split));
    let Some((split, progress)) = beyond else {
        return Ok(());
    };
    let length = layout.len_of(split);
    let message = format!(
        "{name} of split {split} is {progress}: the split has {length} samples, so it is at most that"
    );
    Err(Error::new(Code::InvalidArgument, message))
}

/// The rows of each split that were passed without becoming a sample.
fn skips_of(progress: &[u64], positions: &[u64]) -> Result<Vec<u64>> {
    let pairs = progress.iter().zip(positions).enumerate();
    let skips = pairs.map(|(split, (progress, position))| {
        position.checked_sub(*progress).ok_or_else(|| {
            let message = format!(
                "positions of split {split} is {position}: it must be at least the progress, {progress}"
            );
            Error::new(Code::InvalidArgument, message)
        })
    });
    skips.collect()
}

#[cfg(test)]
mod elasticity;
#[cfg(test)]
mod skips;
#[cfg(test)]
mod tests;
