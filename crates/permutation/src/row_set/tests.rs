use std::collections::BTreeSet;

use lance_loader_order::Code;
use proptest::prelude::*;

use super::{RowSet, RowSetBuilder};

fn set_of(values: impl IntoIterator<Item = u64>) -> RowSet {
    let mut builder = RowSetBuilder::new();
    values.into_iter().for_each(|value| builder.push(value).unwrap());
    builder.finish()
}

/// Sets of every form: dense and sparse pieces, runs, chunk edges, the top of the range.
fn values() -> impl Strategy<Value = BTreeSet<u64>> {
    let piece = prop_oneof![
        (0_u64..400_000, 1_u64..20_000, 1_u64..40)
            .prop_map(|(start, len, step)| (start..start + len).step_by(step as usize).collect::<Vec<_>>()),
        proptest::collection::vec(0_u64..300_000, 0..200),
        Just((u64::MAX - 70_000..=u64::MAX).collect()),
        Just((65_500..65_600).collect()),
    ];
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.into_iter().flatten().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn rank_select_and_contains_agree_with_a_sorted_list(
        model in values(),
        probes in proptest::collection::vec(0_u64..400_000, 50),
    ) {
        let set = set_of(model.iter().copied());
        let list: Vec<u64> = model.iter().copied().collect();
        prop_assert_eq!(set.len(), list.len() as u64);
        prop_assert_eq!(set.is_empty(), list.is_empty());
        prop_assert_eq!(set.iter().collect::<Vec<_>>(), list.clone());
        for (n, &value) in list.iter().enumerate().step_by(97) {
            prop_assert_eq!(set.select(n as u64), Some(value));
            prop_assert_eq!(set.rank(value), n as u64);
            prop_assert!(set.contains(value));
        }
        prop_assert_eq!(set.select(list.len() as u64), None);
        for probe in probes.into_iter().chain([0, u64::MAX]) {
            prop_assert_eq!(set.rank(probe), list.partition_point(|&value| value < probe) as u64);
            prop_assert_eq!(set.contains(probe), model.contains(&probe));
        }
    }

    #[test]
    fn batches_give_what_single_selects_give(model in values(), start in 0_u64..30_000, len in 0_usize..5_000) {
        let set = set_of(model.iter().copied());
        let expected: Vec<u64> = model.iter().copied().skip(start as usize).take(len).collect();
        let mut out = vec![7; len];
        let filled = set.select_range(start, &mut out);
        prop_assert_eq!(&out[..filled], &expected[..]);
        prop_assert!(out[filled..].iter().all(|&value| value == 7));

        let mut ranks: Vec<u64> = (start..start + expected.len() as u64).rev().flat_map(|rank| [rank, rank]).collect();
        prop_assert_eq!(set.select_many(&mut ranks), Ok(()));
        let doubled: Vec<u64> = expected.iter().rev().flat_map(|&value| [value, value]).collect();
        prop_assert_eq!(ranks, doubled);
    }

    #[test]
    fn ranges_and_single_values_build_the_same_set(
        ranges in proptest::collection::vec((0_u64..90_000, 0_u64..90_000), 1..8),
    ) {
        let mut by_range = RowSetBuilder::new();
        let mut one_by_one = RowSetBuilder::new();
        let mut next = 0;
        for (gap, len) in ranges {
            by_range.push_range(next + gap, next + gap + len).unwrap();
            (next + gap..=next + gap + len).for_each(|value| one_by_one.push(value).unwrap());
            next += gap + len + 1;
        }
        prop_assert_eq!(by_range.len(), one_by_one.len());
        let (by_range, one_by_one) = (by_range.finish(), one_by_one.finish());
        prop_assert!(by_range.iter().eq(one_by_one.iter()));
        prop_assert_eq!(by_range.memory_bytes(), one_by_one.memory_bytes());
    }
}

#[test]
fn disorder_repeats_and_empty_ranges_are_refused_and_change_nothing() {
    let mut builder = RowSetBuilder::new();
    builder.push_range(5, 9).unwrap();
    for (first, last) in [(9, 9), (3, 20), (12, 11)] {
        let error = builder.push_range(first, last).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains(&first.to_string()), "{error}");
    }
    assert_eq!(builder.finish().iter().collect::<Vec<_>>(), [5, 6, 7, 8, 9]);
}

#[test]
fn a_rank_past_the_end_leaves_the_batch_as_it_was() {
    let set = set_of([10, 20]);
    let mut ranks = [1, 2, 0];
    assert_eq!(set.select_many(&mut ranks), Err(2));
    assert_eq!(ranks, [1, 2, 0]);
}

#[test]
fn every_form_costs_what_it_promises() {
    let million = 16 << 16;
    let per_chunk = 40 * 16;
    let all = set_of(0..million);
    assert!(all.memory_bytes() <= per_chunk + 200, "{}", all.memory_bytes());
    let every_other = set_of((0..million).step_by(2));
    assert!(every_other.memory_bytes() <= 16 * 8448 + per_chunk + 200, "{}", every_other.memory_bytes());
    let sparse = set_of((0..million).step_by(100));
    assert!(sparse.memory_bytes() <= 2 * 10_486 + per_chunk + 200, "{}", sparse.memory_bytes());
}

#[test]
fn the_builder_knows_its_memory_while_it_grows() {
    let mut builder = RowSetBuilder::new();
    (0..1_000_000).step_by(3).for_each(|value| builder.push(value).unwrap());
    let before = builder.memory_bytes();
    let after = builder.finish().memory_bytes();
    assert!(before.abs_diff(after) < 1_000, "{before} {after}");
}
