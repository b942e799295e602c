//! What scratch does where it can't: an error for who asked for it, takes for who did not.

use std::path::PathBuf;
use std::sync::Arc;

use lance_loader_fetch::budget::Budget;
use lance_loader_fetch::choosing::{ChoosingFetcher, PlanFacts};
use lance_loader_fetch::memory::FetchMode;
use lance_loader_fetch::pipeline::Pipeline;
use lance_loader_fetch::scratch::ScratchOptions;
use lance_loader_order::Code;
use lance_loader_testkit::{
    Bench, FakeSource, FakeSourceBuilder, Fault, ListedRows, TestColumn, TestTable, Trigger,
};

fn source() -> FakeSourceBuilder {
    FakeSource::builder(TestTable::new(2000, &[TestColumn::Id, TestColumn::Vector(14)])).scan_rows(300)
}

fn bench(source: FakeSourceBuilder) -> Bench {
    let mut bench = Bench::new(source.build());
    bench.options.window_rows = None;
    bench.budget = Budget::new(40_000);
    bench
}

fn rows() -> Vec<u64> {
    (0..2000).rev().collect()
}

fn start(bench: &Bench, mode: FetchMode, options: Option<ScratchOptions>) -> Pipeline {
    let facts = PlanFacts {
        batch_rows: 10,
        run_rows: 1,
        splits: 1,
        is_remote: false,
        cache_bytes: 0,
        scratch: options,
    };
    let plan = Box::new(ListedRows::new(rows()));
    bench.start(&rows(), Arc::new(ChoosingFetcher::new(mode, &bench.memory_table(), facts, plan)))
}

fn options(max_bytes: u64) -> ScratchOptions {
    ScratchOptions { folder: std::env::temp_dir(), max_bytes, required: false }
}

#[tokio::test]
async fn auto_deals_a_shuffled_table_that_does_not_fit_and_says_so() {
    let bench = bench(source());
    let pipeline = start(&bench, FetchMode::Auto, Some(options(1 << 30)));
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows()).unwrap());
    assert_eq!((bench.source.counts().scans, bench.source.counts().takes), (1, 1));
    let choice = bench.statistics.choice().unwrap();
    assert_eq!(choice.mode, FetchMode::Scratch);
    assert!(choice.reason.contains("2000 of 2000 rows of 64 bytes"), "{}", choice.reason);
}

#[tokio::test]
async fn a_full_disk_is_an_error_or_takes_and_never_other_rows() {
    // The rows have 128,000 bytes: the model sees that they don't fit, save where a deal is begun with room that is gone at its end.
    let bench = bench(source());
    let error = bench.read(&start(&bench, FetchMode::Scratch, Some(options(60_000)))).await.unwrap_err();
    assert_eq!(error.code(), Code::WriteFailed);
    assert!(error.to_string().contains("scratchBytes"), "{error}");

    let folder =
        ScratchOptions { folder: PathBuf::from("/does/not/exist"), max_bytes: 1 << 30, required: false };
    let pipeline = start(&bench, FetchMode::Auto, Some(folder));
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows()).unwrap());
    let choice = bench.statistics.choice().unwrap();
    assert_eq!(choice.mode, FetchMode::Take);
    assert!(choice.reason.contains("/does/not/exist"), "{}", choice.reason);
}

#[tokio::test]
async fn without_a_folder_rows_are_taken() {
    let bench = bench(source());
    let pipeline = start(&bench, FetchMode::Auto, None);
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows()).unwrap());
    assert_eq!(bench.source.counts().scans, 0);
    assert_eq!(bench.statistics.choice().unwrap().mode, FetchMode::Take);
}

#[tokio::test]
async fn a_scan_that_fails_or_loses_rows_fails_the_epoch_behind_its_first_window() {
    for fault in [Fault::Error(Code::ReadFailed), Fault::Lose(1)] {
        let code = if matches!(fault, Fault::Lose(_)) { Code::RowsMissing } else { Code::ReadFailed };
        let bench = bench(source().fault(Trigger::Scan(0), fault));
        let pipeline = start(&bench, FetchMode::Auto, Some(options(1 << 30)));
        let (blocks, error) = lance_loader_testkit::drain(&pipeline).await;
        assert_eq!(error.unwrap().code(), code);
        let delivered = bench.arrays(blocks).unwrap();
        assert!(!delivered.is_empty());
        assert_eq!(delivered, bench.expected(&rows()).unwrap()[..delivered.len()]);
    }
}

#[tokio::test]
async fn a_pipeline_that_is_closed_during_its_deal_frees_everything() {
    let bench = bench(source().fault(Trigger::Scan(0), Fault::Hang));
    let pipeline = start(&bench, FetchMode::Auto, Some(options(1 << 30)));
    bench.source.until(|counts| counts.scans == 1).await;
    pipeline.close();
    drop(pipeline);
    lance_loader_testkit::eventually(|| bench.budget.used() == 0).await;
    assert_eq!(bench.source.counts().cancelled, 1);
}
