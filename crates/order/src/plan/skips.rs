//! Plans that begin where rows were skipped.

use super::*;
use crate::Remainder;
use proptest::prelude::*;

/// One split: its length, the rows that were passed, and which of them, counted from its start, were skipped.
type Passed = (u64, Vec<bool>);

/// The rule itself: the owned split that has yielded least is next, with the row behind those that it has passed; up
/// to a complete cycle, as long as every owned split that lost rows has a sample for it.
fn model(splits: &[Passed], owned: Range<usize>, end: End) -> Vec<Entry> {
    let mut yielded: Vec<u64> = splits.iter().map(|(_, skipped)| samples(skipped)).collect();
    let mut passed: Vec<u64> = splits.iter().map(|(_, skipped)| skipped.len() as u64).collect();
    let mut entries = Vec::new();
    let lost_some = |split: &usize| splits[*split].1.contains(&true);
    while let Some(split) =
        owned.clone().filter(|split| passed[*split] < splits[*split].0).min_by_key(|split| yielded[*split])
    {
        let cycle = yielded[split];
        if end == End::CompleteCycle
            && owned
                .clone()
                .filter(lost_some)
                .any(|other| yielded[other] <= cycle && passed[other] == splits[other].0)
        {
            break;
        }
        entries.push(Entry { split, position: passed[split] });
        yielded[split] += 1;
        passed[split] += 1;
    }
    entries
}

fn samples(skipped: &[bool]) -> u64 {
    skipped.iter().filter(|skipped| !**skipped).count() as u64
}

/// Splits that were read in part, those that are owned, and where the plan ends.
fn starts() -> impl Strategy<Value = (Vec<Passed>, Range<usize>, End)> {
    let split = (0_u64..12, prop::collection::vec(prop::bool::weighted(0.2), 0..12));
    prop::collection::vec(split, 1..7)
        .prop_flat_map(|splits| {
            let count = splits.len();
            let end = prop::sample::select(vec![End::CompleteCycle, End::LastRow]);
            (Just(splits), 0..=count, 0..=count, end)
        })
        .prop_map(|(mut splits, a, b, end)| {
            for (length, skipped) in &mut splits {
                skipped.truncate(*length as usize);
            }
            (splits, a.min(b)..a.max(b), end)
        })
}

fn plan_of(splits: &[Passed], owned: Range<usize>, end: End) -> Result<Plan> {
    let lengths: Vec<u64> = splits.iter().map(|(length, _)| *length).collect();
    let progress: Vec<u64> = splits.iter().map(|(_, skipped)| samples(skipped)).collect();
    let positions: Vec<u64> = splits.iter().map(|(_, skipped)| skipped.len() as u64).collect();
    Plan::after_skips(&SplitLayout::from_lengths(&lengths)?, owned, &progress, &positions, end)
}

proptest! {
    #[test]
    fn rows_come_as_samples_of_the_split_that_has_yielded_least((splits, owned, end) in starts(), seek in 0_u64..80) {
        let plan = plan_of(&splits, owned.clone(), end)?;
        let expected = model(&splits, owned, end);
        let mut entries = vec![Entry::default(); expected.len() + 1];
        prop_assert_eq!(Cursor::new(plan.clone()).fill(&mut entries), expected.len());
        prop_assert_eq!(&entries[..expected.len()], &expected);
        let handed = seek.min(expected.len() as u64) as usize;
        let mut positions: Vec<u64> = splits.iter().map(|(_, skipped)| skipped.len() as u64).collect();
        expected[..handed].iter().for_each(|entry| positions[entry.split] = entry.position + 1);
        prop_assert_eq!(plan.positions_after(seek), positions);
    }

    #[test]
    fn stopping_at_any_sample_changes_nothing((splits, owned, end) in starts(), stop in 0_usize..80) {
        let plan = plan_of(&splits, owned.clone(), end)?;
        let expected = model(&splits, owned.clone(), end);
        let stop = stop.min(expected.len());
        let lengths: Vec<u64> = splits.iter().map(|(length, _)| *length).collect();
        let layout = SplitLayout::from_lengths(&lengths)?;
        let (progress, positions) = (plan.progress_after(stop as u64), plan.positions_after(stop as u64));
        let rest = Plan::after_skips(&layout, owned, &progress, &positions, end)?;
        let mut entries = vec![Entry::default(); expected.len() + 1 - stop];
        prop_assert_eq!(Cursor::new(rest).fill(&mut entries), expected.len() - stop);
        prop_assert_eq!(&entries[..expected.len() - stop], &expected[stop..]);
    }
}

#[test]
fn skipped_rows_shift_a_split_and_end_the_epoch_earlier() {
    let layout = SplitLayout::new(10, 2, Remainder::Drop).unwrap();
    let order = |end| {
        let plan = Plan::after_skips(&layout, 0..2, &[1, 1], &[3, 1], end).unwrap();
        let mut entries = [Entry::default(); 10];
        let filled = Cursor::new(plan).fill(&mut entries);
        entries[..filled].iter().map(|entry| (entry.split, entry.position)).collect::<Vec<_>>()
    };
    assert_eq!(order(End::CompleteCycle), [(0, 3), (1, 1), (0, 4), (1, 2)]);
    assert_eq!(order(End::LastRow), [(0, 3), (1, 1), (0, 4), (1, 2), (1, 3), (1, 4)]);
}

#[test]
fn positions_that_can_not_be_are_errors_that_name_them() {
    let layout = SplitLayout::new(12, 3, Remainder::Drop).unwrap();
    let refused = |positions: &[u64]| {
        Plan::after_skips(&layout, 0..3, &[1; 3], positions, End::LastRow).unwrap_err().message().to_owned()
    };
    assert!(
        refused(&[1, 1, 0]).starts_with("positions of split 2 is 0: it must be at least the progress, 1")
    );
    assert!(refused(&[1, 5, 1]).starts_with("positions of split 1 is 5: the split has 4 samples"));
    assert!(refused(&[1; 2]).starts_with("positions has 2 numbers"));
}
