//! The same samples on every topology, and none lost or repeated across resumes.

use super::*;
use crate::{Domain, Key, Order, Remainder, Shuffle, Topology};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Every pair of a world size and a number of workers that divides [`NUM_SPLITS`].
const NUM_SPLITS: usize = 48;
const TOPOLOGIES: [(usize, usize); 12] =
    [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (4, 2), (6, 1), (6, 2), (8, 1), (8, 2)];

struct Epoch {
    layout: SplitLayout,
    order: Order,
}

impl Epoch {
    fn new(rows: u64, num_splits: usize, remainder: Remainder, clump_size: u64) -> Self {
        let layout = SplitLayout::new(rows, num_splits, remainder).unwrap();
        let key = Key::derive(7, 1, Domain::Epoch);
        Self { layout, order: Order::Shuffled(Shuffle::new(rows, clump_size, key).unwrap()) }
    }

    fn untouched(&self) -> Vec<u64> {
        vec![0; self.layout.num_splits()]
    }

    /// All consumers of a topology, each from the same progress.
    fn start(&self, (world_size, num_workers): (usize, usize), progress: &[u64]) -> Vec<Cursor> {
        let place = |consumer: usize| {
            Topology::new(consumer / num_workers, world_size, consumer % num_workers, num_workers).unwrap()
        };
        let owned = (0..world_size * num_workers)
            .map(|consumer| place(consumer).owned(self.layout.num_splits()).unwrap());
        owned.map(|owned| Cursor::new(Plan::new(&self.layout, owned, progress).unwrap())).collect()
    }

    /// The rows of the next `count` samples of one consumer.
    fn read(&self, cursor: &mut Cursor, count: usize) -> Vec<u64> {
        let mut rows = vec![0; count];
        let filled = cursor.fill_positions(&mut rows);
        rows.truncate(filled);
        self.order.map_positions(&mut rows).unwrap();
        rows
    }

    /// One global step: every consumer reads its share of the global batch.
    fn step(&self, cursors: &mut [Cursor], global_batch: usize) -> BTreeSet<u64> {
        let share = global_batch / cursors.len();
        cursors.iter_mut().flat_map(|cursor| self.read(cursor, share)).collect()
    }

    fn steps(&self, cursors: &mut [Cursor], global_batch: usize) -> Vec<BTreeSet<u64>> {
        let steps = std::iter::from_fn(|| Some(self.step(cursors, global_batch)));
        steps.take_while(|rows| !rows.is_empty()).collect()
    }

    fn rest(&self, cursors: &mut [Cursor]) -> Vec<u64> {
        cursors.iter_mut().flat_map(|cursor| self.read(cursor, 10_000)).collect()
    }
}

/// What the consumers' progress is together: the most that any of them knows of.
fn merged(cursors: &[Cursor]) -> Vec<u64> {
    combined(cursors, u64::max)
}

fn combined(cursors: &[Cursor], rule: fn(u64, u64) -> u64) -> Vec<u64> {
    let states = cursors.iter().map(|cursor| cursor.plan().progress_after(cursor.position()));
    states.reduce(|a, b| a.iter().zip(&b).map(|(a, b)| rule(*a, *b)).collect()).unwrap()
}

#[test]
fn the_samples_of_a_step_do_not_depend_on_the_topology() {
    for remainder in [Remainder::Drop, Remainder::Keep] {
        for (clump_size, cycles) in [(1, 1), (1, 2), (5, 3), (5, 100)] {
            let epoch = Epoch::new(48 * 7 + 11, NUM_SPLITS, remainder, clump_size);
            let steps =
                |topology| epoch.steps(&mut epoch.start(topology, &epoch.untouched()), NUM_SPLITS * cycles);
            let expected = steps((1, 1));
            assert_eq!(expected.iter().map(BTreeSet::len).sum::<usize>() as u64, epoch.layout.total());
            for topology in TOPOLOGIES {
                assert_eq!(steps(topology), expected, "{topology:?}, {remainder:?}, {cycles} cycles a step");
            }
        }
    }
}

#[test]
fn a_global_batch_of_broken_cycles_does_depend_on_it() {
    // The control of the test above: its comparison sees a difference where there is one.
    let epoch = Epoch::new(48 * 7, NUM_SPLITS, Remainder::Drop, 1);
    let steps = |topology| epoch.steps(&mut epoch.start(topology, &epoch.untouched()), NUM_SPLITS / 2);
    assert!([(2, 1), (3, 1), (1, 2)].iter().all(|topology| steps(*topology) != steps((1, 1))));
}

