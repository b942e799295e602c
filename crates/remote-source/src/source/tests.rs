use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use futures::TryStreamExt;
use proptest::prelude::*;

use super::*;
use crate::testing::{FakeServer, Tamper, schema};
use crate::{RemoteTable, Request};

fn source_of(server: &Arc<FakeServer>, columns: &[&str]) -> RemoteSource {
    let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
    block(RemoteSnapshot::open(server.table(), None)).unwrap().source(Some(&columns), false).unwrap()
}

fn block<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

fn values(batch: &RecordBatch) -> Vec<u64> {
    batch["value"].as_primitive::<Int64Type>().values().iter().map(|value| value.cast_unsigned()).collect()
}

fn takes(server: &FakeServer) -> Vec<usize> {
    let take = |request: &Request| match request {
        Request::Take { row_ids, .. } => Some(row_ids.len()),
        Request::Scan { .. } => None,
    };
    server.asked.lock().unwrap().iter().filter_map(take).collect()
}

proptest! {
    #[test]
    fn rows_come_in_the_asked_order_whatever_order_the_server_answers_in(
        ids in prop::collection::btree_set(0..1_000_u64, 1..60),
        batch_rows in 1..20_usize,
        picked in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let server = Arc::new(FakeServer::new(ids.iter().copied(), batch_rows));
        let source = source_of(&server, &["value", ROW_ID, "name"]);
        let mut ordinals: Vec<u64> = picked.iter().map(|at| at.index(ids.len()) as u64).collect();
        ordinals.sort_unstable();
        ordinals.dedup();
        let all: Vec<u64> = ids.into_iter().collect();
        let expected: Vec<u64> = ordinals.iter().map(|&ordinal| all[ordinal as usize]).collect();
        let batch = block(source.take(ordinals)).unwrap();
        let schema = batch.schema();
        let names: Vec<&str> = schema.fields.iter().map(|field| field.name().as_str()).collect();
        prop_assert_eq!(names, ["value", ROW_ID, "name"]);
        prop_assert_eq!(values(&batch), &expected[..]);
        prop_assert_eq!(batch[ROW_ID].as_primitive::<UInt64Type>().values().to_vec(), expected);
    }
}

#[test]
fn a_large_take_is_cut_into_requests_and_a_scan_is_takes() {
    let rows = 10_000_u64;
    let server = Arc::new(FakeServer::new((0..rows).map(|id| id * 3), 700));
    let source = source_of(&server, &["value"]);
    let all: Vec<u64> = (0..rows).map(|id| id * 3).collect();
    assert_eq!(values(&block(source.take((0..rows).collect())).unwrap()), all);
    assert_eq!(takes(&server), [4096, 4096, 1808]);
    let batches: Vec<RecordBatch> = block(source.scan(1 << 12).try_collect()).unwrap();
    assert_eq!(batches.iter().flat_map(values).collect::<Vec<_>>(), all);
    let scans =
        server.asked.lock().unwrap().iter().filter(|asked| matches!(asked, Request::Scan { .. })).count();
    assert_eq!(scans, 1, "the one that found the row ids");
}

#[test]
fn a_scan_of_no_row_ends() {
    let server = Arc::new(FakeServer::new([], 1));
    let batches: Vec<RecordBatch> = block(source_of(&server, &["value"]).scan(1).try_collect()).unwrap();
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 0);
    assert!(takes(&server).is_empty());
}

#[test]
fn row_ids_alone_are_no_request() {
    let server = Arc::new(FakeServer::new([5, 9, 11], 2));
    let batch = block(source_of(&server, &[ROW_ID]).take(vec![0, 2])).unwrap();
    assert_eq!(batch[ROW_ID].as_primitive::<UInt64Type>().values().to_vec(), [5, 11]);
    assert!(takes(&server).is_empty());
}

#[test]
fn wrong_answers_are_errors_and_never_other_rows() {
    let cases: [(Tamper, Code, &str); 4] = [
        (|ids| ids.truncate(1), Code::RowsMissing, "2 of 3 rows did not come back from version 7"),
        (|ids| ids.clear(), Code::RowsMissing, "the row ids 5, 9, 11"),
        (|ids| ids.extend_from_within(..1), Code::ReadFailed, "the row id 11 more than once"),
        (|ids| ids[0] = 20, Code::ReadFailed, "the row id 20, which was not asked for"),
    ];
    for (tamper, code, part) in cases {
        let rows = [5, 9, 11, 20];
        let snapshot = block(RemoteSnapshot::open(Arc::new(FakeServer::new(rows, 2)).table(), None)).unwrap();
        let server = Arc::new(FakeServer::new(rows, 2).tampered(tamper));
        let snapshot = snapshot.with_table(server.table());
        let error = block(snapshot.source(None, false).unwrap().take(vec![0, 1, 2])).unwrap_err();
        assert_eq!(error.code(), code);
        assert!(error.message().contains(part), "{error}");
    }
}

#[test]
fn blobs_come_as_descriptors_or_not_at_all() {
    let server = Arc::new(FakeServer::new([1], 1));
    let mut fields: Vec<Field> = schema().fields.iter().map(|field| field.as_ref().clone()).collect();
    fields[0].set_metadata([("lance-encoding:blob".to_string(), "true".to_string())].into());
    let table = RemoteTable { schema: Arc::new(arrow_schema::Schema::new(fields)), ..server.table() };
    let snapshot = block(RemoteSnapshot::open(table, None)).unwrap();
    let error = snapshot.source(None, false).err().unwrap();
    assert_eq!(error.code(), Code::UnsupportedType);
    assert!(error.message().contains("\"name\""));
    assert!(snapshot.source(None, true).is_ok());
    assert!(snapshot.source(Some(&["value".to_string()]), false).is_ok());
}
