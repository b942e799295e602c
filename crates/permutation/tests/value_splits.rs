//! Splits that the rows' values decide, against lists that are made the plain way.

#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use lance_loader_order::{Domain, Key, Shuffle};
use lance_loader_permutation::{PermutationConfig, SPLIT_COLUMN, SpillOptions, hash_rows};
use proptest::prelude::*;
use serde_json::json;

/// The splits that a builder gives for batches of a column.
fn build(
    json: &serde_json::Value,
    column: &str,
    values: &ArrayRef,
    piece: usize,
    limit: u64,
) -> Vec<Vec<u64>> {
    let config = PermutationConfig::from_json(&json.to_string()).unwrap();
    let options = SpillOptions { memory_limit: limit, ..SpillOptions::default() };
    let mut assigner = config.assigner(options).unwrap();
    for start in (0..values.len()).step_by(piece) {
        let some = values.slice(start, piece.min(values.len() - start));
        let ordinals: Vec<u64> = (start as u64..).take(some.len()).collect();
        let batch = RecordBatch::try_from_iter_with_nullable([(column, some, true)]).unwrap();
        assigner.push(&ordinals, &config.split_numbers(&batch).unwrap()).unwrap();
    }
    let permutation = assigner.finish().unwrap();
    let mut splits = vec![Vec::new(); permutation.num_splits()];
    for chunk in permutation.chunks(piece) {
        let chunk = chunk.unwrap();
        splits[chunk.split].extend(chunk.ordinals);
    }
    splits
}

/// A list for each of `count` splits, shuffled where there is a seed.
fn model(splits: &[Option<u64>], count: u64, seed: Option<u64>) -> Vec<Vec<u64>> {
    let list =
        |wanted| (0..).zip(splits).filter(|(_, split)| **split == Some(wanted)).map(|(row, _)| row).collect();
    let shuffled = |split| {
        let rows: Vec<u64> = list(split);
        let Some(seed) = seed else { return rows };
        let key = Key::derive(seed, 0, Domain::Permutation).child(split);
        let order = Shuffle::new(rows.len() as u64, 1, key).unwrap();
        (0..rows.len() as u64).map(|at| rows[usize::try_from(order.index_at(at).unwrap()).unwrap()]).collect()
    };
    (0..count).map(shuffled).collect()
}

/// The split of a hash, by adding up weights.
fn split_by_weights(hash: u64, weights: &[u64], discard: u64) -> Option<u64> {
    let total: u128 = weights.iter().chain([&discard]).map(|&weight| u128::from(weight)).sum();
    let place = (u128::from(hash) * total) >> 64;
    let mut end = 0;
    (0..).zip(weights).find_map(|(split, &weight)| {
        end += u128::from(weight);
        (place < end).then_some(split)
    })
}

fn limits() -> impl Strategy<Value = u64> {
    prop_oneof![Just(1), 500_u64..50_000, Just(100 << 20)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn hash_splits_are_the_plain_model(
        keys in proptest::collection::vec(proptest::option::of("[a-f]{0,2}"), 1..600),
        weights in proptest::collection::vec(1_u64..9, 1..5),
        discard in 0_u64..9,
        seed in proptest::option::of(any::<u64>()),
        piece in 1_usize..200,
        limit in limits(),
    ) {
        let mut json = json!({"splitHash": {"columns": ["key"], "splitWeights": weights, "discardWeight": discard}});
        if let Some(seed) = seed {
            json["shuffle"] = json!({"seed": seed.to_string()});
        }
        let values: ArrayRef = Arc::new(keys.iter().map(Option::as_deref).collect::<StringArray>());
        let batch = RecordBatch::try_from_iter_with_nullable([("key", values.clone(), true)]).unwrap();
        let hashes = hash_rows(&batch, &["key"]).unwrap();
        let splits: Vec<Option<u64>> =
            hashes.into_iter().map(|hash| split_by_weights(hash, &weights, discard)).collect();
        let expected = model(&splits, weights.len() as u64, seed);
        prop_assert_eq!(build(&json, "key", &values, piece, limit), expected);
    }

    #[test]
    fn calculated_splits_are_the_plain_model(
        values in proptest::collection::vec(proptest::option::of(-2_i64..6), 1..600),
        seed in proptest::option::of(any::<u64>()),
        piece in 1_usize..200,
        limit in limits(),
    ) {
        let mut json = json!({"splitCalculated": {"calculation": "value"}});
        if let Some(seed) = seed {
            json["shuffle"] = json!({"seed": seed.to_string()});
        }
        let splits: Vec<Option<u64>> =
            values.iter().map(|value| value.and_then(|value| u64::try_from(value).ok())).collect();
        let count = splits.iter().flatten().max().map_or(1, |last| last + 1);
        let column: ArrayRef = Arc::new(Int64Array::from(values));
        prop_assert_eq!(build(&json, SPLIT_COLUMN, &column, piece, limit), model(&splits, count, seed));
    }
}
