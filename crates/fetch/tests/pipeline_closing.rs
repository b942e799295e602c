//! What closing a pipeline ends, frees and tells.

use std::sync::Arc;
use std::time::Duration;

use lance_loader_fetch::budget::Budget;
use lance_loader_fetch::statistics::Reading;
use lance_loader_order::Code;
use lance_loader_testkit::{
    Bench, FakeSource, Fault, TestColumn, TestTable, Trigger, drain, eventually, next,
};
use tokio::sync::oneshot;

fn rows() -> Vec<u64> {
    (0..100).collect()
}

fn held() -> (Arc<FakeSource>, Bench) {
    let table = TestTable::new(100, &[TestColumn::Id, TestColumn::Vector(14)]);
    let source = FakeSource::builder(table).held().build();
    let bench = Bench { budget: Budget::new(1 << 20), ..Bench::new(source.clone()) };
    (source, bench)
}

async fn freed(bench: &Bench) {
    eventually(|| bench.budget.used() == 0).await;
    eventually(|| {
        let Reading { unscanned_rows, raw_rows, ready_rows, .. } = bench.statistics.read();
        (unscanned_rows, raw_rows, ready_rows) == (0, 0, 0)
    })
    .await;
}

#[tokio::test]
async fn closing_cancels_the_reads_and_gives_the_budget_back() {
    let (source, bench) = held();
    let pipeline = bench.take(&rows());
    source.until(|counts| counts.taking == 2).await;
    assert_eq!(bench.budget.used(), 2 * 20 * 64);
    pipeline.close();
    let counts = source.until(|counts| counts.taking == 0).await;
    assert_eq!((counts.cancelled, counts.ended), (2, 0));
    freed(&bench).await;
    assert_eq!(pipeline.take(1).unwrap_err().code(), Code::Closed);
}

#[tokio::test]
async fn dropping_is_closing() {
    let (source, bench) = held();
    let pipeline = bench.take(&rows());
    source.until(|counts| counts.taking == 2).await;
    drop(pipeline);
    source.until(|counts| counts.cancelled == 2).await;
    freed(&bench).await;
}

#[tokio::test]
async fn closing_frees_the_batches_that_wait_and_the_one_that_waits_for_its_place() {
    let (source, mut bench) = held();
    bench.options.ready_bytes = 0;
    source.release_all();
    let pipeline = bench.take(&rows());
    eventually(|| bench.statistics.read().ready_rows == 10 && source.counts().taken_rows == 60).await;
    assert!(bench.budget.used() > 0);
    pipeline.close();
    freed(&bench).await;
    assert_eq!(source.counts().taken_rows, 60);
}

#[tokio::test]
async fn closing_wakes_who_waits() {
    let (source, bench) = held();
    let pipeline = bench.take(&rows());
    source.until(|counts| counts.taking == 2).await;
    let (sender, woken) = oneshot::channel();
    pipeline.on_ready(Box::new(|| sender.send(()).unwrap()));
    pipeline.close();
    woken.await.unwrap();
    assert_eq!(next(&pipeline, 1).await.unwrap_err().code(), Code::Closed);
}

#[tokio::test]
async fn closing_again_changes_nothing_and_neither_does_closing_at_the_end() {
    let (source, bench) = held();
    source.release_all();
    let pipeline = bench.take(&rows());
    let (blocks, error) = drain(&pipeline).await;
    assert!(error.is_none() && blocks.len() == 10);
    pipeline.close();
    pipeline.close();
    assert_eq!(pipeline.take(1).unwrap_err().code(), Code::Closed);
    assert_eq!(source.counts().cancelled, 0);
}

#[tokio::test]
async fn a_read_that_hangs_ends_with_its_pipeline() {
    let table = TestTable::new(100, &[TestColumn::Id]);
    let source = FakeSource::builder(table).fault(Trigger::Take(1), Fault::Hang).build();
    let bench = Bench::new(source.clone());
    let pipeline = bench.take(&rows());
    let first = next(&pipeline, 100).await.unwrap().unwrap();
    assert!(!first.is_empty());
    pipeline.close();
    assert_eq!(source.until(|counts| counts.taking == 0).await.cancelled, 1);
    freed(&bench).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn closing_at_any_moment_frees_everything() {
    for moment in 0..60 {
        let table = TestTable::new(100, &[TestColumn::Id, TestColumn::Text]);
        let latency = |take| Duration::from_micros(take * 50);
        let bench = Bench::new(FakeSource::builder(table).latency(latency).build());
        let pipeline = bench.take(&rows());
        tokio::time::sleep(Duration::from_micros(moment * 20)).await;
        let _ = pipeline.take(1);
        drop(pipeline);
        freed(&bench).await;
        bench.source.until(|counts| counts.taking == 0).await;
    }
}
