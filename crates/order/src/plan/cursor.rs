//! Walking through a plan.

use super::{Lane, Phase, Place, Plan};
use std::sync::Arc;

/// One sample of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The split that yields the sample.
    pub split: usize,
    /// The index of the sample's row inside its split.
    pub position: u64,
}

/// A place in a [`Plan`], which hands out its samples in order.
///
/// The cost of a sample depends neither on rows nor on splits: only the splits that yield are visited, and
/// these are kept from phase to phase. Memory: under fifty bytes an owned split.
#[derive(Clone, Debug)]
pub struct Cursor {
    plan: Arc<Plan>,
    /// The current phase; behind the last one at the end.
    phase: usize,
    level: u64,
    /// How many of `active` have yielded at `level`: fewer than all.
    lane: usize,
    /// The lanes that yield in the current phase, ascending by split.
    active: Vec<Lane>,
    /// How many of the plan's arrivals have joined.
    arrived: usize,
}

impl Cursor {
    /// A cursor at the first sample of `plan`, a [`Plan`] or an [`Arc`] of one.
    pub fn new(plan: impl Into<Arc<Plan>>) -> Self {
        let plan = plan.into();
        let mut cursor = Self { plan, phase: 0, level: 0, lane: 0, active: Vec::new(), arrived: 0 };
        cursor.enter(0);
        cursor
    }

    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// How many samples of the plan are before the cursor.
    pub fn position(&self) -> u64 {
        self.plan.phases.get(self.phase).map_or_else(
            || self.plan.remaining,
            |phase| phase.before + (self.level - phase.levels.0) * phase.lanes as u64 + self.lane as u64,
        )
    }

    /// Goes to the sample number `sample` of the plan, forwards or backwards; to the end where there are not
    /// as many. O(splits), however far.
    pub fn seek(&mut self, sample: u64) {
        let plan = &self.plan;
        self.active.clear();
        let Some(place) = plan.place_of(sample) else {
            self.phase = plan.phases.len();
            return;
        };
        self.active.extend(plan.lanes.iter().filter(|lane| lane.yields_at(place.level)));
        self.arrived = plan.arrivals.partition_point(|lane| lane.join <= place.level);
        Place { phase: self.phase, level: self.level, lane: self.lane } = place;
    }

    /// Fills `entries` with the next samples and returns how many there were: fewer only at the end.
    pub fn fill(&mut self, entries: &mut [Entry]) -> usize {
        self.fill_with(entries, |lane, level| Entry { split: lane.split, position: lane.skipped + level })
    }

    /// Fills `positions` with the next samples' positions in the epoch, to be mapped to rows by an
    /// [`Order`](crate::Order), and returns how many there were: fewer only at the end.
    pub fn fill_positions(&mut self, positions: &mut [u64]) -> usize {
        self.fill_with(positions, |lane, level| lane.start + lane.skipped + level)
    }

    fn fill_with<T>(&mut self, out: &mut [T], sample: impl Fn(&Lane, u64) -> T) -> usize {
        let mut filled = 0;
        while let (Some(phase), Some(room)) =
            (self.plan.phases.get(self.phase).copied(), out.get_mut(filled..))
            && !room.is_empty()
        {
            let count = self.fill_phase(phase, room, &sample);
            filled += count;
        }
        filled
    }

    /// Fills `room` with samples of the current phase, and enters the next one when it has no more.
    fn fill_phase<T>(&mut self, phase: Phase, room: &mut [T], sample: impl Fn(&Lane, u64) -> T) -> usize {
        let left = (phase.levels.1 - self.level) * phase.lanes as u64 - self.lane as u64;
        let count = left.min(room.len() as u64) as usize;
        let (room, _) = room.split_at_mut(count);
        // The rest of a level that was begun, then whole levels, then the beginning of one.
        let begun = if self.lane == 0 { 0 } else { count.min(phase.lanes - self.lane) };
        let (rest, levels) = room.split_at_mut(begun);
        rest.iter_mut()
            .zip(self.active.iter().skip(self.lane))
            .for_each(|(slot, lane)| *slot = sample(lane, self.level));
        self.advance(phase, begun);
        if let [only] = self.active.as_slice() {
            levels.iter_mut().zip(self.level..).for_each(|(slot, level)| *slot = sample(only, level));
        } else {
            for (cycle, level) in levels.chunks_mut(phase.lanes).zip(self.level..) {
                cycle.iter_mut().zip(&self.active).for_each(|(slot, lane)| *slot = sample(lane, level));
            }
        }
        self.advance(phase, count - begun);
        if self.level == phase.levels.1 {
            self.enter(self.phase + 1);
        }
        count
    }

    fn advance(&mut self, phase: Phase, samples: usize) {
        let lane = self.lane + samples;
        self.level += (lane / phase.lanes) as u64;
        self.lane = lane % phase.lanes;
    }

    /// Goes from the phase before to the start of `phase`. What it costs is proportional to the lanes of the
    /// two: a phase yields at least one sample a lane, so that it is constant a sample.
    fn enter(&mut self, phase: usize) {
        self.phase = phase;
        let Some(next) = self.plan.phases.get(phase) else {
            self.active.clear();
            return;
        };
        self.level = next.levels.0;
        self.active.retain(|lane| lane.end > self.level);
        let joined = self.plan.arrivals.iter().skip(self.arrived).take_while(|lane| lane.join <= self.level);
        let kept = self.active.len();
        self.active.extend(joined);
        self.arrived += self.active.len() - kept;
        // Two ascending runs: the stable sort merges them in linear time.
        self.active.sort_by_key(|lane| lane.split);
    }
}
