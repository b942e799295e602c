//! When a pipeline calls the consumer that waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lance_loader_fetch::pipeline::Pipeline;
use lance_loader_fetch::ready_queue::Next;
use lance_loader_order::Code;
use lance_loader_testkit::{
    Bench, FakeSource, Fault, TestColumn, TestTable, Trigger, drain, eventually, next,
};

fn rows() -> Vec<u64> {
    (0..100).collect()
}

fn held() -> (Arc<FakeSource>, Bench) {
    let source = FakeSource::builder(TestTable::new(100, &[TestColumn::Id])).held().build();
    (source.clone(), Bench::new(source))
}

/// Registers a waker and gives the number of its calls.
fn calls(pipeline: &Pipeline) -> Arc<AtomicU64> {
    let calls = Arc::new(AtomicU64::new(0));
    let counted = calls.clone();
    pipeline.on_ready(Box::new(move || {
        counted.fetch_add(1, Ordering::SeqCst);
    }));
    calls
}

fn count(calls: &AtomicU64) -> u64 {
    calls.load(Ordering::SeqCst)
}

#[tokio::test]
async fn nobody_is_woken_while_there_is_nothing_and_once_when_there_is() {
    let (source, bench) = held();
    let pipeline = bench.take(&rows());
    let calls = calls(&pipeline);
    source.until(|counts| counts.taking == 2).await;
    assert!(matches!(pipeline.take(1).unwrap(), Next::Pending));
    assert_eq!(count(&calls), 0);
    source.release_all();
    eventually(|| bench.statistics.read().ready_rows == 100).await;
    assert_eq!(count(&calls), 1);
    assert_eq!(drain(&pipeline).await.0.len(), 10);
    assert_eq!(count(&calls), 1);
}

#[tokio::test]
async fn who_asks_for_what_is_there_already_is_woken_at_once() {
    let (source, bench) = held();
    source.release_all();
    let pipeline = bench.take(&rows());
    eventually(|| bench.statistics.read().ready_rows == 100).await;
    assert_eq!(count(&calls(&pipeline)), 1);
}

#[tokio::test]
async fn who_asks_a_finished_a_failed_or_a_closed_pipeline_is_woken_at_once() {
    let (source, bench) = held();
    let closed = bench.take(&rows());
    closed.close();
    assert_eq!(count(&calls(&closed)), 1);

    source.release_all();
    let finished = bench.take(&rows());
    drain(&finished).await;
    assert_eq!(count(&calls(&finished)), 1);

    let fault = Fault::Error(Code::ReadFailed);
    let table = TestTable::new(100, &[TestColumn::Id]);
    let bench = Bench::new(FakeSource::builder(table).fault(Trigger::Take(0), fault).build());
    let failed = bench.take(&rows());
    drain(&failed).await;
    assert_eq!(count(&calls(&failed)), 1);
}

#[tokio::test]
async fn the_end_and_an_error_wake() {
    let table = TestTable::new(100, &[TestColumn::Id]);
    let fault = Fault::Error(Code::ReadFailed);
    let source = FakeSource::builder(table).fault(Trigger::Take(0), fault).held().build();
    let bench = Bench::new(source.clone());
    let (fails, ends) = (bench.take(&rows()), bench.take(&[]));
    let (failed, ended) = (calls(&fails), calls(&ends));
    assert_eq!((count(&failed), count(&ended)), (0, 0));
    source.release_all();
    eventually(|| (count(&failed), count(&ended)) == (1, 1)).await;
    assert_eq!(fails.take(1).unwrap_err().code(), Code::ReadFailed);
    assert!(matches!(ends.take(1).unwrap(), Next::Finished));
}

#[tokio::test]
async fn all_that_wait_are_woken_when_there_is_something() {
    let (source, bench) = held();
    let pipeline = bench.take(&rows());
    let (first, second) = (calls(&pipeline), calls(&pipeline));
    assert_eq!((count(&first), count(&second)), (0, 0));
    source.release_all();
    eventually(|| (count(&first), count(&second)) == (1, 1)).await;
}

#[tokio::test]
async fn all_that_wait_are_woken_by_a_close() {
    let (_source, bench) = held();
    let pipeline = bench.take(&rows());
    let (first, second) = (calls(&pipeline), calls(&pipeline));
    pipeline.close();
    assert_eq!((count(&first), count(&second)), (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_wake_is_lost_between_threads() {
    for _ in 0..50 {
        let latency = |take| Duration::from_micros(take % 3 * 100);
        let table = TestTable::new(100, &[TestColumn::Id]);
        let mut bench = Bench::new(FakeSource::builder(table).latency(latency).build());
        bench.options.ready_bytes = 0;
        let pipeline = bench.take(&rows());
        let mut batches = 0;
        while let Some(blocks) = next(&pipeline, 1).await.unwrap() {
            batches += blocks.len();
        }
        assert_eq!(batches, 10);
    }
}
