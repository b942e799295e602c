//! Rows from scratch are the rows that takes give.
#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::sync::{Arc, LazyLock};

use lance_loader_fetch::budget::Budget;
use lance_loader_fetch::choosing::{ChoosingFetcher, PlanFacts};
use lance_loader_fetch::memory::FetchMode;
use lance_loader_fetch::scratch::ScratchOptions;
use lance_loader_order::{Cursor, Domain, Key, Order, Plan, Remainder, Shuffle, SplitLayout, below};
use lance_loader_permutation::{RowSet, RowSetBuilder};
use lance_loader_testkit::{Bench, FakeSource, ListedRows, TestColumn, TestTable};
use proptest::prelude::*;
use tokio::runtime::Runtime;

const COLUMNS: [TestColumn; 6] = [
    TestColumn::Id,
    TestColumn::Label,
    TestColumn::Vector(4),
    TestColumn::Text,
    TestColumn::Bytes,
    TestColumn::Tokens(|ordinal| ordinal as usize % 5),
];

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// One in `sparsity` rows, or all.
fn kept(rows: u64, sparsity: u64, key: Key) -> Option<Arc<RowSet>> {
    let mut kept = RowSetBuilder::new();
    (0..rows).filter(|row| below(key, *row, sparsity) == 0).for_each(|row| kept.push(row).unwrap());
    (sparsity > 1).then(|| Arc::new(kept.finish()))
}

/// What one of `world` ranks reads of a shuffled epoch, from some progress on: none where there are fewer rows than splits.
fn epoch(rows: u64, splits: usize, world: usize, clump: u64, progress: u64, key: Key) -> Vec<u64> {
    let Ok(layout) = SplitLayout::new(rows, splits * world, Remainder::Keep) else { return Vec::new() };
    let progress: Vec<u64> = (0..splits * world).map(|split| progress.min(layout.len_of(split))).collect();
    let plan = Plan::new(&layout, 0..splits, &progress).unwrap();
    let mut positions = vec![0; plan.remaining() as usize];
    assert_eq!(Cursor::new(plan).fill_positions(&mut positions), positions.len());
    Order::Shuffled(Shuffle::new(rows, clump, key).unwrap()).map_positions(&mut positions).unwrap();
    positions
}

/// Draws with replacement.
fn draws(rows: u64, count: u64, key: Key) -> Vec<u64> {
    (0..count).map(|draw| below(key, draw, rows)).collect()
}

fn scratch(batch_rows: u64) -> PlanFacts {
    let options = ScratchOptions { folder: std::env::temp_dir(), max_bytes: u64::MAX, required: false };
    PlanFacts { batch_rows, run_rows: 1, splits: 1, is_remote: false, cache_bytes: 0, scratch: Some(options) }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(120) })]

    #[test]
    fn rows_from_scratch_are_the_rows_that_takes_give(
        rows in 1..400u64,
        sparsity in 1..4u64,
        splits in 1..5usize,
        world in 1..3usize,
        clump in 1..5u64,
        progress in 0..40u64,
        bootstrap: bool,
        seed: u64,
        scan_rows in 1..120usize,
        budget in 1_000..60_000u64,
        depth in 1..5usize,
    ) {
        let key = Key::derive(seed, 0, Domain::Epoch);
        let source = FakeSource::builder(TestTable::new(rows, &COLUMNS)).scan_rows(scan_rows).build();
        let mut bench = Bench::new(source.clone());
        bench.options.window_rows = None;
        bench.options.io_queue_depth = depth;
        bench.budget = Budget::new(budget);
        bench.eligible = kept(rows, sparsity, key);
        let eligible = bench.eligible.as_ref().map_or(rows, |eligible| eligible.len());
        let plan = match (bootstrap, eligible) {
            (_, 0) => Vec::new(),
            (true, _) => draws(eligible, 2 * eligible, key),
            (false, _) => epoch(eligible, splits, world, clump, progress, key),
        };
        let table = bench.memory_table();
        RUNTIME.block_on(async {
            let fetcher = ChoosingFetcher::new(
                FetchMode::Scratch,
                &table,
                scratch(bench.options.batch_rows),
                Box::new(ListedRows::new(plan.as_slice())),
            );
            let pipeline = bench.start(&plan, Arc::new(fetcher));
            // An index that the budget does not carry is refused before anything is scanned: takes are no answer to who asked for scratch.
            let delivered = match bench.read(&pipeline).await {
                Err(error) => {
                    prop_assert!(error.to_string().contains("memoryBudget"), "{}", error);
                    prop_assert!(source.counts().scans == 0 && 2 * eligible + 16 * plan.len() as u64 > budget / 8);
                    return Ok(());
                }
                Ok(delivered) => delivered,
            };
            prop_assert_eq!(&delivered, &bench.expected(&plan).unwrap());
            // The first window, of one batch, is a take, and all that is behind it comes from one scan.
            prop_assert_eq!(source.counts().scans, u64::from(plan.len() > 10));
            prop_assert!(source.counts().takes <= 1);
            drop(pipeline);
            prop_assert_eq!(bench.budget.used(), 0);
            Ok(())
        })?;
    }
}
