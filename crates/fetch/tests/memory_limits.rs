//! Tables that do not fit into memory.
#![expect(clippy::expect_used, reason = "a helper that fails is a test that fails")]

use std::sync::Arc;

use lance_loader_fetch::budget::Budget;
use lance_loader_fetch::memory::FetchMode;
use lance_loader_order::{Code, Error};
use lance_loader_testkit::{Bench, FakeSource, TestColumn, TestTable, drain};

/// 8 + 4 * 14 bytes.
const ROW_BYTES: u64 = 64;

fn rows(count: u64) -> Vec<u64> {
    (0..count).rev().collect()
}

fn fixed_width(limit: u64) -> Bench {
    let table = TestTable::new(100, &[TestColumn::Id, TestColumn::Vector(14)]);
    Bench { budget: Budget::new(limit), ..Bench::over(table) }
}

/// Rows that a sample of every fourth takes for small.
fn deceiving(limit: u64) -> Bench {
    let length = |ordinal: u64| if ordinal.is_multiple_of(4) { 1 } else { 1000 };
    let source =
        FakeSource::builder(TestTable::new(1024, &[TestColumn::Document(length)])).scan_rows(50).build();
    Bench { budget: Budget::new(limit), ..Bench::new(source) }
}

async fn refusal(bench: &Bench, count: u64) -> Error {
    let pipeline = bench.memory_first(&rows(count), FetchMode::Memory, &bench.memory_table());
    let (_, error) = drain(&pipeline).await;
    let error = error.expect("the table does not fit");
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("fetch is \"memory\""), "{error}");
    assert!(error.message().contains(&format!("memoryBudget of {}", bench.budget.limit())), "{error}");
    error
}

#[tokio::test]
async fn a_table_of_fixed_width_that_does_not_fit_is_never_scanned() {
    let bench = fixed_width(100 * ROW_BYTES - 1);
    let table = bench.memory_table();
    for _ in 0..2 {
        let pipeline = bench.memory_first(&rows(100), FetchMode::Auto, &table);
        assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows(100)).unwrap());
    }
    assert_eq!((bench.source.counts().scans, bench.source.counts().takes), (0, 2 * 5));
    assert_eq!(bench.budget.used(), 0);
}

#[tokio::test]
async fn a_table_that_just_fits_is_loaded() {
    let bench = fixed_width(100 * ROW_BYTES);
    let table = bench.memory_table();
    assert!(table.get().await.unwrap().is_some());
    assert_eq!(bench.budget.used(), bench.budget.limit());
    let pipeline = bench.memory_first(&rows(100), FetchMode::Memory, &table);
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows(100)).unwrap());
}

#[tokio::test]
async fn a_table_that_was_taken_for_larger_holds_what_it_is() {
    let length = |ordinal: u64| if ordinal.is_multiple_of(4) { 1000 } else { 1 };
    let table = TestTable::new(1024, &[TestColumn::Document(length)]);
    let bench = Bench { budget: Budget::new(2_000_000), ..Bench::over(table) };
    let table = bench.memory_table();
    let store = table.get().await.unwrap().unwrap();
    assert!((256_000..300_000).contains(&store.bytes()));
    assert_eq!(bench.budget.used(), store.bytes() as u64);
}

#[tokio::test]
async fn windows_of_a_table_that_will_not_fit_count_against_the_budget() {
    let table = TestTable::new(100, &[TestColumn::Id, TestColumn::Vector(14)]);
    let source = FakeSource::builder(table).held().build();
    let bench = Bench { budget: Budget::new(100 * ROW_BYTES - 1), ..Bench::new(source.clone()) };
    let _pipeline = bench.memory_first(&rows(100), FetchMode::Auto, &bench.memory_table());
    source.until(|counts| counts.taking == 2).await;
    assert_eq!(bench.budget.used(), 2 * 20 * ROW_BYTES);
}