#[test]
fn a_run_resumed_on_any_topology_goes_on_with_the_same_steps() {
    let epoch = Epoch::new(48 * 5 + 3, NUM_SPLITS, Remainder::Keep, 4);
    let uninterrupted = epoch.steps(&mut epoch.start((1, 1), &epoch.untouched()), NUM_SPLITS);
    for (first, second) in TOPOLOGIES.iter().zip(TOPOLOGIES.iter().rev()) {
        for stop in 0..=uninterrupted.len() {
            let mut cursors = epoch.start(*first, &epoch.untouched());
            let before: Vec<_> = (0..stop).map(|_| epoch.step(&mut cursors, NUM_SPLITS)).collect();
            let after = epoch.steps(&mut epoch.start(*second, &merged(&cursors)), NUM_SPLITS);
            assert_eq!([before, after].concat(), uninterrupted, "{first:?} to {second:?} after {stop} steps");
        }
    }
}

#[test]
fn one_consumer_resumed_at_any_sample_goes_on_in_the_same_order() {
    for clump_size in [1, 4, 5, 16] {
        let epoch = Epoch::new(64, 4, Remainder::Drop, clump_size);
        let whole = epoch.rest(&mut epoch.start((1, 1), &epoch.untouched()));
        for stop in 0..=whole.len() {
            let mut cursors = epoch.start((1, 1), &epoch.untouched());
            let mut rows = epoch.read(&mut cursors[0], stop);
            rows.extend(epoch.rest(&mut epoch.start((1, 1), &merged(&cursors))));
            assert_eq!(rows, whole, "clumps of {clump_size}, stopped after {stop}");
        }
    }
}

/// Whether three runs, stopped at any sample of each consumer and resumed twice on other topologies, together
/// hand over every row once.
fn covers_once(epoch: &Epoch, runs: [(usize, usize); 3], stops: &[usize], rule: fn(u64, u64) -> u64) -> bool {
    let mut progress = epoch.untouched();
    let mut rows = Vec::new();
    for (at, topology) in runs.into_iter().enumerate() {
        let mut cursors = epoch.start(topology, &progress);
        if at + 1 == runs.len() {
            rows.extend(epoch.rest(&mut cursors));
        }
        for (cursor, stop) in cursors.iter_mut().zip(stops.iter().cycle().skip(at)) {
            rows.extend(epoch.read(cursor, *stop));
        }
        progress = combined(&cursors, rule);
    }
    rows.sort_unstable();
    let mut expected: Vec<u64> = (0..epoch.layout.total()).collect();
    epoch.order.map_positions(&mut expected).unwrap();
    expected.sort_unstable();
    rows == expected
}

proptest! {
    #[test]
    fn runs_stopped_anywhere_lose_and_repeat_nothing(
        topologies in prop::array::uniform3(prop::sample::select(TOPOLOGIES.to_vec())),
        stops in prop::collection::vec(0_usize..60, 1..6), keep: bool, surplus in 0_u64..48,
    ) {
        let remainder = if keep { Remainder::Keep } else { Remainder::Drop };
        let epoch = Epoch::new(48 * 4 + surplus, NUM_SPLITS, remainder, 3);
        prop_assert!(covers_once(&epoch, topologies, &stops, u64::max));
    }
}

#[test]
fn a_wrong_merge_of_progress_is_seen() {
    // The control of the test above: the least that a consumer knows of repeats what the others handed over.
    let epoch = Epoch::new(48 * 4, NUM_SPLITS, Remainder::Drop, 3);
    assert!(covers_once(&epoch, [(2, 1), (4, 1), (1, 1)], &[5], u64::max));
    assert!(!covers_once(&epoch, [(2, 1), (4, 1), (1, 1)], &[5], u64::min));
}

#[test]
fn uneven_progress_is_evened_out_before_anything_else() {
    let epoch = Epoch::new(6 * 10, 6, Remainder::Drop, 1);
    let progress = [9, 2, 4, 4, 3, 0];
    let mut cursor = epoch.start((1, 1), &progress).remove(0);
    // Up to level 4, all but split 0 catch up: 2 + 0 + 0 + 1 + 4 samples, none of them from split 0.
    cursor.seek(7);
    assert_eq!(cursor.plan().progress_after(7), [9, 4, 4, 4, 4, 4]);
    // Control: an even start moves split 0 in the first cycle.
    assert_eq!(epoch.start((1, 1), &[0; 6])[0].plan().progress_after(7), [2, 1, 1, 1, 1, 1]);
}
