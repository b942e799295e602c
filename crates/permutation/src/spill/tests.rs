use lance_loader_order::{Code, Result, Shuffle};
use proptest::prelude::*;

use super::{RowListBuilder, SpillOptions, SplitAssigner, Stop};
use crate::config::ShuffleConfig;
use crate::permutation::{Permutation, split_shuffle};

fn options(memory_limit: u64) -> SpillOptions {
    SpillOptions { memory_limit, ..SpillOptions::default() }
}

fn assign(
    splits: &[Option<u64>],
    step: u64,
    piece: usize,
    shuffle: Option<ShuffleConfig>,
    options: SpillOptions,
) -> Result<Permutation> {
    let mut assigner = SplitAssigner::new(None, None, shuffle, options)?;
    let ordinals: Vec<u64> = (0..splits.len() as u64).map(|row| row * step).collect();
    for (ordinals, splits) in ordinals.chunks(piece).zip(splits.chunks(piece)) {
        assigner.push(ordinals, splits)?;
    }
    assigner.finish()
}

fn read(permutation: &Permutation, piece: usize) -> Vec<Vec<u64>> {
    let mut splits = vec![Vec::new(); permutation.num_splits()];
    permutation
        .chunks(piece)
        .map(|chunk| chunk.unwrap())
        .for_each(|chunk| splits[chunk.split].extend(chunk.ordinals));
    splits
}

/// The plain model: a list for each split, shuffled.
fn model(splits: &[Option<u64>], step: u64, shuffle: Option<ShuffleConfig>) -> Vec<Vec<u64>> {
    let count = splits.iter().flatten().max().map_or(1, |last| last + 1);
    let list = |wanted| {
        (0..).zip(splits).filter(move |(_, split)| **split == Some(wanted)).map(|(row, _)| row * step)
    };
    let reorder = |split: u64| {
        let list: Vec<u64> = list(split).collect();
        let Some(shuffle) = shuffle else { return list };
        let order: Shuffle = split_shuffle(shuffle, split as usize, list.len() as u64).unwrap();
        (0..list.len() as u64).map(|position| list[order.index_at(position).unwrap() as usize]).collect()
    };
    (0..count).map(reorder).collect()
}

