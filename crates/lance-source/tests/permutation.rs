//! What permutations of a snapshot promise, against real Lance tables.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod support;

use std::sync::Arc;

use lance::dataset::mem_wal::DatasetMemWalExt;
use lance::dataset::optimize::{CompactionOptions, compact_files};
use lance_loader_fetch::source::RowSource;
use lance_loader_lance_source::{Blobs, Location, Snapshot};
use lance_loader_order::{Code, Error};
use lance_loader_permutation::{Permutation, PermutationConfig, SpillOptions, Stop};
use support::{SHAPES, Shape, TestTable, ids_of};

const CONFIGS: [&str; 7] = [
    "{}",
    r#"{"filter":"id % 4 <> 1","shuffle":{"seed":3,"clumpSize":4}}"#,
    r#"{"splitRandom":{"ratios":[0.5,0.25],"seed":9,"splitNames":["train","val"]}}"#,
    r#"{"splitSequential":{"counts":[5,3]},"shuffle":{"seed":1}}"#,
    r#"{"splitHash":{"columns":["text","id"],"splitWeights":[2,1],"discardWeight":1},"filter":"id > 4"}"#,
    r#"{"splitCalculated":{"calculation":"id % 4 - 1"},"filter":"id <> 7","shuffle":{"seed":2}}"#,
    r#"{"bootstrapSample":{"numSamples":90,"fixed":2,"seed":5}}"#,
];

fn config(json: &str) -> PermutationConfig {
    PermutationConfig::from_json(json).unwrap()
}

async fn build(snapshot: &Snapshot, json: &str) -> Result<Permutation, Error> {
    snapshot.build_permutation(config(json), SpillOptions::default()).await
}

/// The ids of the rows of each split.
async fn splits(snapshot: &Snapshot, permutation: &Permutation) -> Vec<Vec<i64>> {
    let source = snapshot.source(None, Blobs::Bytes).unwrap();
    let ids = ids_of(&source.take((0..source.num_rows()).collect()).await.unwrap());
    let mut splits = vec![Vec::new(); permutation.num_splits()];
    for chunk in permutation.chunks(11) {
        let chunk = chunk.unwrap();
        splits[chunk.split]
            .extend(chunk.ordinals.iter().map(|&ordinal| ids[usize::try_from(ordinal).unwrap()]));
    }
    splits
}

/// A table of 60 ids without 33 and 34, in shape.
async fn table(shape: Shape) -> TestTable {
    let mut table = TestTable::new(0..60, shape).await;
    table.dataset.delete("id = 33 OR id = 34").await.unwrap();
    table
}

fn target(folder: &tempfile::TempDir, name: &str) -> Location {
    let uri = folder.path().join(name).to_str().unwrap().to_string();
    Location { uri, ..Location::default() }
}

#[tokio::test]
async fn splits_are_the_same_however_the_rows_lie_in_files() {
    for json in CONFIGS {
        let mut built = Vec::new();
        for shape in SHAPES {
            let table = table(shape).await;
            let snapshot = table.snapshot().await;
            built.push(splits(&snapshot, &build(&snapshot, json).await.unwrap()).await);
        }
        assert!(built.iter().all(|splits| *splits == built[0]), "{json}");
        assert!(built[0].iter().flatten().all(|id| *id != 33 && *id != 34));
    }
}

