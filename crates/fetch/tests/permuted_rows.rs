//! The rows of permutations as plans, against plain lists.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::sync::Arc;

use lance_loader_fetch::epoch::EpochOrder;
use lance_loader_fetch::permuted::{RowsInOrder, RowsOrder, SplitRows, SplitsOrder};
use lance_loader_fetch::pipeline::RowPlan;
use lance_loader_order::{Domain, Key, Order, Shuffle};
use lance_loader_permutation::{Permutation, PermutationConfig, Rows};

fn permutation(json: &str, rows: u64) -> Arc<Permutation> {
    Arc::new(PermutationConfig::from_json(json).unwrap().build(Rows::All(rows)).unwrap())
}

fn of_split(permutation: &Permutation, split: usize) -> Vec<u64> {
    let mut rows = vec![0; usize::try_from(permutation.len_of(split)).unwrap()];
    permutation.ordinals(split, 0, &mut rows).unwrap();
    rows
}

/// All rows of a plan, asked for in pieces.
fn drain(mut plan: impl RowPlan, piece: usize) -> Vec<u64> {
    let mut rows = Vec::new();
    while plan.remaining() > 0 {
        let mut next = vec![0; piece.min(usize::try_from(plan.remaining()).unwrap())];
        plan.fill(&mut next).unwrap();
        rows.extend(next);
    }
    rows
}

const UNEQUAL: &str = r#"{"splitRandom":{"counts":[7,5,9],"seed":4}}"#;

#[test]
fn rows_in_order_are_those_of_the_split_under_its_view() {
    let permutation = permutation(UNEQUAL, 30);
    let rows = SplitRows::new(permutation.clone(), 2);
    let all = of_split(&permutation, 2);
    assert_eq!(drain(RowsInOrder::all(rows.clone()), 4), all);
    let cut = rows.with_view(rows.view().clone().skip(3).take(2).repeat(3).unwrap());
    assert_eq!(drain(RowsInOrder::all(cut.clone()), 4), all[3..5].repeat(3));
    assert_eq!(drain(RowsInOrder::at(cut, vec![5, 0, 0, 1]), 3), [all[4], all[3], all[3], all[4]]);
    let mut outside = RowsInOrder::at(rows, vec![9]);
    assert!(outside.fill(&mut [0]).unwrap_err().message().contains("offset is 9"));
}

#[test]
fn an_epoch_over_one_split_is_an_order_of_its_rows() {
    let permutation = permutation(UNEQUAL, 30);
    let all = of_split(&permutation, 0);
    let shuffle = Shuffle::new(7, 1, Key::derive(1, 2, Domain::Epoch)).unwrap();
    let mut order: Vec<u64> = (0..7).collect();
    shuffle.map_positions(&mut order).unwrap();
    let expected: Vec<u64> = order.iter().map(|&index| all[usize::try_from(index).unwrap()]).collect();
    let mut rows: Vec<u64> = (0..7).collect();
    let epoch = RowsOrder::new(Order::Shuffled(shuffle), SplitRows::new(permutation, 0));
    epoch.rows(&mut rows).unwrap();
    assert_eq!(rows, expected);
}

#[test]
fn an_epoch_over_all_splits_keeps_each_row_in_its_split() {
    let permutation = permutation(UNEQUAL, 30);
    let plain = SplitsOrder::new(permutation.clone(), None).unwrap();
    assert_eq!((plain.layout().total(), plain.dropped()), (15, 6));
    let mut turns: Vec<u64> = (0..5).flat_map(|index| [index, 5 + index, 10 + index]).collect();
    plain.rows(&mut turns).unwrap();
    for split in 0..3 {
        let own: Vec<u64> = turns.iter().copied().skip(split).step_by(3).collect();
        assert_eq!(own, of_split(&permutation, split)[..5]);
    }
    let epoch = |number| {
        let key = Key::derive(3, number, Domain::Epoch);
        let order = SplitsOrder::new(permutation.clone(), Some((key, 1))).unwrap();
        let mut rows: Vec<u64> = (0..15).collect();
        order.rows(&mut rows).unwrap();
        rows
    };
    for rows in [epoch(0), epoch(1)] {
        for (split, own) in rows.chunks(5).enumerate() {
            let of_split = of_split(&permutation, split);
            assert!(own.iter().all(|row| of_split.contains(row)));
            let mut distinct = own.to_vec();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), 5);
        }
    }
    assert_ne!(epoch(0), epoch(1));
}