fn split_numbers() -> impl Strategy<Value = Vec<Option<u64>>> {
    (1_u64..9).prop_flat_map(|count| {
        let number = prop_oneof![3 => (0..count).prop_map(Some), 2 => Just(Some(0)), 1 => Just(None)];
        proptest::collection::vec(number, 0..3_000)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn splits_are_the_plain_model_under_every_memory_limit(
        numbers in split_numbers(),
        step in prop_oneof![Just(1_u64), Just(70_000)],
        piece in 1_usize..500,
        shuffle in proptest::option::of((any::<u64>(), 1_u64..7)),
        limit in prop_oneof![Just(1_u64), 200_u64..40_000, Just(100 << 20)],
    ) {
        let shuffle = shuffle.map(|(seed, clump_size)| ShuffleConfig { seed, clump_size });
        let permutation = assign(&numbers, step, piece, shuffle, options(limit)).unwrap();
        let expected = model(&numbers, step, shuffle);
        prop_assert_eq!(&read(&permutation, piece), &expected);
        for (split, list) in expected.iter().enumerate().filter(|(_, list)| !list.is_empty()) {
            let mut positions = [list.len() as u64 - 1, 0, list.len() as u64 / 2];
            let there = positions.map(|position| list[position as usize]);
            permutation.map_positions(split, &mut positions).unwrap();
            prop_assert_eq!(positions, there);
        }
    }

    #[test]
    fn lists_are_what_was_pushed_under_every_memory_limit(
        splits in proptest::collection::vec(proptest::collection::vec(any::<u64>(), 0..300), 1..6),
        piece in 1_usize..100,
        limit in prop_oneof![Just(1_u64), 100_u64..4_000, Just(100 << 20)],
    ) {
        let mut builder = RowListBuilder::new(options(limit)).unwrap();
        for (split, rows) in (0..).zip(&splits) {
            rows.chunks(piece).for_each(|rows| builder.push(split, rows).unwrap());
        }
        let list = builder.finish(splits.len()).unwrap();
        let rows: usize = splits.iter().map(Vec::len).sum();
        prop_assert_eq!(list.is_on_disk(), rows as u64 * 16 > limit);
        let permutation = Permutation::from_list(list, None).unwrap();
        prop_assert_eq!(read(&permutation, piece), splits);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn splits_do_not_depend_on_the_order_in_which_rows_come(
        rows in split_numbers().prop_flat_map(|splits| {
            let ordered: Vec<(u64, Option<u64>)> = (0..).step_by(70_000).zip(splits).collect();
            (Just(ordered.clone()), Just(ordered).prop_shuffle())
        }),
        piece in 1_usize..500,
        shuffle in proptest::option::of((any::<u64>(), 1_u64..7)),
        limit in prop_oneof![Just(1_u64), 200_u64..200_000, Just(100 << 20)],
    ) {
        let shuffle = shuffle.map(|(seed, clump_size)| ShuffleConfig { seed, clump_size });
        let (ordered, shuffled) = rows;
        let splits: Vec<Option<u64>> = ordered.iter().map(|&(_, split)| split).collect();
        let expected = model(&splits, 70_000, shuffle);
        for rows in [shuffled, ordered.into_iter().rev().collect()] {
            let mut assigner = SplitAssigner::new(None, None, shuffle, options(limit)).unwrap();
            for rows in rows.chunks(piece) {
                let (ordinals, splits): (Vec<u64>, Vec<Option<u64>>) = rows.iter().copied().unzip();
                assigner.push(&ordinals, &splits).unwrap();
            }
            prop_assert_eq!(&read(&assigner.finish().unwrap(), piece), &expected);
        }
    }

    #[test]
    fn a_list_keeps_the_order_inside_splits_that_come_interleaved(
        runs in proptest::collection::vec((0_u64..6, proptest::collection::vec(any::<u64>(), 0..40)), 0..60),
        limit in prop_oneof![Just(1_u64), 100_u64..40_000, Just(100 << 20)],
    ) {
        let mut builder = RowListBuilder::new(options(limit)).unwrap();
        let mut expected = vec![Vec::<u64>::new(); 6];
        for (split, rows) in &runs {
            builder.push(*split, rows).unwrap();
            expected[usize::try_from(*split).unwrap()].extend(rows);
        }
        let permutation = Permutation::from_list(builder.finish(6).unwrap(), None).unwrap();
        prop_assert_eq!(read(&permutation, 11), expected);
    }
}

#[test]
fn rows_that_come_twice_and_lists_of_unequal_length_are_refused() {
    for limit in [1, 1 << 20] {
        let mut assigner = SplitAssigner::new(None, None, None, options(limit)).unwrap();
        assigner.push(&[1, 5], &[Some(0), Some(1)]).unwrap();
        assert_eq!(assigner.push(&[9, 10], &[None]).unwrap_err().code(), Code::InvalidArgument);
        assigner.push(&[4, 5], &[Some(0), Some(0)]).unwrap();
        let error = assigner.finish().unwrap_err();
        assert!(error.message().contains("row 5 came twice"), "{error}");
    }
}

#[test]
fn a_split_without_a_name_and_a_huge_split_number_are_refused() {
    let names = Some(vec!["a".to_owned(), "b".to_owned()]);
    let mut assigner = SplitAssigner::new(Some(2), names, None, options(1 << 20)).unwrap();
    let error = assigner.push(&[0], &[Some(2)]).unwrap_err();
    assert!(error.message().contains("split 2") && error.message().contains("2 names"), "{error}");
    let mut unnamed = SplitAssigner::new(None, None, None, options(1 << 20)).unwrap();
    let error = unnamed.push(&[0], &[Some(u64::MAX)]).unwrap_err();
    assert!(error.message().contains("below 65536"), "{error}");
}

#[test]
fn splits_that_got_no_row_are_empty_and_still_there() {
    for limit in [1, 1 << 20] {
        let mut assigner = SplitAssigner::new(Some(4), None, None, options(limit)).unwrap();
        assigner.push(&[3, 4, 8], &[Some(1), Some(1), None]).unwrap();
        let permutation = assigner.finish().unwrap();
        assert_eq!(read(&permutation, 9), [vec![], vec![3, 4], vec![], vec![]]);
    }
}

#[test]
fn a_split_beyond_the_most_there_may_be_is_refused() {
    let mut builder = RowListBuilder::new(options(1 << 20)).unwrap();
    assert_eq!(builder.push(1 << 40, &[1]).unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn a_stopped_build_ends_and_one_that_is_not_goes_on() {
    for limit in [1, 1 << 20] {
        let stop = Stop::default();
        let options = SpillOptions { stop: stop.clone(), ..options(limit) };
        let begin = || {
            let mut assigner = SplitAssigner::new(None, None, None, options.clone()).unwrap();
            let mut list = RowListBuilder::new(options.clone()).unwrap();
            assigner.push(&[3, 1, 2], &[Some(1), Some(0), Some(1)]).unwrap();
            list.push(1, &[7, 8]).unwrap();
            list.push(0, &[9]).unwrap();
            (assigner, list)
        };
        let (assigner, list) = begin();
        assert!(assigner.finish().is_ok() && list.finish(2).is_ok());
        let (assigner, list) = begin();
        let (mut pushed, mut listed) = begin();
        stop.stop();
        let codes = [
            assigner.finish().unwrap_err().code(),
            list.finish(2).unwrap_err().code(),
            pushed.push(&[9], &[None]).unwrap_err().code(),
            listed.push(0, &[9]).unwrap_err().code(),
        ];
        assert_eq!(codes, [Code::Aborted; 4]);
    }
}

#[test]
fn a_memory_limit_of_nothing_and_a_missing_folder_are_refused() {
    assert_eq!(RowListBuilder::new(options(0)).err().unwrap().code(), Code::InvalidArgument);
    let missing = SpillOptions { memory_limit: 1, temp_dir: Some("/does/not/exist".into()), ..options(1) };
    let error = assign(&[Some(0)], 1, 1, None, missing).unwrap_err();
    assert_eq!(error.code(), Code::WriteFailed);
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
#[cfg(target_os = "linux")]
fn temporary_files_have_no_name() {
    let folder = tempfile::tempdir().unwrap();
    let options = SpillOptions { temp_dir: Some(folder.path().to_owned()), ..options(1) };
    let permutation =
        assign(&[Some(0), Some(1), Some(0)], 1, 1, Some(ShuffleConfig::default()), options).unwrap();
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    assert_eq!(read(&permutation, 9)[1], [1]);
}
