use std::sync::Arc;

use lance_loader_permutation::SpillOptions;
use proptest::prelude::*;

use super::*;
use crate::testing::FakeServer;
use crate::{Request, ScanColumns};

impl RemoteSnapshot {
    /// The same rows of another server.
    pub(crate) fn with_table(self, table: RemoteTable) -> Self {
        Self { table: Arc::new(table), ..self }
    }
}

fn block<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

fn config(json: &str) -> PermutationConfig {
    PermutationConfig::from_json(json).unwrap()
}

/// The row ids of each split.
fn built(server: &Arc<FakeServer>, json: &str) -> Vec<Vec<u64>> {
    let (snapshot, permutation) =
        block(RemoteSnapshot::build(server.table(), config(json), SpillOptions::default())).unwrap();
    let rows_of = |split| {
        let mut rows = vec![0; permutation.len_of(split) as usize];
        permutation.ordinals(split, 0, &mut rows).unwrap();
        snapshot.row_ids(&mut rows).unwrap();
        rows
    };
    (0..permutation.num_splits()).map(rows_of).collect()
}

const STRATEGIES: [&str; 5] = [
    "{}",
    r#"{"splitRandom": {"ratios": [0.5, 0.5], "seed": 3}}"#,
    r#"{"splitHash": {"columns": ["name"], "splitWeights": [1, 2]}, "shuffle": {"seed": 5}}"#,
    r#"{"splitCalculated": {"calculation": "value", "splitNames": ["a", "b", "c", "d", "e"]}}"#,
    r#"{"bootstrapSample": {"numSamples": 9, "fixed": 3, "seed": 1}}"#,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_permutation_does_not_depend_on_the_order_of_the_scan(
        ids in prop::collection::btree_set(0..5_u64, 3..=5),
        batch_rows in 1..9_usize,
        strategy in 0..STRATEGIES.len(),
    ) {
        let json = STRATEGIES[strategy];
        let whole = Arc::new(FakeServer::new(ids.iter().copied(), usize::MAX));
        let expected = built(&whole, json);
        prop_assert!(expected.iter().any(|rows| !rows.is_empty()));
        prop_assert_eq!(built(&Arc::new(FakeServer::new(ids.clone(), batch_rows)), json), &expected[..]);
        let swapped = FakeServer::new(ids, batch_rows).tampered(|ids| ids.rotate_left(2));
        prop_assert_eq!(built(&Arc::new(swapped), json), expected);
    }
}

#[test]
fn rows_are_sorted_by_row_id() {
    assert_eq!(built(&Arc::new(FakeServer::new([7, 2, 9], 2)), "{}"), [[2, 7, 9]]);
}

#[test]
fn a_build_is_one_scan_which_brings_along_what_decides() {
    let named = |name: &str| ScanColumns::Named(vec![name.to_string()]);
    let calculated = ScanColumns::Expression { name: "split_id".to_string(), sql: "value".to_string() };
    let expected = [named("value"), named("value"), named("name"), calculated, named("value")];
    for (json, columns) in STRATEGIES.iter().zip(expected) {
        let server = Arc::new(FakeServer::new(0..5, 2));
        built(&server, json);
        assert_eq!(*server.asked.lock().unwrap(), [Request::Scan { columns, filter: None }], "{json}");
    }
}

#[test]
fn a_table_without_a_narrow_column_brings_along_a_constant() {
    let server = Arc::new(FakeServer::new([4], 1));
    let text = server.table().schema.project(&[0]).unwrap();
    let table = RemoteTable { schema: Arc::new(text), ..server.table() };
    block(RemoteSnapshot::open(table, Some("name != ''".to_string()))).unwrap();
    let columns = ScanColumns::Expression { name: "one".to_string(), sql: "1".to_string() };
    let filter = Some("name != ''".to_string());
    assert_eq!(*server.asked.lock().unwrap(), [Request::Scan { columns, filter }]);
}

#[test]
fn row_ids_and_ordinals_are_inverses() {
    let snapshot =
        block(RemoteSnapshot::open(Arc::new(FakeServer::new([3, 1 << 40, 9], 2)).table(), None)).unwrap();
    let mut rows = vec![2, 0, 1];
    snapshot.row_ids(&mut rows).unwrap();
    assert_eq!(rows, [1 << 40, 3, 9]);
    assert_eq!(snapshot.ordinals_of(&[9, 4, 1 << 40]), [Some(1), None, Some(2)]);
    assert_eq!(snapshot.row_ids(&mut [3]).unwrap_err().code(), Code::Internal);
}

#[test]
fn a_scan_that_repeats_a_row_is_refused() {
    for json in [STRATEGIES[0], STRATEGIES[2]] {
        let server = Arc::new(FakeServer::new([1, 2], 4).tampered(|ids| ids.extend_from_within(..)));
        let error =
            block(RemoteSnapshot::build(server.table(), config(json), SpillOptions::default())).unwrap_err();
        assert_eq!(error.code(), Code::ReadFailed, "{json}");
    }
}

#[test]
fn unknown_columns_are_named_before_anything_is_asked() {
    let server = Arc::new(FakeServer::new([1], 1));
    let hash = config(r#"{"splitHash": {"columns": ["nmae"], "splitWeights": [1]}}"#);
    let error = block(RemoteSnapshot::build(server.table(), hash, SpillOptions::default())).unwrap_err();
    assert_eq!(error.code(), Code::UnknownColumn);
    assert!(error.message().contains("\"name\""));
    assert!(server.asked.lock().unwrap().is_empty());
}
