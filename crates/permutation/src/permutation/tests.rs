use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use lance_loader_order::{Code, Domain, Key, Shuffle, below};
use proptest::prelude::*;

use super::{Permutation, SPLIT_COLUMN};
use crate::config::{PermutationConfig, ShuffleConfig, SplitStrategy};
use crate::row_set::RowSetBuilder;
use crate::rows::Rows;
use crate::sizes::Sizes;
use crate::spill::SpillOptions;

fn config(json: &str) -> PermutationConfig {
    PermutationConfig::from_json(json).unwrap()
}

/// The rows of every split, read in pieces of `piece`.
fn read(permutation: &Permutation, piece: usize) -> Vec<Vec<u64>> {
    let mut splits = vec![Vec::new(); permutation.num_splits()];
    for chunk in permutation.chunks(piece) {
        let chunk = chunk.unwrap();
        assert!((1..=piece).contains(&chunk.ordinals.len()));
        splits[chunk.split].extend(chunk.ordinals);
    }
    splits
}

/// Every third row of `0..rows`, as a filter leaves it, or all rows.
fn rows_of(rows: u64, filtered: bool) -> (Rows, Vec<u64>) {
    let list: Vec<u64> = (0..rows).step_by(if filtered { 3 } else { 1 }).collect();
    if !filtered {
        return (Rows::All(rows), list);
    }
    let mut builder = RowSetBuilder::new();
    for &row in &list {
        builder.push(row).unwrap();
    }
    (Rows::Set(Arc::new(builder.finish())), list)
}

/// The plain model: lists, one for each split.
fn model(config: &PermutationConfig, rows: &[u64]) -> Option<Vec<Vec<u64>>> {
    let count = rows.len() as u64;
    let shuffled = |list: &[u64], shuffle: ShuffleConfig, key: Key| -> Vec<u64> {
        let order = Shuffle::new(list.len() as u64, shuffle.clump_size, key).unwrap();
        (0..list.len() as u64).map(|position| list[order.index_at(position).unwrap() as usize]).collect()
    };
    let cut = |list: &[u64], lengths: Vec<u64>| -> Vec<Vec<u64>> {
        let mut rest = list.iter().copied();
        lengths.into_iter().map(|length| rest.by_ref().take(length as usize).collect()).collect()
    };
    let mut splits = match &config.split {
        SplitStrategy::All => vec![rows.to_vec()],
        SplitStrategy::Sequential { sizes } => cut(rows, sizes.resolve(count, "rows").ok()?),
        SplitStrategy::Random { sizes, shuffle } => {
            let lengths = sizes.resolve(count, "rows").ok()?;
            cut(&shuffled(rows, *shuffle, Key::derive(shuffle.seed, 0, Domain::RandomSplit)), lengths)
        }
        SplitStrategy::Bootstrap { num_samples, sizes, seed } => {
            let draw = |split: u64, at| {
                rows[below(Key::derive(*seed, 0, Domain::Bootstrap).child(split), at, count) as usize]
            };
            let lengths = sizes.resolve(*num_samples, "samples").ok().filter(|_| count > 0)?;
            (0..)
                .zip(lengths)
                .map(|(split, length)| (0..length).map(|at| draw(split, at)).collect())
                .collect()
        }
        SplitStrategy::Hash { .. } | SplitStrategy::Calculated { .. } => unreachable!("built from values"),
    };
    if let Some(shuffle) = config.shuffle {
        let key = |split| Key::derive(shuffle.seed, 0, Domain::Permutation).child(split);
        splits = (0..).zip(splits).map(|(split, list)| shuffled(&list, shuffle, key(split))).collect();
    }
    Some(splits)
}

fn shuffles() -> impl Strategy<Value = ShuffleConfig> {
    (any::<u64>(), 1_u64..9).prop_map(|(seed, clump_size)| ShuffleConfig { seed, clump_size })
}

fn sizes() -> impl Strategy<Value = Sizes> {
    prop_oneof![
        (1_u64..9).prop_map(Sizes::Fixed),
        proptest::collection::vec(1_u64..60, 1..5).prop_map(Sizes::Counts),
        (1_usize..9).prop_map(|splits| Sizes::Ratios(vec![1.0 / splits as f64; splits])),
        Just(Sizes::Ratios(vec![0.5, 0.2])),
    ]
}

fn configs() -> impl Strategy<Value = PermutationConfig> {
    let split =
        prop_oneof![
            Just(SplitStrategy::All),
            sizes().prop_map(|sizes| SplitStrategy::Sequential { sizes }),
            (sizes(), shuffles()).prop_map(|(sizes, shuffle)| SplitStrategy::Random { sizes, shuffle }),
            (1_u64..900, sizes(), any::<u64>())
                .prop_map(|(num_samples, sizes, seed)| SplitStrategy::Bootstrap { num_samples, sizes, seed }),
        ];
    (split, proptest::option::of(shuffles())).prop_map(|(split, shuffle)| PermutationConfig {
        split,
        shuffle,
        ..PermutationConfig::default()
    })
}

