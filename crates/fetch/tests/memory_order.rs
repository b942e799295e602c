//! Rows from memory are the rows that takes give.
#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::sync::{Arc, LazyLock};

use lance_loader_fetch::memory::FetchMode;
use lance_loader_order::{Cursor, Domain, Key, Order, Plan, Remainder, Shuffle, SplitLayout};
use lance_loader_permutation::{RowSet, RowSetBuilder};
use lance_loader_testkit::{Bench, FakeSource, TestColumn, TestTable};
use proptest::prelude::*;
use tokio::runtime::Runtime;

const COLUMNS: [TestColumn; 5] =
    [TestColumn::Id, TestColumn::Label, TestColumn::Vector(4), TestColumn::Text, TestColumn::Bytes];

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// One in `sparsity` rows, or all.
fn kept(rows: u64, sparsity: u64, key: Key) -> Option<Arc<RowSet>> {
    let mut kept = RowSetBuilder::new();
    let chosen = (0..rows).filter(|row| lance_loader_order::below(key, *row, sparsity) == 0);
    chosen.for_each(|row| kept.push(row).unwrap());
    (sparsity > 1).then(|| Arc::new(kept.finish()))
}

/// A shuffled epoch over `rows` rows: none where there are fewer rows than splits.
fn epoch(rows: u64, splits: usize, clump: u64, key: Key) -> Vec<u64> {
    let Ok(layout) = SplitLayout::new(rows, splits, Remainder::Drop) else { return Vec::new() };
    let mut positions = vec![0; layout.total() as usize];
    let plan = Plan::new(&layout, 0..splits, &vec![0; splits]).unwrap();
    assert_eq!(Cursor::new(plan).fill_positions(&mut positions), positions.len());
    Order::Shuffled(Shuffle::new(rows, clump, key).unwrap()).map_positions(&mut positions).unwrap();
    positions
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn rows_from_memory_are_the_rows_that_takes_give(
        rows in 1..400u64,
        sparsity in 1..5u64,
        splits in 1..6usize,
        clump in 1..5u64,
        seed: u64,
        scan_rows in 1..120usize,
        window in prop::option::of(1..50u64),
    ) {
        let key = Key::derive(seed, 0, Domain::Epoch);
        let source = FakeSource::builder(TestTable::new(rows, &COLUMNS)).scan_rows(scan_rows).build();
        let mut bench = Bench::new(source.clone());
        bench.options.window_rows = window;
        bench.eligible = kept(rows, sparsity, key);
        let eligible = bench.eligible.as_ref().map_or(rows, |eligible| eligible.len());
        let table = bench.memory_table();
        let epochs = [0, 1].map(|number| epoch(eligible, splits, clump, key.child(number)));
        RUNTIME.block_on(async {
            for plan in &epochs {
                let from_memory = bench.read(&bench.memory_first(plan, FetchMode::Memory, &table)).await.unwrap();
                let taken = bench.read(&bench.take(plan)).await.unwrap();
                prop_assert_eq!(&from_memory, &taken);
                prop_assert_eq!(&from_memory, &bench.expected(plan).unwrap());
            }
            // And all of it again, now that the table is loaded for certain.
            table.get().await.unwrap().unwrap();
            let takes = source.counts().takes;
            let from_memory = bench.read(&bench.memory_first(&epochs[0], FetchMode::Auto, &table)).await.unwrap();
            prop_assert_eq!(from_memory, bench.expected(&epochs[0]).unwrap());
            prop_assert_eq!(source.counts().takes, takes);
            Ok(())
        })?;
    }
}
