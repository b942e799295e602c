//! What a snapshot promises, against real Lance tables.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod support;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use futures::TryStreamExt;
use lance::dataset::cleanup::CleanupPolicyBuilder;
use lance::dataset::optimize::{CompactionOptions, compact_files};
use lance_loader_fetch::source::RowSource;
use lance_loader_lance_source::{Blobs, Location, Snapshot};
use lance_loader_order::Code;
use support::{SHAPES, TestTable, ids_of};

async fn scanned(source: &impl RowSource) -> Vec<i64> {
    let batches: Vec<_> = source.scan(1 << 20).try_collect().await.unwrap();
    batches.iter().flat_map(ids_of).collect()
}

async fn taken(source: &impl RowSource, ordinals: Vec<u64>) -> Vec<i64> {
    ids_of(&source.take(ordinals).await.unwrap())
}

#[tokio::test]
async fn takes_and_scans_agree_on_what_an_ordinal_is() {
    for shape in SHAPES {
        let mut table = TestTable::new(0..50, shape).await;
        table.dataset.delete("id % 3 = 1 OR id BETWEEN 20 AND 30").await.unwrap();
        table.append(50..60, shape).await;
        let source = table.snapshot().await.source(None, Blobs::Bytes).unwrap();
        let live: Vec<i64> =
            (0..60).filter(|id| *id >= 50 || !(id % 3 == 1 || (20..=30).contains(id))).collect();
        assert_eq!(source.num_rows(), live.len() as u64);
        assert_eq!(scanned(&source).await, live);
        assert_eq!(taken(&source, (0..live.len() as u64).collect()).await, live);
        let some = vec![0, 3, 4, 11, live.len() as u64 - 1];
        let expected: Vec<i64> =
            some.iter().map(|&ordinal| live[usize::try_from(ordinal).unwrap()]).collect();
        assert_eq!(taken(&source, some).await, expected);
        assert_eq!(taken(&source, Vec::new()).await, Vec::<i64>::new());
    }
}

#[tokio::test]
async fn a_snapshot_does_not_see_what_is_written_later() {
    for shape in SHAPES {
        let mut table = TestTable::new(0..40, shape).await;
        let snapshot = table.snapshot().await;
        let source = snapshot.source(None, Blobs::Bytes).unwrap();
        table.append(40..80, shape).await;
        table.dataset.delete("id < 20").await.unwrap();
        compact_files(&mut table.dataset, CompactionOptions::default(), None).await.unwrap();
        let all: Vec<i64> = (0..40).collect();
        assert_eq!(taken(&source, (0..40).collect()).await, all);
        assert_eq!(scanned(&source).await, all);
        let pinned = Location { version: Some(snapshot.version()), ..table.location() };
        let again = Snapshot::open(pinned).await.unwrap().source(None, Blobs::Bytes).unwrap();
        assert_eq!(scanned(&again).await, all);
        assert_eq!(table.snapshot().await.rows().len(), 60);
    }
}

#[tokio::test]
async fn storage_order_survives_a_compaction_that_renumbers_fragments() {
    for shape in SHAPES {
        let mut table = TestTable::new(0..40, shape).await;
        table.dataset.delete("id % 2 = 0").await.unwrap();
        compact_files(&mut table.dataset, CompactionOptions::default(), None).await.unwrap();
        table.append(40..50, shape).await;
        let source = table.snapshot().await.source(None, Blobs::Bytes).unwrap();
        let live = scanned(&source).await;
        assert_eq!(taken(&source, (0..live.len() as u64).collect()).await, live);
    }
}

#[tokio::test]
async fn row_ids_are_those_that_lance_gives() {
    for shape in SHAPES {
        let mut table = TestTable::new(0..40, shape).await;
        table.dataset.delete("id % 4 = 0").await.unwrap();
        compact_files(&mut table.dataset, CompactionOptions::default(), None).await.unwrap();
        let columns = ["_rowid".to_string(), "id".to_string()];
        let source = table.snapshot().await.source(Some(&columns), Blobs::Bytes).unwrap();
        let names: Vec<_> = source.schema().fields().iter().map(|field| field.name().clone()).collect();
        assert_eq!(names, columns);
        let batch = source.take((0..30).collect()).await.unwrap();
        let row_ids = batch.column(0).as_primitive::<UInt64Type>().values().to_vec();
        let mut ordinals: Vec<u64> = (0..30).collect();
        source.row_ids(&mut ordinals).unwrap();
        assert_eq!(ordinals, row_ids);
        let by_id = table.dataset.take_rows(&row_ids, table.dataset.schema().clone()).await.unwrap();
        assert_eq!(ids_of(&by_id), ids_of(&batch));
        let scanned: Vec<_> = source.scan(1 << 20).try_collect().await.unwrap();
        let scanned: Vec<u64> = scanned
            .iter()
            .flat_map(|batch| batch.column(0).as_primitive::<UInt64Type>().values().to_vec())
            .collect();
        assert_eq!(scanned, row_ids);
    }
}