#[tokio::test]
async fn a_calculation_gives_the_number_of_the_split_of_the_filters_rows() {
    let table = table(SHAPES[1]).await;
    let snapshot = table.snapshot().await;
    let built =
        build(&snapshot, r#"{"splitCalculated":{"calculation":"id % 3"},"filter":"id < 9"}"#).await.unwrap();
    assert_eq!(splits(&snapshot, &built).await, [[0, 3, 6], [1, 4, 7], [2, 5, 8]]);
    let constant =
        build(&snapshot, r#"{"splitCalculated":{"calculation":"1"},"filter":"id < 3"}"#).await.unwrap();
    assert_eq!(splits(&snapshot, &constant).await, [vec![], vec![0, 1, 2]]);
}

#[tokio::test]
async fn stored_permutations_are_read_back_on_their_version_whatever_came_later() {
    for shape in SHAPES {
        for json in CONFIGS {
            let mut table = table(shape).await;
            let snapshot = table.snapshot().await;
            let built = Arc::new(build(&snapshot, json).await.unwrap());
            let expected = splits(&snapshot, &built).await;
            let folder = tempfile::tempdir().unwrap();
            let place = target(&folder, "split.lance");
            snapshot
                .persist_permutation(built.clone(), &config(json), place.clone(), Stop::default())
                .await
                .unwrap();
            table.append(60..80, shape).await;
            table.dataset.delete("id % 2 = 0").await.unwrap();
            compact_files(&mut table.dataset, CompactionOptions::default(), None).await.unwrap();
            let stored = Snapshot::open(place).await.unwrap();
            let info = stored.permutation_info().unwrap();
            assert_eq!(info.base_version, Some(snapshot.version()));
            let pinned = Location { version: info.base_version, ..table.location() };
            let base = Snapshot::open(pinned).await.unwrap();
            let read = base.load_permutation(&stored, SpillOptions::default()).await.unwrap();
            assert_eq!(splits(&base, &read).await, expected, "{json}");
            assert_eq!(read.names(), built.names());
        }
    }
}

#[tokio::test]
async fn a_table_that_exists_is_not_written_over() {
    let table = table(SHAPES[0]).await;
    let snapshot = table.snapshot().await;
    let built = Arc::new(build(&snapshot, "{}").await.unwrap());
    let folder = tempfile::tempdir().unwrap();
    let place = target(&folder, "split.lance");
    snapshot.persist_permutation(built.clone(), &config("{}"), place.clone(), Stop::default()).await.unwrap();
    let error =
        snapshot.persist_permutation(built, &config("{}"), place.clone(), Stop::default()).await.unwrap_err();
    assert_eq!(error.code(), Code::AlreadyExists, "{error}");
    assert_eq!(Snapshot::open(place).await.unwrap().version(), 1);
}

#[tokio::test]
async fn rows_that_the_table_lacks_are_named() {
    for shape in SHAPES {
        let mut table = table(shape).await;
        let snapshot = table.snapshot().await;
        let built = Arc::new(build(&snapshot, r#"{"filter":"id < 3"}"#).await.unwrap());
        let folder = tempfile::tempdir().unwrap();
        let place = target(&folder, "split.lance");
        snapshot.persist_permutation(built, &config("{}"), place.clone(), Stop::default()).await.unwrap();
        table.dataset.delete("id = 1").await.unwrap();
        let stored = Snapshot::open(place).await.unwrap();
        let newest = table.snapshot().await;
        let error = newest.load_permutation(&stored, SpillOptions::default()).await.unwrap_err();
        assert_eq!(error.code(), Code::RowsMissing);
        assert!(
            error.message().contains("the row ids 1.") && error.message().contains("version 3"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_build_under_a_small_memory_limit_is_the_same() {
    let table = TestTable::new(0..5000, Shape { rows_per_file: 700, stable_row_ids: false }).await;
    let snapshot = table.snapshot().await;
    let json = r#"{"splitHash":{"columns":["id"],"splitWeights":[2,1]},"shuffle":{"seed":2}}"#;
    let folder = tempfile::tempdir().unwrap();
    let temp_dir = Some(folder.path().to_path_buf());
    let small = SpillOptions { memory_limit: 1 << 10, temp_dir, ..SpillOptions::default() };
    let spilled = snapshot.build_permutation(config(json), small).await.unwrap();
    let expected = splits(&snapshot, &build(&snapshot, json).await.unwrap()).await;
    assert_eq!(splits(&snapshot, &spilled).await, expected);
}

#[tokio::test]
async fn wrong_expressions_and_columns_say_what_is_wrong() {
    let table = table(SHAPES[0]).await;
    let snapshot = table.snapshot().await;
    let cases = [
        (r#"{"splitHash":{"columns":["txt"],"splitWeights":[1]}}"#, Code::UnknownColumn, "\"txt\""),
        (r#"{"splitCalculated":{"calculation":"nope % 2"}}"#, Code::InvalidArgument, "nope % 2"),
        (r#"{"splitCalculated":{"calculation":"id %"}}"#, Code::InvalidArgument, "id %"),
        (r#"{"splitCalculated":{"calculation":"text"}}"#, Code::InvalidArgument, "Utf8"),
        (r#"{"splitCalculated":{"calculation":"id % 2"},"filter":"id >"}"#, Code::InvalidArgument, "id >"),
        (
            r#"{"splitHash":{"columns":["id"],"splitWeights":[1]},"filter":"nope"}"#,
            Code::InvalidFilter,
            "nope",
        ),
        (r#"{"splitRandom":{"counts":[50,9]}}"#, Code::InvalidArgument, "59"),
        (
            r#"{"bootstrapSample":{"numSamples":3,"fixed":1},"filter":"id < 0"}"#,
            Code::InvalidArgument,
            "no row",
        ),
    ];
    for (json, code, words) in cases {
        let error = build(&snapshot, json).await.unwrap_err();
        assert_eq!(error.code(), code, "{json}: {error}");
        assert!(error.message().contains(words), "{json}: {error}");
    }
    let error = snapshot.load_permutation(&snapshot, SpillOptions::default()).await.unwrap_err();
    assert!(error.message().contains("must have row_id and split_id"), "{error}");
}

#[tokio::test]
async fn a_table_with_an_lsm_write_spec_is_refused() {
    let mut table = table(SHAPES[0]).await;
    table.dataset.initialize_mem_wal().execute().await.unwrap();
    let error = Snapshot::open(table.location()).await.unwrap_err();
    assert_eq!(error.code(), Code::UnsupportedSource);
    assert!(error.message().contains("LSM write spec"), "{error}");
}
