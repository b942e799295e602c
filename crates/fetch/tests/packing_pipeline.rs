//! Packed blocks through the reads: what comes is what the documents alone say, whatever queues, windows and budgets do.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a helper that fails is a test that fails")]

mod packing_support;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use lance_loader_fetch::budget::Budget;
use lance_loader_fetch::fetcher::TakeFetcher;
use lance_loader_fetch::packing::{BlockColumns, DocumentPlan, PackReadOptions, estimate_blocks};
use lance_loader_order::{Code, Order, Remainder, SplitLayout};
use lance_loader_packing::PackMode;
use lance_loader_testkit::{FakeSource, Fault, TestColumn, TestTable, Trigger, eventually};
use packing_support::{Corpus, drain, next};
use proptest::prelude::*;
use tokio::runtime::Runtime;

fn uneven(ordinal: u64) -> usize {
    // Lengths from 0 to some blocks, without a pattern; the second half of the table has long ones.
    (ordinal * 7 % 23) as usize + if ordinal >= 60 { 30 } else { 0 }
}

fn source() -> Arc<FakeSource> {
    FakeSource::builder(TestTable::new(120, &[TestColumn::Tokens(uneven)])).build()
}

#[tokio::test]
async fn blocks_are_those_of_the_documents_by_takes_and_from_memory() {
    let corpus = Corpus::new(source(), 4, 250);
    for pipeline in [corpus.take(None), corpus.memory()] {
        let (blocks, error) = drain(&pipeline).await;
        assert!(error.is_none());
        assert_eq!(corpus.input_ids(blocks), corpus.expected());
    }
}

#[tokio::test]
async fn a_window_that_ends_late_changes_nothing() {
    let table = TestTable::new(120, &[TestColumn::Tokens(uneven)]);
    let late = |take: u64| Duration::from_millis(3 * (2 - take % 3));
    let corpus = Corpus::new(FakeSource::builder(table).latency(late).build(), 3, 40);
    let (blocks, error) = drain(&corpus.take(None)).await;
    assert!(error.is_none());
    assert_eq!(corpus.input_ids(blocks), corpus.expected());
}

#[tokio::test]
async fn what_precedes_a_failed_read_is_handed_over_first() {
    let table = TestTable::new(120, &[TestColumn::Tokens(uneven)]);
    let failing = FakeSource::builder(table).fault(Trigger::Take(4), Fault::Error(Code::ReadFailed)).build();
    let corpus = Corpus::new(failing, 2, 200);
    let (blocks, error) = drain(&corpus.take(None)).await;
    assert_eq!(error.unwrap().code(), Code::ReadFailed);
    let read = corpus.input_ids(blocks);
    assert!(!read.is_empty());
    assert_eq!(read, corpus.expected()[..read.len()]);
}

#[tokio::test]
async fn every_point_that_was_handed_over_resumes() {
    let mut corpus = Corpus::new(source(), 3, 20);
    corpus.read.batch_blocks = 7;
    let pipeline = corpus.take(None);
    let mut read = Vec::new();
    while let Some(blocks) = next(&pipeline, read.len() as u64).await.unwrap() {
        let batch = corpus.input_ids(blocks);
        for handed in 1..=batch.len() {
            let state = pipeline.state((read.len() + handed) as u64).unwrap();
            let (rest, error) = drain(&corpus.take(Some(&state))).await;
            assert!(error.is_none());
            assert_eq!(corpus.input_ids(rest), corpus.expected()[read.len() + handed..]);
        }
        read.extend(batch);
    }
    assert_eq!(read, corpus.expected());
    let stats = pipeline.stats(read.len() as u64).unwrap();
    assert_eq!((stats.blocks, stats.real_tokens + stats.pad_tokens), (60, 480));
}

