//! When a table is loaded into memory, and what a load holds, counts and survives.

use std::sync::Arc;

use lance_loader_fetch::budget::Budget;
use lance_loader_fetch::memory::FetchMode;
use lance_loader_order::Code;
use lance_loader_permutation::RowSetBuilder;
use lance_loader_testkit::{
    Bench, Counts, FakeSource, FakeSourceBuilder, Fault, TestColumn, TestTable, Trigger, drain, eventually,
    next,
};

/// 8 + 4 * 14 bytes.
const ROW_BYTES: u64 = 64;

fn rows() -> Vec<u64> {
    (0..100).rev().collect()
}

fn source() -> FakeSourceBuilder {
    FakeSource::builder(TestTable::new(100, &[TestColumn::Id, TestColumn::Vector(14)])).scan_rows(30)
}

#[tokio::test]
async fn a_table_is_scanned_once_and_later_pipelines_read_nothing() {
    let bench = Bench::new(source().build());
    let table = bench.memory_table();
    for mode in [FetchMode::Auto, FetchMode::Memory, FetchMode::Auto] {
        let pipeline = bench.memory_first(&rows(), mode, &table);
        assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows()).unwrap());
    }
    let Counts { takes, taken_rows, scans, scanned_rows, .. } = bench.source.counts();
    assert_eq!((takes, taken_rows, scans, scanned_rows), (1, 20, 1, 100));
    let reading = bench.statistics.read();
    assert_eq!((reading.rows_loaded, reading.bytes_loaded), (120, 120 * ROW_BYTES));
}

#[tokio::test]
async fn the_first_window_comes_by_a_take_and_does_not_wait_for_the_scan() {
    let source = source().fault(Trigger::Scan(0), Fault::Hang).build();
    let bench = Bench::new(source.clone());
    let pipeline = bench.memory_first(&rows(), FetchMode::Auto, &bench.memory_table());
    let mut blocks = next(&pipeline, 1).await.unwrap().unwrap();
    blocks.extend(next(&pipeline, 1).await.unwrap().unwrap());
    assert_eq!(bench.arrays(blocks).unwrap(), bench.expected(&rows()).unwrap()[..2]);
    source.until(|counts| counts.scans == 1).await;
    assert_eq!(source.counts().takes, 1);
}

#[tokio::test]
async fn a_table_of_less_than_two_windows_is_loaded_at_once() {
    let bench = Bench::over(TestTable::new(39, &[TestColumn::Id]));
    let rows: Vec<u64> = (0..39).rev().collect();
    let pipeline = bench.memory_first(&rows, FetchMode::Auto, &bench.memory_table());
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows).unwrap());
    assert_eq!((bench.source.counts().takes, bench.source.counts().scans), (0, 1));
}

#[tokio::test]
async fn a_plan_of_one_window_loads_nothing() {
    let bench = Bench::new(source().build());
    let table = bench.memory_table();
    bench.read(&bench.memory_first(&[3, 1], FetchMode::Auto, &table)).await.unwrap();
    assert_eq!((bench.source.counts().takes, bench.source.counts().scans), (1, 0));
    assert!(!table.is_settled());
}

#[tokio::test]
async fn pipelines_that_start_together_share_one_scan() {
    let bench = Bench::new(source().build());
    let table = bench.memory_table();
    let pipelines = [(); 3].map(|()| bench.memory_first(&rows(), FetchMode::Auto, &table));
    for pipeline in &pipelines {
        assert_eq!(bench.read(pipeline).await.unwrap(), bench.expected(&rows()).unwrap());
    }
    assert_eq!((bench.source.counts().scans, bench.source.counts().cancelled), (1, 0));
}

