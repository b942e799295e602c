//! Permutations do not depend on how a scan delivers the rows: ascending, descending, in random chunks of any size.

#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch, StringArray};
use lance_loader_order::{Domain, Key, Shuffle};
use lance_loader_permutation::{
    Needs, Permutation, PermutationConfig, RowCollector, Rows, SPLIT_COLUMN, SpillOptions,
};

const ROWS: u64 = 4000;

/// Which rows a filter keeps.
type Keep = fn(u64) -> bool;

/// A source whose scan delivers the ordinals of its rows in batches of its own.
struct FakeSource {
    batches: Vec<Vec<u64>>,
}

impl FakeSource {
    fn new(rows: &[u64], batch: usize) -> Self {
        Self { batches: rows.chunks(batch).map(<[u64]>::to_vec).collect() }
    }

    /// What a build needs of the rows: their key, and the value of the calculation `id % 7 - 1`, where it is asked for.
    fn values(ordinals: &[u64]) -> RecordBatch {
        let keys: StringArray =
            ordinals.iter().map(|row| (row % 11 != 3).then(|| format!("key {}", row % 500))).collect();
        let split: Int64Array =
            ordinals.iter().map(|&row| Some(i64::try_from(row).unwrap() % 7 - 1)).collect();
        let columns = [("key", Arc::new(keys) as _, true), (SPLIT_COLUMN, Arc::new(split) as _, true)];
        RecordBatch::try_from_iter_with_nullable(columns).unwrap()
    }

    /// A build as the loader does it, over the rows that a filter keeps, if there is one.
    fn build(&self, json: &str, keep: Option<Keep>, options: SpillOptions) -> Permutation {
        let config = PermutationConfig::from_json(json).unwrap();
        let batches = self.batches.iter().map(|batch| {
            batch.iter().copied().filter(|&row| keep.is_none_or(|keep| keep(row))).collect::<Vec<u64>>()
        });
        if config.needs() == Needs::Rows {
            let Some(_) = keep else { return config.build(Rows::All(ROWS)).unwrap() };
            let mut kept = RowCollector::default();
            batches.flatten().for_each(|row| kept.insert(row));
            return config.build(Rows::Set(Arc::new(kept.finish().unwrap()))).unwrap();
        }
        let mut assigner = config.assigner(options).unwrap();
        for ordinals in batches {
            let splits = config.split_numbers(&Self::values(&ordinals)).unwrap();
            assigner.push(&ordinals, &splits).unwrap();
        }
        assigner.finish().unwrap()
    }
}

fn splits(permutation: &Permutation) -> Vec<Vec<u64>> {
    let mut splits = vec![Vec::new(); permutation.num_splits()];
    for chunk in permutation.chunks(97) {
        let chunk = chunk.unwrap();
        splits[chunk.split].extend(chunk.ordinals);
    }
    splits
}

/// `0..ROWS` in chunks of 13 rows, whose order is random.
fn random_chunks() -> Vec<u64> {
    let order = Shuffle::new(ROWS, 13, Key::derive(5, 0, Domain::Epoch)).unwrap();
    (0..ROWS).map(|position| order.index_at(position).unwrap()).collect()
}

#[test]
fn splits_are_the_same_for_ascending_descending_and_random_scans() {
    let configs = [
        r#"{"splitRandom":{"ratios":[0.7,0.3],"seed":9,"clumpSize":3}}"#,
        r#"{"splitSequential":{"fixed":3},"shuffle":{"seed":4}}"#,
        r#"{"splitHash":{"columns":["key"],"splitWeights":[3,1],"discardWeight":1}}"#,
        r#"{"splitHash":{"columns":["key"],"splitWeights":[3,1]},"shuffle":{"seed":2,"clumpSize":4}}"#,
        r#"{"splitCalculated":{"calculation":"id % 7 - 1"},"shuffle":{"seed":1}}"#,
        r#"{"bootstrapSample":{"numSamples":9000,"fixed":2,"seed":5}}"#,
    ];
    let keeps: [Option<Keep>; 2] = [None, Some(|row| row % 5 != 2)];
    let ascending: Vec<u64> = (0..ROWS).collect();
    let scans = [ascending.iter().rev().copied().collect(), random_chunks(), ascending.clone()];
    for json in configs {
        for keep in keeps {
            let expected =
                splits(&FakeSource::new(&ascending, 1000).build(json, keep, SpillOptions::default()));
            assert!(expected.iter().all(|split| !split.is_empty()));
            for scan in &scans {
                for (batch, memory_limit) in [(1, 1 << 20), (64, 1), (4000, 1 << 14)] {
                    let options = SpillOptions { memory_limit, ..SpillOptions::default() };
                    let built = splits(&FakeSource::new(scan, batch).build(json, keep, options));
                    assert!(built == expected, "{json}, batches of {batch}, limit {memory_limit}");
                }
            }
        }
    }
}

#[test]
fn every_thread_builds_the_same_permutation() {
    let json = r#"{"splitHash":{"columns":["key"],"splitWeights":[3,1]},"shuffle":{"seed":2}}"#;
    let build = || {
        let options = SpillOptions { memory_limit: 1 << 12, ..SpillOptions::default() };
        splits(&FakeSource::new(&random_chunks(), 50).build(json, None, options))
    };
    let expected = build();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(build)).collect();
        for thread in threads {
            assert!(thread.join().unwrap() == expected);
        }
    });
}