#[tokio::test]
async fn splits_of_long_documents_are_not_read_far_ahead() {
    // One split has documents of 2 tokens, the other of 200: in step, the first needs a hundred times as many.
    let length = |ordinal: u64| if ordinal < 2000 { 2 } else { 200 };
    let table = TestTable::new(4000, &[TestColumn::Tokens(length)]);
    let source = FakeSource::builder(table).build();
    let mut corpus = Corpus::new(source.clone(), 2, 700);
    corpus.read.window_rows = Some(50);
    let (blocks, error) = drain(&corpus.take(None)).await;
    assert!(error.is_none());
    assert_eq!(corpus.input_ids(blocks), corpus.expected());
    // 5600 tokens a split are 1867 short documents and 28 long ones; the rest is what the first windows could not know.
    assert!(source.counts().taken_rows < 2200, "{:?}", source.counts());
}

#[tokio::test]
async fn closing_frees_the_budget_and_keeps_the_state() {
    let mut corpus = Corpus::new(source(), 2, 200);
    corpus.budget = Budget::new(2000);
    corpus.read.ready_bytes = 0;
    let pipeline = corpus.take(None);
    next(&pipeline, 0).await.unwrap().unwrap();
    pipeline.close();
    eventually(|| corpus.budget.used() == 0).await;
    let state = pipeline.state(2).unwrap();
    assert_eq!(state.blocks_emitted_per_split, [1, 1]);
    let (rest, _) = drain(&corpus.take(Some(&state))).await;
    assert_eq!(corpus.input_ids(rest), corpus.expected()[2..]);
    assert_eq!(pipeline.take(1, 2).unwrap_err().code(), Code::Closed);
}

#[tokio::test]
async fn handing_over_more_than_was_packed_is_a_defect() {
    let corpus = Corpus::new(source(), 2, 10);
    assert_eq!(corpus.take(None).state(1000).unwrap_err().code(), Code::Internal);
}

#[tokio::test]
async fn an_estimate_reads_one_document_in_a_hundred() {
    let table = TestTable::new(10_000, &[TestColumn::Tokens(|ordinal| 20 + (ordinal % 61) as usize)]);
    let source = FakeSource::builder(table).build();
    let layout = SplitLayout::new(10_000, 4, Remainder::Drop).unwrap();
    let plan = DocumentPlan::new(Arc::new(Order::Storage { rows: 10_000 }), layout, 0..1);
    let fetcher = Arc::new(TakeFetcher::new(source.clone(), None, Arc::default()));
    let blocks = estimate_blocks(&plan, fetcher, 7, 64, PackMode::Concat).await.unwrap();
    let exact = 10_000 * 51 / 64;
    assert!(blocks.abs_diff(exact) < exact / 10 && blocks.is_multiple_of(4), "{blocks} for {exact}");
    assert_eq!(source.counts().taken_rows, 100);
}

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn queues_windows_and_batch_sizes_never_change_the_blocks(
        splits in 1_usize..6,
        blocks in 1_u64..60,
        length in 1_u64..40,
        batch_blocks in 0_u64..20,
        window_rows in prop::option::of(0_u64..40),
        io_queue_depth in 0_usize..4,
        ready_bytes in prop_oneof![Just(0), 0..4000_u64, Just(u64::MAX)],
        budget in prop_oneof![Just(0), 0..20_000_u64, Just(u64::MAX)],
        (position_ids, loss_mask, attention_lengths) in any::<(bool, bool, bool)>(),
    ) {
        let mut corpus = Corpus::new(source(), splits, blocks);
        corpus.pack.length = length;
        corpus.budget = Budget::new(budget);
        let columns = BlockColumns { position_ids, loss_mask, attention_lengths };
        corpus.read = PackReadOptions {
            columns, batch_blocks, window_rows, io_queue_depth, ready_bytes,
        };
        let (read, error) = RUNTIME.block_on(async { drain(&corpus.take(None)).await });
        prop_assert!(error.is_none());
        prop_assert_eq!(corpus.input_ids(read), corpus.expected());
        RUNTIME.block_on(eventually(|| corpus.budget.used() == 0));
    }
}
