//! Runs of neighbours, which are read as ranges, against the rows that they are made of.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod support;

use arrow_array::RecordBatch;
use futures::TryStreamExt;
use lance_loader_fetch::source::RowSource;
use lance_loader_lance_source::{Blobs, LanceSource};
use lance_loader_order::Code;
use support::{Shape, TestTable, ids_of};

const ROWS: i64 = 5000;

/// Deletions by which a range is read with or without the rows between: none, few, most.
const DELETIONS: [&str; 3] =
    ["false", "id % 10 = 3 OR id BETWEEN 1490 AND 1510", "id % 7 <> 2 AND id > 1700"];

async fn table(deleted: &str, stable_row_ids: bool) -> (TestTable, LanceSource) {
    let mut table = TestTable::new(0..ROWS, Shape { rows_per_file: 1500, stable_row_ids }).await;
    table.dataset.delete(deleted).await.unwrap();
    let source = table.snapshot().await.source(None, Blobs::Bytes).unwrap();
    (table, source)
}

/// The ids of all rows, read by takes of rows that are no neighbours.
async fn one_by_one(source: &LanceSource) -> Vec<i64> {
    let mut ids = vec![0; source.num_rows() as usize];
    for first in 0..2 {
        let ordinals: Vec<u64> = (first..source.num_rows()).step_by(2).collect();
        let batch = source.take(ordinals.clone()).await.unwrap();
        for (ordinal, id) in ordinals.into_iter().zip(ids_of(&batch)) {
            ids[ordinal as usize] = id;
        }
    }
    ids
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scan_in_ranges_of_any_size_has_every_live_row_once_and_in_order() {
    for deleted in DELETIONS {
        for stable_row_ids in [false, true] {
            let (_table, source) = table(deleted, stable_row_ids).await;
            let ids = one_by_one(&source).await;
            for bytes in [1, 4096, 1 << 20] {
                let batches: Vec<RecordBatch> = source.scan(bytes).try_collect().await.unwrap();
                assert_eq!(batches.iter().flat_map(ids_of).collect::<Vec<_>>(), ids, "{deleted} {bytes}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_of_neighbours_come_as_the_rows_that_they_are_made_of() {
    for deleted in DELETIONS {
        let (_table, source) = table(deleted, false).await;
        let ids = one_by_one(&source).await;
        let last = source.num_rows();
        let runs: [&[(u64, u64)]; 4] =
            [&[(0, last)], &[(last - 300, last)], &[(10, 400), (401, 1000)], &[(0, 300), (300, last - 1)]];
        for run in runs {
            let ordinals: Vec<u64> = run.iter().flat_map(|&(start, end)| start..end).collect();
            let batch = source.take(ordinals.clone()).await.unwrap();
            let wanted: Vec<usize> = ordinals.iter().map(|&ordinal| ordinal as usize).collect();
            assert_eq!(
                ids_of(&batch),
                wanted.iter().map(|&row| ids[row]).collect::<Vec<_>>(),
                "{deleted} {run:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_run_that_leaves_the_table_is_an_error() {
    let (_table, source) = table("false", false).await;
    let error = source.take((4000..5001).collect()).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
}