#[tokio::test]
async fn a_load_whose_pipeline_is_closed_is_cancelled_and_begun_anew() {
    let source = source().fault(Trigger::Scan(0), Fault::Hang).build();
    let bench = Bench { budget: Budget::new(1 << 20), ..Bench::new(source.clone()) };
    let table = bench.memory_table();
    let pipeline = bench.memory_first(&rows(), FetchMode::Auto, &table);
    source.until(|counts| counts.scans == 1).await;
    pipeline.close();
    source.until(|counts| counts.cancelled == 1).await;
    eventually(|| bench.budget.used() == 0).await;
    assert!(!table.is_settled());

    let pipeline = bench.memory_first(&rows(), FetchMode::Memory, &table);
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows()).unwrap());
    assert_eq!(source.counts().scans, 2);
}

#[tokio::test]
async fn a_load_goes_on_for_the_pipelines_that_are_left() {
    let source = source().fault(Trigger::Scan(0), Fault::Hang).build();
    let bench = Bench::new(source.clone());
    let table = bench.memory_table();
    let first = bench.memory_first(&rows(), FetchMode::Auto, &table);
    source.until(|counts| counts.scans == 1).await;
    let second = bench.memory_first(&rows(), FetchMode::Auto, &table);
    source.until(|counts| counts.takes == 2).await;
    first.close();
    assert_eq!(bench.read(&second).await.unwrap(), bench.expected(&rows()).unwrap());
}

#[tokio::test]
async fn the_budget_is_held_while_the_table_lives() {
    let bench = Bench { budget: Budget::new(1 << 20), ..Bench::new(source().build()) };
    let table = bench.memory_table();
    bench.read(&bench.memory_first(&rows(), FetchMode::Auto, &table)).await.unwrap();
    assert_eq!(bench.budget.used(), 100 * ROW_BYTES);
    drop(table);
    assert_eq!(bench.budget.used(), 0);
}

#[tokio::test]
async fn only_the_rows_that_a_filter_kept_are_held() {
    let mut bench = Bench { budget: Budget::new(1 << 20), ..Bench::new(source().build()) };
    let mut eligible = RowSetBuilder::new();
    (0..50).for_each(|row| eligible.push(row * 2 + 1).unwrap());
    bench.eligible = Some(Arc::new(eligible.finish()));
    let table = bench.memory_table();
    let rows: Vec<u64> = (0..50).rev().collect();
    let pipeline = bench.memory_first(&rows, FetchMode::Memory, &table);
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows).unwrap());
    assert_eq!(bench.budget.used(), 50 * ROW_BYTES);
}

#[tokio::test]
async fn a_scan_that_loses_rows_is_an_error_with_and_without_a_filter() {
    for filtered in [false, true] {
        let mut bench = Bench::new(source().fault(Trigger::Scan(0), Fault::Lose(1)).build());
        let mut plan = rows();
        if filtered {
            // As many rows are left where the lost one was, so that only the whole scan's rows tell.
            let mut eligible = RowSetBuilder::new();
            eligible.push_range(0, 9).unwrap();
            eligible.push_range(40, 79).unwrap();
            bench.eligible = Some(Arc::new(eligible.finish()));
            plan = (0..50).collect();
        }
        let pipeline = bench.memory_first(&plan, FetchMode::Auto, &bench.memory_table());
        let (blocks, error) = drain(&pipeline).await;
        assert_eq!(bench.arrays(blocks).unwrap(), bench.expected(&plan).unwrap()[..2]);
        let error = error.unwrap();
        assert_eq!(error.code(), Code::RowsMissing);
        assert!(error.message().contains("100 rows came back with 99"), "{error}");
    }
}

#[tokio::test]
async fn a_failed_scan_is_an_error_that_the_next_pipeline_does_not_inherit() {
    for (fault, code) in [(Fault::Error(Code::ReadFailed), Code::ReadFailed), (Fault::Panic, Code::Internal)]
    {
        let mut bench = Bench::new(source().fault(Trigger::Scan(0), fault).build());
        bench.options.io_queue_depth = 1;
        let table = bench.memory_table();
        let (blocks, error) = drain(&bench.memory_first(&rows(), FetchMode::Auto, &table)).await;
        assert_eq!((blocks.len(), error.unwrap().code()), (2, code));
        let pipeline = bench.memory_first(&rows(), FetchMode::Auto, &table);
        assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows()).unwrap());
    }
}