proptest! {
    #[test]
    fn every_strategy_is_the_plain_model_in_pieces_of_any_size(
        config in configs(),
        count in 0_u64..400,
        filtered: bool,
        piece in 1_usize..100,
        at in proptest::collection::vec(any::<u64>(), 0..30),
    ) {
        let (rows, list) = rows_of(count, filtered);
        let Some(expected) = model(&config, &list) else {
            prop_assert_eq!(config.build(rows).unwrap_err().code(), Code::InvalidArgument);
            return Ok(());
        };
        let permutation = config.build(rows).unwrap();
        prop_assert_eq!(&read(&permutation, piece), &expected);
        for (split, list) in expected.iter().enumerate().filter(|(_, list)| !list.is_empty()) {
            let mut positions: Vec<u64> = at.iter().map(|at| at % list.len() as u64).collect();
            let there: Vec<u64> = positions.iter().map(|&position| list[position as usize]).collect();
            permutation.map_positions(split, &mut positions).unwrap();
            prop_assert_eq!(positions, there);
        }
    }

    #[test]
    fn random_and_sequential_splits_share_no_row_and_drop_only_the_surplus(
        sizes in sizes(), shuffle in shuffles(), random: bool, count in 300_u64..2000,
    ) {
        let same = sizes.clone();
        let split = if random {
            SplitStrategy::Random { sizes: same, shuffle }
        } else {
            SplitStrategy::Sequential { sizes: same }
        };
        let config = PermutationConfig { split, shuffle: Some(shuffle), ..PermutationConfig::default() };
        let splits = read(&config.build(Rows::All(count)).unwrap(), 64);
        let lengths: Vec<u64> = splits.iter().map(|split| split.len() as u64).collect();
        prop_assert_eq!(&lengths, &sizes.resolve(count, "rows").unwrap());
        let mut all = splits.concat();
        all.sort_unstable();
        let total = all.len();
        all.dedup();
        prop_assert_eq!(all.len(), total);
        prop_assert!(all.iter().all(|&row| row < count));
    }

    #[test]
    fn a_bootstrap_split_does_not_depend_on_how_many_others_there_are(
        seed: u64, lengths in proptest::collection::vec(1_u64..50, 1..6), count in 1_u64..20,
    ) {
        let build = |lengths: &[u64]| {
            let sizes = Sizes::Counts(lengths.to_vec());
            let split = SplitStrategy::Bootstrap { num_samples: lengths.iter().sum(), sizes, seed };
            read(&PermutationConfig { split, ..PermutationConfig::default() }.build(Rows::All(count)).unwrap(), 7)
        };
        let all = build(&lengths);
        for splits in 1..lengths.len() {
            prop_assert_eq!(&build(&lengths[..splits])[..], &all[..splits]);
        }
        prop_assert!(all.concat().iter().all(|&row| row < count));
    }
}

