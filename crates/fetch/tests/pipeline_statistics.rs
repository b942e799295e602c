//! What a pipeline counts, at any moment.

use std::sync::Arc;
use std::time::Duration;

use lance_loader_fetch::statistics::Statistics;
use lance_loader_testkit::{Bench, FakeSource, TestColumn, TestTable, drain, eventually, next};

fn rows() -> Vec<u64> {
    (0..100).rev().collect()
}

fn held() -> (Arc<FakeSource>, Bench) {
    let source = FakeSource::builder(TestTable::new(100, &[TestColumn::Id])).held().build();
    let mut bench = Bench::new(source.clone());
    bench.options.ready_bytes = 0;
    (source, bench)
}

/// Rows that are unscanned, raw, ready.
fn stages(statistics: &Statistics) -> (u64, u64, u64) {
    let reading = statistics.read();
    (reading.unscanned_rows, reading.raw_rows, reading.ready_rows)
}

#[tokio::test]
async fn rows_go_from_unscanned_through_raw_to_ready() {
    let (source, bench) = held();
    let pipeline = bench.take(&rows());
    assert_eq!(stages(&bench.statistics), (100, 0, 0));
    source.until(|counts| counts.taking == 2).await;
    assert_eq!(stages(&bench.statistics), (60, 40, 0));
    source.release(0);
    eventually(|| stages(&bench.statistics) == (40, 50, 10)).await;
    next(&pipeline, 1).await.unwrap();
    eventually(|| stages(&bench.statistics) == (40, 40, 10)).await;
    next(&pipeline, 1).await.unwrap();
    assert_eq!(stages(&bench.statistics), (40, 40, 0));
    source.release_all();
    let (blocks, error) = drain(&pipeline).await;
    assert!(error.is_none());
    assert_eq!(blocks.len(), 8);
    assert_eq!(stages(&bench.statistics), (0, 0, 0));
}

#[tokio::test]
async fn what_was_read_is_exact_after_the_end() {
    let slow = |_| Duration::from_millis(2);
    let source = FakeSource::builder(TestTable::new(100, &[TestColumn::Id])).latency(slow).build();
    let bench = Bench::new(source);
    let twice: Vec<u64> = rows().into_iter().flat_map(|row| [row, row]).collect();
    bench.read(&bench.take(&twice)).await.unwrap();
    let reading = bench.statistics.read();
    assert_eq!((reading.rows_loaded, reading.bytes_loaded), (100, 800));
    assert!(reading.fetch_time >= Duration::from_millis(10 * 2), "{reading:?}");
}

#[tokio::test]
async fn pipelines_add_up_and_one_that_is_closed_takes_only_its_own_away() {
    let (source, bench) = held();
    let (first, second) = (bench.take(&rows()), bench.take(&rows()[..50]));
    source.until(|counts| counts.taking == 4).await;
    assert_eq!(stages(&bench.statistics), (60 + 10, 40 + 40, 0));
    first.close();
    eventually(|| stages(&bench.statistics) == (10, 40, 0)).await;
    source.release_all();
    assert_eq!(drain(&second).await.0.len(), 5);
    assert_eq!(stages(&bench.statistics), (0, 0, 0));
}

#[tokio::test]
async fn a_failed_pipeline_leaves_nothing_but_the_batches_that_wait() {
    let mut bench = Bench::over(TestTable::new(50, &[TestColumn::Id]));
    bench.options.io_queue_depth = 1;
    let pipeline = bench.take(&rows().into_iter().rev().collect::<Vec<_>>());
    eventually(|| stages(&bench.statistics) == (0, 0, 40)).await;
    let (blocks, error) = drain(&pipeline).await;
    assert_eq!(blocks.len(), 4);
    assert!(error.unwrap().message().contains("row 50"));
    assert_eq!(stages(&bench.statistics), (0, 0, 0));
}