#[tokio::test]
async fn a_table_that_outgrows_the_budget_in_the_scan_is_read_by_takes() {
    let bench = deceiving(300_000);
    let table = bench.memory_table();
    for _ in 0..2 {
        let pipeline = bench.memory_first(&rows(1024), FetchMode::Auto, &table);
        assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows(1024)).unwrap());
    }
    let counts = bench.source.counts();
    assert_eq!(counts.scans, 1);
    assert!((300..500).contains(&counts.scanned_rows), "{counts:?}");
    assert_eq!(bench.budget.used(), 0);
}

#[tokio::test]
async fn memory_alone_is_an_error_that_names_the_bytes_and_the_budget() {
    let bench = fixed_width(6399);
    let error = refusal(&bench, 100).await;
    assert_eq!(bench.source.counts().takes, 0);
    assert!(error.message().contains("need at least 6400 bytes"), "{error}");

    let bench = fixed_width(10_000);
    let others = bench.budget.try_acquire(5000).unwrap();
    let error = refusal(&bench, 100).await;
    assert!(error.message().contains("in use"), "{error}");
    assert_eq!(bench.budget.used(), others.bytes());

    let error = refusal(&deceiving(300_000), 1024).await;
    let needed = error.message().split(' ').find_map(|word| word.parse().ok().filter(|bytes| *bytes > 1024));
    assert!(needed.is_some_and(|bytes: u64| (300_000..400_000).contains(&bytes)), "{error}");
}

#[tokio::test]
async fn rows_past_what_memory_can_number_are_read_by_takes() {
    let table = TestTable::new(1 << 33, &[TestColumn::Id]);
    let bench = Bench::over(table);
    let last: Vec<u64> = (0..100).map(|row| (1 << 33) - 1 - row).collect();
    let pipeline = bench.memory_first(&last, FetchMode::Auto, &bench.memory_table());
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&last).unwrap());
    assert_eq!(bench.source.counts().scans, 0);
}

#[tokio::test]
async fn takes_alone_never_scan_even_if_the_table_is_loaded() {
    let bench = fixed_width(1 << 20);
    let table = bench.memory_table();
    let takes = bench.memory_first(&rows(100), FetchMode::Take, &table);
    assert_eq!(bench.read(&takes).await.unwrap(), bench.expected(&rows(100)).unwrap());
    assert_eq!((bench.source.counts().scans, bench.source.counts().takes), (0, 5));

    table.get().await.unwrap().unwrap();
    let takes = bench.memory_first(&rows(100), FetchMode::Take, &table);
    assert_eq!(bench.read(&takes).await.unwrap(), bench.expected(&rows(100)).unwrap());
    assert_eq!(bench.source.counts().takes, 10);
}

#[tokio::test]
async fn an_empty_table_fits_into_nothing() {
    for columns in [&[TestColumn::Id][..], &[TestColumn::Text]] {
        let bench = Bench { budget: Budget::new(0), ..Bench::over(TestTable::new(0, columns)) };
        let table = bench.memory_table();
        assert_eq!(table.get().await.unwrap().map(|store| store.rows()), Some(0));
        assert!(bench.read(&bench.memory_first(&[], FetchMode::Memory, &table)).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn windows_that_wait_for_the_table_do_not_take_its_place() {
    // Room for the table and for the first window, which comes by a take, and for nothing more.
    let source =
        FakeSource::builder(TestTable::new(100, &[TestColumn::Id, TestColumn::Vector(14)])).held().build();
    let mut bench = Bench { budget: Budget::new(120 * ROW_BYTES), ..Bench::new(Arc::clone(&source)) };
    bench.options.io_queue_depth = 4;
    let table = bench.memory_table();
    let pipeline = bench.memory_first(&rows(100), FetchMode::Memory, &table);
    source.until(|counts| counts.taking == 1 && counts.scanned_rows == 100).await;
    source.release_all();
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows(100)).unwrap());
    assert_eq!(source.counts().takes, 1);
}