#[tokio::test]
async fn a_filter_keeps_just_its_rows() {
    for shape in SHAPES {
        let mut table = TestTable::new(0..60, shape).await;
        table.dataset.delete("id = 33").await.unwrap();
        let snapshot = table.snapshot().await;
        let kept = snapshot.filter("id % 3 = 0 AND id > 10").await.unwrap();
        let source = snapshot.source(None, Blobs::Bytes).unwrap();
        let expected: Vec<i64> = (11..60).filter(|id| id % 3 == 0 && *id != 33).collect();
        assert_eq!(taken(&source, kept.iter().collect()).await, expected);
        assert_eq!(snapshot.filter("id < 0").await.unwrap().len(), 0);
        assert_eq!(snapshot.filter("text IS NULL").await.unwrap().len(), 11);
    }
}

#[tokio::test]
async fn columns_come_in_the_order_asked_for() {
    let table = TestTable::new(0..5, SHAPES[0]).await;
    let columns = ["text".to_string(), "id".to_string()];
    let source = table.snapshot().await.source(Some(&columns), Blobs::Bytes).unwrap();
    let batch = source.take(vec![1, 4]).await.unwrap();
    assert_eq!(
        batch.schema().fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>(),
        ["text", "id"]
    );
    assert_eq!(ids_of(&batch), [1, 4]);
}

#[tokio::test]
async fn bad_requests_say_what_is_wrong() {
    let table = TestTable::new(0..5, SHAPES[0]).await;
    let snapshot = table.snapshot().await;
    let columns = |names: &[&str]| {
        snapshot.source(Some(&names.iter().map(ToString::to_string).collect::<Vec<_>>()), Blobs::Bytes)
    };
    let unknown = columns(&["txt"]).unwrap_err();
    assert_eq!(unknown.code(), Code::UnknownColumn);
    assert!(unknown.message().contains("\"txt\"") && unknown.message().contains("\"text\""), "{unknown}");
    assert_eq!(columns(&[]).unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(columns(&["id", "id"]).unwrap_err().code(), Code::InvalidArgument);
    for filter in ["id >", "no_such_column = 1", "id = 'x' + ", ""] {
        let error = snapshot.filter(filter).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidFilter, "{filter}: {error}");
    }
    let missing = Snapshot::open(Location { uri: format!("{}x", table.uri()), ..Location::default() })
        .await
        .unwrap_err();
    assert_eq!(missing.code(), Code::TableNotFound, "{missing}");
    let version = Snapshot::open(Location { version: Some(99), ..table.location() }).await.unwrap_err();
    assert_eq!(version.code(), Code::VersionNotFound, "{version}");
    let branch =
        Snapshot::open(Location { branch: Some("no".to_string()), ..table.location() }).await.unwrap_err();
    assert_eq!(branch.code(), Code::VersionNotFound, "{branch}");
}

#[tokio::test]
async fn a_version_that_was_cleaned_up_is_named() {
    let mut table = TestTable::new(0..5, SHAPES[0]).await;
    table.append(5..9, SHAPES[0]).await;
    let policy = CleanupPolicyBuilder::default().versions(vec![1]).unwrap().delete_unverified(true).build();
    table.dataset.cleanup_with_policy(policy).await.unwrap();
    let error = Snapshot::open(Location { version: Some(1), ..table.location() }).await.unwrap_err();
    assert_eq!(error.code(), Code::VersionNotFound);
    assert!(error.message().contains("version 1") && error.message().contains("tag"), "{error}");
}

#[tokio::test]
async fn the_identity_follows_the_data_and_not_the_path() {
    let table = TestTable::new(0..5, SHAPES[0]).await;
    let other = TestTable::new(0..5, SHAPES[0]).await;
    let identity = table.snapshot().await.identity().to_string();
    assert_ne!(identity, other.snapshot().await.identity());
    let moved = tempfile::tempdir().unwrap();
    let place = moved.path().join("elsewhere.lance");
    copy_folder(table.uri().as_ref(), &place);
    let uri = place.to_str().unwrap().to_string();
    let copy = Snapshot::open(Location { uri, ..Location::default() }).await.unwrap();
    assert_eq!(identity, copy.identity());
}

fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[tokio::test]
async fn fragments_tell_their_live_and_deleted_rows_and_the_bytes_of_their_files() {
    for shape in SHAPES {
        let mut table = TestTable::new(0..50, shape).await;
        table.dataset.delete("id % 3 = 0").await.unwrap();
        let snapshot = table.snapshot().await;
        let fragments = snapshot.fragments();
        assert_eq!(fragments.len(), 50_usize.div_ceil(shape.rows_per_file));
        let sum = |of: fn(&lance_loader_lance_source::FragmentInfo) -> u64| fragments.iter().map(of).sum();
        let (live, deleted): (u64, u64) = (sum(|one| one.live_rows), sum(|one| one.deleted_rows));
        assert_eq!((live, deleted), (33, 17));
        let folder = std::path::Path::new(&table.uri()).join("data");
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().metadata().unwrap().len());
        assert_eq!(fragments.iter().map(|one| one.bytes.unwrap()).sum::<u64>(), files.sum::<u64>());
        assert_eq!(snapshot.has_stable_row_ids(), shape.stable_row_ids);
    }
}
