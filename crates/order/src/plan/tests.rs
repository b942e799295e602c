use super::*;
use crate::Remainder;
use proptest::prelude::*;
use std::sync::Arc;

/// The rule itself, sample by sample: the owned split that has yielded least, the lowest index first.
fn model(layout: &SplitLayout, owned: Range<usize>, progress: &[u64]) -> Vec<Entry> {
    let mut progress = progress.to_vec();
    let mut entries = Vec::new();
    while let Some(split) = owned
        .clone()
        .filter(|split| progress[*split] < layout.len_of(*split))
        .min_by_key(|split| progress[*split])
    {
        entries.push(Entry { split, position: progress[split] });
        progress[split] += 1;
    }
    entries
}

fn drain(cursor: &mut Cursor, sizes: &[usize]) -> Vec<Entry> {
    let mut entries = Vec::new();
    for size in sizes.iter().cycle() {
        let mut next = vec![Entry::default(); *size];
        let filled = cursor.fill(&mut next);
        entries.extend_from_slice(&next[..filled]);
        if filled < *size {
            break;
        }
    }
    entries
}

/// A layout, the splits that are owned, and the progress of all splits.
fn starts() -> impl Strategy<Value = (Vec<u64>, Range<usize>, Vec<u64>)> {
    prop::collection::vec((0_u64..12, 0_u64..13), 1..9)
        .prop_flat_map(|splits| {
            let count = splits.len();
            (Just(splits), 0..=count, 0..=count)
        })
        .prop_map(|(splits, a, b)| {
            let lengths = splits.iter().map(|(length, _)| *length).collect();
            let progress = splits.iter().map(|(length, progress)| *progress.min(length)).collect();
            (lengths, a.min(b)..a.max(b), progress)
        })
}

proptest! {
    #[test]
    fn samples_come_from_the_split_that_has_yielded_least(
        (lengths, owned, progress) in starts(), sizes in prop::collection::vec(1_usize..9, 1..4),
    ) {
        let layout = SplitLayout::from_lengths(&lengths)?;
        let plan = Plan::new(&layout, owned.clone(), &progress)?;
        let expected = model(&layout, owned.clone(), &progress);
        prop_assert_eq!(plan.remaining(), expected.len() as u64);
        prop_assert_eq!(plan.total(), owned.map(|split| lengths[split]).sum::<u64>());
        prop_assert_eq!(drain(&mut Cursor::new(plan), &sizes), expected);
    }

    #[test]
    fn seeking_and_progress_are_as_if_handed_over_one_by_one(
        (lengths, owned, progress) in starts(), seeks in prop::collection::vec(0_usize..110, 1..4),
    ) {
        let layout = SplitLayout::from_lengths(&lengths)?;
        let plan = Arc::new(Plan::new(&layout, owned.clone(), &progress)?);
        let expected = model(&layout, owned.clone(), &progress);
        let mut cursor = Cursor::new(Arc::clone(&plan));
        for seek in seeks {
            cursor.seek(seek as u64);
            let handed = seek.min(expected.len());
            prop_assert_eq!(cursor.position(), handed as u64);
            let mut progress = progress.clone();
            expected[..handed].iter().for_each(|entry| progress[entry.split] += 1);
            prop_assert_eq!(&plan.progress_after(seek as u64), &progress);
            let rest = drain(&mut cursor.clone(), &[5]);
            prop_assert_eq!(&rest, &expected[handed..]);
            let resumed = Plan::new(&layout, owned.clone(), &progress)?;
            prop_assert_eq!(drain(&mut Cursor::new(resumed), &[64]), rest);
            // The next seek starts from a cursor that was moved by reading, too.
            let read = cursor.fill(&mut [Entry::default(); 3]);
            prop_assert_eq!(cursor.position(), (handed + read) as u64);
        }
    }

    #[test]
    fn positions_are_those_of_the_entries((lengths, owned, progress) in starts(), size in 1_usize..9) {
        let layout = SplitLayout::from_lengths(&lengths)?;
        let plan = Arc::new(Plan::new(&layout, owned, &progress)?);
        let mut positions = Vec::new();
        let mut cursor = Cursor::new(Arc::clone(&plan));
        loop {
            let mut next = vec![0; size];
            let filled = cursor.fill_positions(&mut next);
            positions.extend_from_slice(&next[..filled]);
            if filled < size {
                break;
            }
        }
        let entries = drain(&mut Cursor::new(plan), &[7]);
        let expected = entries.iter().map(|entry| layout.start_of(entry.split) + entry.position);
        prop_assert!(positions.into_iter().eq(expected));
    }
}

#[test]
fn splits_that_lag_catch_up_first() {
    let layout = SplitLayout::new(12, 3, Remainder::Drop).unwrap();
    let plan = Plan::new(&layout, 0..3, &[2, 0, 3]).unwrap();
    let order: Vec<_> = drain(&mut Cursor::new(plan), &[100]).iter().map(|e| (e.split, e.position)).collect();
    assert_eq!(order, [(1, 0), (1, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]);
}

#[test]
fn a_seek_over_half_of_the_largest_table_lands_exactly() {
    let layout = SplitLayout::new(crate::MAX_ROWS, 1024, Remainder::Keep).unwrap();
    let plan = Arc::new(Plan::new(&layout, 0..1024, &[0; 1024]).unwrap());
    let mut cursor = Cursor::new(Arc::clone(&plan));
    let half = plan.total() / 2;
    cursor.seek(half);
    assert_eq!(cursor.position(), half);
    let mut entry = [Entry::default()];
    assert_eq!(cursor.fill(&mut entry), 1);
    assert_eq!(entry[0], Entry { split: usize::try_from(half % 1024).unwrap(), position: half / 1024 });
    assert_eq!(plan.progress_after(half).iter().sum::<u64>(), half);
    cursor.seek(u64::MAX);
    assert_eq!((cursor.position(), cursor.fill(&mut entry)), (plan.total(), 0));
    assert_eq!(plan.progress_after(u64::MAX).iter().sum::<u64>(), plan.total());
}

#[test]
fn the_lanes_that_are_visited_are_only_those_that_yield() {
    // Each split lives at its own level: a cursor that looked at all splits per level would hold them all.
    let lengths: Vec<u64> = (1..=500).collect();
    let progress: Vec<u64> = (0..500).collect();
    let plan = Plan::new(&SplitLayout::from_lengths(&lengths).unwrap(), 0..500, &progress).unwrap();
    assert_eq!((plan.phases.len(), plan.phases.iter().map(|phase| phase.lanes).max()), (500, Some(1)));
    assert_eq!(plan.remaining(), 500);
}

#[test]
fn bad_arguments_are_errors_that_name_them() {
    let layout = SplitLayout::new(12, 3, Remainder::Drop).unwrap();
    let refused = |owned, progress: &[u64]| {
        let error = Plan::new(&layout, owned, progress).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        error.message().to_owned()
    };
    assert_eq!(refused(0..3, &[0; 2]), "progress has 2 numbers: it must have one for each of the 3 splits");
    assert!(refused(0..1, &[0, 0, 5]).starts_with("progress of split 2 is 5: the split has 4 samples"));
    assert!(refused(0..4, &[0; 3]).starts_with("owned splits are 0..4"));
    #[expect(clippy::reversed_empty_ranges, reason = "the range that must be refused")]
    let reversed = 2..1;
    assert!(refused(reversed, &[0; 3]).starts_with("owned splits are 2..1"));
}
