//! Which batches a pipeline delivers: the plan's rows in the plan's order, whatever its queues and reads do.
#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use lance_loader_fetch::budget::Budget;
use lance_loader_fetch::epoch::EpochRows;
use lance_loader_fetch::fetcher::TakeFetcher;
use lance_loader_fetch::gather::Block;
use lance_loader_fetch::pipeline::{Pipeline, PipelineOptions};
use lance_loader_order::{Cursor, Domain, Key, Order, Plan, Remainder, Shuffle, SplitLayout};
use lance_loader_permutation::RowSetBuilder;
use lance_loader_testkit::{Bench, FakeSource, TestColumn, TestTable, drain, next};
use proptest::prelude::*;
use tokio::runtime::{Handle, Runtime};

const COLUMNS: [TestColumn; 5] =
    [TestColumn::Id, TestColumn::Label, TestColumn::Vector(4), TestColumn::Text, TestColumn::Bytes];

#[tokio::test]
async fn batches_come_in_plan_order_whatever_order_their_reads_end_in() {
    let source = FakeSource::builder(TestTable::new(100, &[TestColumn::Id])).held().build();
    let mut bench = Bench::new(source.clone());
    bench.options.io_queue_depth = 5;
    let rows: Vec<u64> = (0..100).rev().collect();
    let pipeline = bench.take(&rows);
    source.until(|counts| counts.taking == 5).await;
    for (ended, take) in [4, 2, 3, 1, 0].into_iter().enumerate() {
        source.release(take);
        source.until(|counts| counts.ended == ended as u64 + 1).await;
    }
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows).unwrap());
}

#[tokio::test]
async fn batches_are_full_but_the_last() {
    let mut bench = Bench::over(TestTable::new(1000, &COLUMNS));
    bench.options.batch_rows = 64;
    bench.options.window_rows = Some(200);
    let rows: Vec<u64> = (0..1000).map(|draw| draw % 3).collect();
    let (blocks, error) = drain(&bench.take(&rows)).await;
    assert!(error.is_none());
    let sizes: Vec<usize> = blocks.iter().map(Block::rows).collect();
    assert_eq!(sizes, [vec![64; 15], vec![40]].concat());
}

#[tokio::test]
async fn repeated_rows_are_delivered_as_planned_and_read_once_a_window() {
    let mut bench = Bench::over(TestTable::new(3, &COLUMNS));
    bench.options.batch_rows = 4;
    bench.options.window_rows = Some(8);
    let rows = [2, 0, 0, 2, 1, 1, 1, 1, 0, 0, 0, 0];
    let pipeline = bench.take(&rows);
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows).unwrap());
    let counts = bench.source.counts();
    assert_eq!((counts.takes, counts.taken_rows), (2, 3 + 1));
}

#[tokio::test]
async fn an_empty_plan_ends_at_once_and_reads_nothing() {
    let bench = Bench::over(TestTable::new(3, &COLUMNS));
    let pipeline = bench.take(&[]);
    assert!(next(&pipeline, 1).await.unwrap().is_none());
    assert!(next(&pipeline, 1).await.unwrap().is_none());
    assert_eq!(bench.source.counts().takes, 0);
}

#[tokio::test]
async fn interleaved_pipelines_over_one_source_do_not_mix() {
    let bench = Bench::over(TestTable::new(200, &COLUMNS));
    let plans: [Vec<u64>; 2] = [(0..200).collect(), (0..200).rev().collect()];
    let pipelines = plans.each_ref().map(|rows| bench.take(rows));
    let mut read = [Vec::new(), Vec::new()];
    for _ in 0..20 {
        for (pipeline, read) in pipelines.iter().zip(&mut read) {
            read.extend(next(pipeline, 1).await.unwrap().unwrap());
        }
    }
    for (blocks, rows) in read.into_iter().zip(&plans) {
        assert_eq!(bench.arrays(blocks).unwrap(), bench.expected(rows).unwrap());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn neither_a_slow_consumer_nor_a_slow_source_changes_what_comes() {
    let rows: Vec<u64> = (0..60).rev().collect();
    for (consumer, source) in [(3, 0), (0, 3)] {
        let late = move |take: u64| Duration::from_millis(source * (3 - take % 3));
        let source = FakeSource::builder(TestTable::new(60, &COLUMNS)).latency(late).build();
        let mut bench = Bench::new(source);
        bench.options.ready_bytes = 0;
        let pipeline = bench.take(&rows);
        let mut blocks = Vec::new();
        while let Some(more) = next(&pipeline, 1).await.unwrap() {
            blocks.extend(more);
            tokio::time::sleep(Duration::from_millis(consumer)).await;
        }
        assert_eq!(bench.arrays(blocks).unwrap(), bench.expected(&rows).unwrap());
    }
}

#[tokio::test]
async fn a_shuffled_epoch_deals_from_its_splits_in_turn() {
    let bench = Bench::over(TestTable::new(103, &COLUMNS));
    let layout = SplitLayout::new(103, 4, Remainder::Drop).unwrap();
    let order = Order::Shuffled(Shuffle::new(103, 1, Key::derive(7, 3, Domain::Epoch)).unwrap());
    let row = |sample: u64| order.index_at(layout.start_of(sample as usize % 4) + sample / 4).unwrap();
    let rows: Vec<u64> = (40..100).map(row).collect();

    let cursor = Cursor::new(Plan::new(&layout, 0..4, &[10; 4]).unwrap());
    let fetcher = TakeFetcher::new(bench.source.clone(), None, bench.statistics.clone());
    let plan = Box::new(EpochRows::new(cursor, Arc::new(order)));
    let handle = Handle::current();
    let pipeline =
        Pipeline::start(&handle, plan, Arc::new(fetcher), &bench.budget, &bench.statistics, bench.options);
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows).unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn batches_that_are_gathered_side_by_side_come_in_order() {
    let mut bench = Bench::over(TestTable::new(20_000, &COLUMNS));
    let rows: Vec<u64> = (0..20_000).map(|row| row * 7919 % 20_000).collect();
    for batch_rows in [1, 100, 256, 1000] {
        bench.options.batch_rows = batch_rows;
        bench.options.window_rows = Some(8000);
        let pipeline = bench.take(&rows);
        assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows).unwrap());
    }
}

/// Real threads, so that the cases meet many interleavings.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

fn any_options() -> impl Strategy<Value = PipelineOptions> {
    let ready_bytes = prop_oneof![Just(0), 0..20_000u64, Just(u64::MAX)];
    (0..40u64, prop::option::of(0..90u64), 0..5usize, ready_bytes).prop_map(
        |(batch_rows, window_rows, io_queue_depth, ready_bytes)| PipelineOptions {
            batch_rows,
            window_rows,
            io_queue_depth,
            ready_bytes,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn queues_and_batch_sizes_never_change_the_rows(
        plan in prop::collection::vec(0..60u64, 0..300),
        filtered: bool,
        budget in prop_oneof![Just(0), 0..100_000u64, Just(u64::MAX)],
        options in any_options(),
    ) {
        let mut bench = Bench::over(TestTable::new(180, &COLUMNS));
        bench.budget = Budget::new(budget);
        bench.options = options;
        if filtered {
            let mut eligible = RowSetBuilder::new();
            (0..60).for_each(|row| eligible.push(row * 3 + row % 2).unwrap());
            bench.eligible = Some(Arc::new(eligible.finish()));
        }
        let read = RUNTIME.block_on(async { bench.read(&bench.take(&plan)).await.unwrap() });
        prop_assert_eq!(read, bench.expected(&plan).unwrap());
        prop_assert_eq!(bench.budget.used(), 0);
    }
}