#[test]
fn a_bootstrap_draws_more_samples_than_rows_evenly_and_with_repeats() {
    let permutation =
        config(r#"{"bootstrapSample":{"numSamples":30000,"fixed":2,"seed":5}}"#).build(Rows::All(3)).unwrap();
    let splits = read(&permutation, 64);
    for split in &splits {
        for row in 0..3 {
            let drawn = split.iter().filter(|&&drawn| drawn == row).count();
            assert!(drawn.abs_diff(5_000) < 300, "{drawn}");
        }
    }
    assert_ne!(splits[0], splits[1]);
    let billions =
        config(r#"{"bootstrapSample":{"numSamples":1000000000000,"fixed":1}}"#).build(Rows::All(3)).unwrap();
    let mut last = [u64::MAX; 8];
    billions.ordinals(0, 999_999_999_992, &mut last).unwrap();
    assert!(last.iter().all(|&row| row < 3));
}

#[test]
fn each_split_of_one_size_is_shuffled_by_its_own_key() {
    let splits =
        read(&config(r#"{"splitSequential":{"fixed":2},"shuffle":{}}"#).build(Rows::All(200)).unwrap(), 64);
    let second: Vec<u64> = splits[1].iter().map(|row| row - 100).collect();
    assert_ne!(splits[0], second);
}

#[test]
fn seeds_near_two_to_the_53_and_seed_zero_give_their_own_orders() {
    let order = |seed: &str| {
        let json = format!(r#"{{"splitRandom":{{"ratios":[1.0],"seed":"{seed}"}}}}"#);
        read(&config(&json).build(Rows::All(100)).unwrap(), 64)
    };
    let orders = ["0", "1", "100003", "9007199254740992", "9007199254740993"].map(order);
    for (at, first) in orders.iter().enumerate() {
        assert!(orders[at + 1..].iter().all(|other| other != first));
    }
    assert_eq!(
        order("0"),
        read(&config(r#"{"splitRandom":{"ratios":[1]}}"#).build(Rows::All(100)).unwrap(), 9)
    );
}

#[test]
fn a_calculated_split_groups_the_filtered_rows_by_its_value() {
    let config = config(r#"{"filter":"id < 9","splitCalculated":{"calculation":"id % 3"},"shuffle":null}"#);
    let mut assigner = config.assigner(SpillOptions::default()).unwrap();
    for ids in [0..4_i64, 4..9] {
        let ordinals: Vec<u64> = ids.clone().map(|id| id.try_into().unwrap()).collect();
        let values: ArrayRef = Arc::new(ids.map(|id| Some(id % 3)).collect::<Int64Array>());
        let batch = RecordBatch::try_from_iter([(SPLIT_COLUMN, values)]).unwrap();
        assigner.push(&ordinals, &config.split_numbers(&batch).unwrap()).unwrap();
    }
    let splits = read(&assigner.finish().unwrap(), 2);
    assert_eq!(splits, [[0, 3, 6], [1, 4, 7], [2, 5, 8]]);
}

#[test]
fn null_and_negative_calculations_drop_the_row_and_others_than_integers_are_refused() {
    let config = config(r#"{"splitCalculated":{"calculation":"v"}}"#);
    let batch = |values: ArrayRef| RecordBatch::try_from_iter([(SPLIT_COLUMN, values)]).unwrap();
    let values = Int64Array::from(vec![Some(1), None, Some(-1), Some(0), Some(i64::MIN)]);
    let numbers = config.split_numbers(&batch(Arc::new(values))).unwrap();
    assert_eq!(numbers, [Some(1), None, None, Some(0), None]);
    let error = config.split_numbers(&batch(Arc::new(StringArray::from(vec!["1"])))).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("Utf8"), "{error}");
}

/// Ten keys, as they come in storage order: each key's split by name.
fn hash_splits(keys: &[Option<&str>]) -> Vec<Option<u64>> {
    let config = config(r#"{"splitHash":{"columns":["key"],"splitWeights":[6,3],"discardWeight":1}}"#);
    let values: ArrayRef = Arc::new(StringArray::from(keys.to_vec()));
    config.split_numbers(&RecordBatch::try_from_iter_with_nullable([("key", values, true)]).unwrap()).unwrap()
}

#[test]
fn a_key_keeps_its_split_when_rows_are_reversed_doubled_and_added() {
    let keys: Vec<Option<&str>> = "a b c d e f g h i j".split(' ').map(Some).chain([None]).collect();
    let splits = hash_splits(&keys);
    let reversed: Vec<_> = keys.iter().rev().copied().collect();
    assert!(hash_splits(&reversed).iter().rev().eq(&splits));
    let more: Vec<_> = keys.iter().flat_map(|&key| [key, key]).chain([Some("k"), Some("l")]).collect();
    for (pair, split) in hash_splits(&more).chunks(2).zip(&splits) {
        assert_eq!(pair, [*split; 2]);
    }
}

#[test]
fn positions_and_splits_that_are_not_there_are_refused() {
    for json in [
        r#"{"splitSequential":{"counts":[3,2]}}"#,
        r#"{"splitRandom":{"counts":[3,2]},"shuffle":{}}"#,
        r#"{"bootstrapSample":{"numSamples":5,"counts":[3,2]}}"#,
    ] {
        let permutation = config(json).build(Rows::All(10)).unwrap();
        assert_eq!((permutation.num_splits(), permutation.len_of(1), permutation.len_of(2)), (2, 2, 0));
        let mut out = [0; 2];
        permutation.ordinals(1, 0, &mut out).unwrap();
        for (split, start) in [(1, 1), (2, 0), (0, 2), (0, u64::MAX), (usize::MAX, 0)] {
            assert_eq!(
                permutation.ordinals(split, start, &mut out).unwrap_err().code(),
                Code::InvalidArgument
            );
        }
        for position in [2, u64::MAX] {
            assert_eq!(
                permutation.map_positions(1, &mut [0, position]).unwrap_err().code(),
                Code::InvalidArgument
            );
        }
        permutation.map_positions(1, &mut []).unwrap();
    }
}

#[test]
fn a_bootstrap_over_no_row_and_counts_beyond_its_samples_are_refused() {
    let error = config(r#"{"bootstrapSample":{"numSamples":5,"fixed":1}}"#).build(Rows::All(0)).unwrap_err();
    assert!(error.message().contains("no row"), "{error}");
    let error =
        config(r#"{"bootstrapSample":{"numSamples":5,"counts":[6]}}"#).build(Rows::All(9)).unwrap_err();
    assert!(error.message().contains("sum to 6; the sum must be at most the 5 samples"), "{error}");
}

#[test]
fn no_split_call_means_one_split_in_storage_order_even_of_no_row() {
    assert_eq!(read(&config("{}").build(Rows::All(4)).unwrap(), 3), [[0, 1, 2, 3]]);
    assert_eq!(read(&config("{}").build(Rows::All(0)).unwrap(), 3), [Vec::<u64>::new()]);
}

#[test]
fn splits_are_found_by_name() {
    let named = config(r#"{"splitSequential":{"counts":[3,2],"splitNames":["train","val"]}}"#)
        .build(Rows::All(5))
        .unwrap();
    assert_eq!((named.split_named("val").unwrap(), named.names().unwrap().len()), (1, 2));
    let error = named.split_named("test").unwrap_err();
    assert!(error.message().contains("\"test\"") && error.message().contains("\"train\""), "{error}");
}
