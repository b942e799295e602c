//! Rows that are asked for again and again are read once for each read, however often they are named.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::sync::Arc;

use lance_loader_fetch::fetcher::TakeFetcher;
use lance_loader_fetch::permuted::{RowsInOrder, SplitRows};
use lance_loader_fetch::pipeline::{Pipeline, PipelineOptions, RowPlan};
use lance_loader_permutation::{PermutationConfig, Rows};
use lance_loader_testkit::{Bench, Counts, TestColumn, TestTable, drain};

const ROWS: u64 = 20_000;
const WINDOW: u64 = 50;

/// `count` indices: windows of 50 rows, each a row further than the one before, from the start again at the end.
fn sliding(count: u64) -> Vec<u64> {
    (0..count).map(|at| (at / WINDOW + at % WINDOW) % ROWS).collect()
}

/// What is read for `count` indices, taken at once or in batches of 1000.
async fn read(count: u64, batch_rows: u64) -> Counts {
    let bench = Bench::over(TestTable::new(ROWS, &[TestColumn::Id]));
    let permutation = PermutationConfig::from_json(r#"{"shuffle":{"seed":3}}"#).unwrap();
    let rows = SplitRows::new(Arc::new(permutation.build(Rows::All(ROWS)).unwrap()), 0);
    let plan = RowsInOrder::at(rows, sliding(count));
    assert_eq!(plan.remaining(), count);
    let fetcher = TakeFetcher::new(bench.source.clone(), None, bench.statistics.clone());
    let options = PipelineOptions { batch_rows, window_rows: None, ..bench.options };
    let pipeline = Pipeline::start(
        &tokio::runtime::Handle::current(),
        Box::new(plan),
        Arc::new(fetcher),
        &bench.budget,
        &bench.statistics,
        options,
    );
    let (blocks, error) = drain(&pipeline).await;
    assert!(error.is_none());
    assert_eq!(blocks.iter().map(|block| block.rows() as u64).sum::<u64>(), count);
    bench.source.counts()
}

#[tokio::test]
async fn twice_the_indices_take_at_most_three_times_the_reads_and_rows() {
    for batch_rows in [1000, 200_000] {
        let (less, more) = (read(100_000, batch_rows).await, read(200_000, batch_rows).await);
        // Two thousand windows over 2049 rows, and twice that: read by read, each row once.
        assert!(less.taken_rows < 100_000 / 5, "{less:?}");
        assert!(more.taken_rows <= 3 * less.taken_rows, "{less:?}, {more:?}");
        assert!(more.takes <= 3 * less.takes, "{less:?}, {more:?}");
    }
    assert_eq!(read(100_000, 200_000).await.taken_rows, 100_000 / WINDOW + WINDOW - 1);
}
