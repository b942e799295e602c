//! What a pipeline may have under way at one time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lance_loader_fetch::budget::Budget;
use lance_loader_testkit::{Bench, FakeSource, TestColumn, TestTable, eventually, next};

/// 8 + 4 * 14 bytes.
const ROW_BYTES: u64 = 64;
const COLUMNS: [TestColumn; 2] = [TestColumn::Id, TestColumn::Vector(14)];

fn all(rows: u64) -> Vec<u64> {
    (0..rows).rev().collect()
}

/// A bench whose budget is looked at whenever a read begins, and the most that was in use then.
fn watched(rows: u64, limit: u64) -> (Bench, Arc<AtomicU64>) {
    let (budget, peak) = (Budget::new(limit), Arc::new(AtomicU64::new(0)));
    let (watched, highest) = (budget.clone(), peak.clone());
    let look = move |_| {
        highest.fetch_max(watched.used(), Ordering::Relaxed);
        Duration::ZERO
    };
    let source = FakeSource::builder(TestTable::new(rows, &COLUMNS)).latency(look).build();
    (Bench { budget, ..Bench::new(source) }, peak)
}

#[tokio::test]
async fn no_more_reads_are_under_way_than_the_io_queue_is_deep() {
    for depth in [0, 1, 3] {
        let source = FakeSource::builder(TestTable::new(400, &COLUMNS)).held().build();
        let mut bench = Bench::new(source.clone());
        bench.options.io_queue_depth = depth;
        let rows = all(400);
        let pipeline = bench.take(&rows);
        let deepest = depth.max(1) as u64;
        source.until(|counts| counts.taking == deepest).await;
        source.release_all();
        assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows).unwrap());
        assert_eq!(source.counts().most_taking, deepest);
    }
}

#[tokio::test]
async fn the_budget_bounds_the_rows_under_way() {
    // Room for two windows of 20 rows and a half.
    let limit = 50 * ROW_BYTES;
    let (mut bench, peak) = watched(1000, limit);
    bench.options.io_queue_depth = 8;
    let rows = all(1000);
    let pipeline = bench.take(&rows);
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows).unwrap());
    assert_eq!(peak.load(Ordering::Relaxed), 40 * ROW_BYTES);
    assert_eq!(bench.source.counts().most_rows_taking, 40);
    assert_eq!(bench.budget.used(), 0);
}

#[tokio::test]
async fn a_window_larger_than_the_whole_budget_comes_alone() {
    let (mut bench, peak) = watched(100, ROW_BYTES);
    bench.options.io_queue_depth = 8;
    let rows = all(100);
    let pipeline = bench.take(&rows);
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows).unwrap());
    assert_eq!(peak.load(Ordering::Relaxed), 20 * ROW_BYTES);
    assert_eq!(bench.source.counts().most_taking, 1);
}

#[tokio::test]
async fn a_budget_that_others_use_up_slows_a_pipeline_but_never_stops_it() {
    let (mut bench, _) = watched(100, 1000 * ROW_BYTES);
    bench.options.io_queue_depth = 8;
    let others = bench.budget.force(1000 * ROW_BYTES);
    let rows = all(100);
    let pipeline = bench.take(&rows);
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows).unwrap());
    assert_eq!(bench.source.counts().most_taking, 1);
    assert_eq!(bench.budget.used(), others.bytes());
}

#[tokio::test]
async fn windows_of_automatic_size_share_two_thirds_of_the_budget() {
    let limit = 3 * 4 * 500 * ROW_BYTES / 2;
    let (mut bench, peak) = watched(20_000, limit);
    bench.options.window_rows = None;
    bench.options.io_queue_depth = 3;
    let rows = all(20_000);
    let pipeline = bench.take(&rows);
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows).unwrap());
    // Three windows under way, or one being gathered and three read: 500 rows each.
    assert_eq!(bench.source.counts().most_rows_taking, 3 * 500);
    assert!(peak.load(Ordering::Relaxed) <= limit / 3 * 2);
}

#[tokio::test]
async fn rows_of_unknown_size_are_read_one_batch_alone_first() {
    let table = TestTable::new(1000, &[TestColumn::Document(|_| 1000)]);
    let source = FakeSource::builder(table).held().build();
    let mut bench = Bench::new(source.clone());
    bench.options.window_rows = None;
    bench.options.io_queue_depth = 8;
    bench.budget = Budget::new(200_000);
    let rows = all(1000);
    let pipeline = bench.take(&rows);
    source.until(|counts| counts.taking == 1).await;
    assert_eq!(bench.statistics.read().unscanned_rows, 990);
    source.release(0);
    source.until(|counts| counts.taking == 8).await;
    source.release_all();
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows).unwrap());
    assert!(source.counts().most_rows_taking * 1000 < bench.budget.limit());
}

#[tokio::test]
async fn a_window_counts_with_its_true_bytes_until_it_is_gathered() {
    let mut bench = Bench::over(TestTable::new(20, &[TestColumn::Document(|_| 1000)]));
    bench.options.ready_bytes = 0;
    let pipeline = bench.take(&all(20));
    eventually(|| bench.statistics.read().ready_rows == 10).await;
    assert!((20_000..21_000).contains(&bench.budget.used()), "{}", bench.budget.used());
    next(&pipeline, 1).await.unwrap();
    eventually(|| bench.budget.used() == 0).await;
}

#[tokio::test]
async fn reads_stop_while_the_consumer_takes_nothing() {
    let mut bench = Bench::over(TestTable::new(1000, &COLUMNS));
    bench.options.ready_bytes = 0;
    let rows = all(1000);
    let pipeline = bench.take(&rows);
    // One batch of 10 waits for the consumer and one for its place; the window of 20 that they are of, and two more, were read.
    eventually(|| bench.source.counts().taken_rows == 60).await;
    let mut blocks = Vec::new();
    while let Some(more) = next(&pipeline, 1).await.unwrap() {
        blocks.extend(more);
        eventually(|| bench.statistics.read().ready_rows == 10 || bench.statistics.read().raw_rows == 0)
            .await;
        let ahead = bench.source.counts().taken_rows - 10 * blocks.len() as u64;
        assert!(ahead <= 60 + 10, "{ahead} rows were read ahead");
        assert!(bench.statistics.read().ready_rows <= 10);
    }
    assert_eq!(bench.arrays(blocks).unwrap(), bench.expected(&rows).unwrap());
}
