//! What a consumer sees when a read, a source or a plan fails.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper that fails is a test that fails")]

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use lance_loader_fetch::fetcher::{FetchedRows, Fetcher, TakeFetcher};
use lance_loader_fetch::pipeline::{Pipeline, RowPlan};
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::RowSetBuilder;
use lance_loader_testkit::{
    Bench, FakeSource, Fault, ListedRows, TestColumn, TestTable, Trigger, drain, eventually,
};
use tokio::runtime::Handle;

fn rows() -> Vec<u64> {
    (0..100).rev().collect()
}

fn faulty(trigger: Trigger, fault: Fault) -> Bench {
    let table = TestTable::new(100, &[TestColumn::Id, TestColumn::Text]);
    Bench::new(FakeSource::builder(table).fault(trigger, fault).build())
}

/// Drains a pipeline that fails and checks that it delivered exactly its first batches, and that it stays failed.
async fn failure_after(bench: &Bench, pipeline: &Pipeline, batches: usize) -> Error {
    let (blocks, error) = drain(pipeline).await;
    assert_eq!(bench.arrays(blocks).unwrap(), bench.expected(&rows()).unwrap()[..batches]);
    let error = error.expect("the pipeline fails");
    let again = pipeline.take(1).expect_err("the pipeline stays failed");
    assert_eq!((again.code(), again.message()), (error.code(), error.message()));
    error
}

#[tokio::test]
async fn an_error_comes_behind_the_batches_before_it_and_stays() {
    let bench = faulty(Trigger::Take(3), Fault::Error(Code::ReadFailed));
    let error = failure_after(&bench, &bench.take(&rows()), 6).await;
    assert_eq!(error.code(), Code::ReadFailed);
    assert_eq!(bench.budget.used(), 0);
}

#[tokio::test]
async fn an_error_of_a_later_read_waits_for_its_turn() {
    let table = TestTable::new(100, &[TestColumn::Id]);
    let fault = Fault::Error(Code::ReadFailed);
    let source = FakeSource::builder(table).fault(Trigger::Take(1), fault).held().build();
    let bench = Bench::new(source.clone());
    let pipeline = bench.take(&rows());
    source.release(1);
    source.until(|counts| counts.ended == 1).await;
    source.release_all();
    assert_eq!(failure_after(&bench, &pipeline, 2).await.code(), Code::ReadFailed);
}

#[tokio::test]
async fn a_lost_row_is_an_error_and_never_a_shorter_batch() {
    let bench = faulty(Trigger::Ordinal(55), Fault::Lose(1));
    let error = failure_after(&bench, &bench.take(&rows()), 4).await;
    assert_eq!(error.code(), Code::RowsMissing);
    assert!(error.message().contains("20 rows came back with 19"), "{error}");
}

#[tokio::test]
async fn a_panic_of_the_source_is_an_error_and_later_pipelines_work() {
    let bench = faulty(Trigger::Take(1), Fault::Panic);
    let error = failure_after(&bench, &bench.take(&rows()), 2).await;
    assert_eq!(error.code(), Code::Internal);
    assert!(error.message().contains("was made to panic"), "{error}");
    assert_eq!(bench.read(&bench.take(&rows())).await.unwrap(), bench.expected(&rows()).unwrap());
    assert_eq!(bench.budget.used(), 0);
}

/// Windows of which the rows from 25 on are not there.
struct Holes(TakeFetcher);

impl Fetcher for Holes {
    fn fetch(&self, rows: Vec<u64>) -> BoxFuture<'static, Result<FetchedRows>> {
        let fetched = self.0.fetch(rows);
        async move {
            let mut fetched = fetched.await?;
            fetched.indices.iter_mut().skip(25).for_each(|index| *index = u32::MAX);
            Ok(fetched)
        }
        .boxed()
    }

    fn row_bytes(&self) -> Option<u64> {
        self.0.row_bytes()
    }

    fn holds_windows(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn an_error_of_a_gather_comes_behind_the_batches_before_it() {
    let mut bench = faulty(Trigger::Take(9), Fault::Hang);
    bench.options.window_rows = Some(50);
    let fetcher = Holes(TakeFetcher::new(bench.source.clone(), None, bench.statistics.clone()));
    let error = failure_after(&bench, &bench.start(&rows(), Arc::new(fetcher)), 2).await;
    assert_eq!(error.code(), Code::Internal);
}

#[tokio::test]
async fn an_error_cancels_the_reads_behind_it() {
    let table = TestTable::new(100, &[TestColumn::Id]);
    let fault = Fault::Error(Code::ReadFailed);
    let source = FakeSource::builder(table).fault(Trigger::Take(0), fault).held().build();
    let mut bench = Bench::new(source.clone());
    bench.options.io_queue_depth = 3;
    let pipeline = bench.take(&rows());
    source.until(|counts| counts.taking == 3).await;
    source.release(0);
    failure_after(&bench, &pipeline, 0).await;
    source.until(|counts| counts.cancelled == 2).await;
    eventually(|| bench.budget.used() == 0).await;
}

#[tokio::test]
async fn a_row_that_is_not_eligible_is_an_error() {
    let mut bench = faulty(Trigger::Take(9), Fault::Hang);
    let mut eligible = RowSetBuilder::new();
    eligible.push_range(10, 19).unwrap();
    bench.eligible = Some(Arc::new(eligible.finish()));
    let (blocks, error) = drain(&bench.take(&[9, 10])).await;
    assert!(blocks.is_empty());
    assert_eq!(error.unwrap().code(), Code::Internal);
}

/// A list of which the rows from some point on can't be had.
struct Torn {
    rows: ListedRows,
    broken_at: u64,
}

impl RowPlan for Torn {
    fn remaining(&self) -> u64 {
        self.rows.remaining()
    }

    fn fill(&mut self, rows: &mut [u64]) -> Result<()> {
        if self.remaining() <= self.broken_at {
            return Err(Error::new(Code::ReadFailed, "the list is torn"));
        }
        self.rows.fill(rows)
    }
}

#[tokio::test]
async fn an_error_of_the_plan_comes_behind_the_batches_before_it() {
    let bench = faulty(Trigger::Take(9), Fault::Hang);
    let plan = Box::new(Torn { rows: ListedRows::new(rows()), broken_at: 40 });
    let fetcher = TakeFetcher::new(bench.source.clone(), None, bench.statistics.clone());
    let handle = Handle::current();
    let pipeline =
        Pipeline::start(&handle, plan, Arc::new(fetcher), &bench.budget, &bench.statistics, bench.options);
    let error = failure_after(&bench, &pipeline, 6).await;
    assert_eq!((error.code(), error.message()), (Code::ReadFailed, "the list is torn"));
}
