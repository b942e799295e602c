//! Of a permutation, memory holds the rows that it names and no others.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::sync::Arc;

use lance_loader_fetch::chosen::Chosen;
use lance_loader_fetch::memory::{FetchMode, MemoryTable};
use lance_loader_fetch::permuted::SplitRows;
use lance_loader_order::Code;
use lance_loader_permutation::{Permutation, PermutationConfig, Rows};
use lance_loader_testkit::{Bench, TestColumn, TestTable};
use proptest::prelude::*;

const ROWS: u64 = 1000;

fn permutation(json: &str) -> Arc<Permutation> {
    Arc::new(PermutationConfig::from_json(json).unwrap().build(Rows::All(ROWS)).unwrap())
}

/// The rows of the splits in order.
fn rows_of(permutation: &Permutation, splits: std::ops::Range<usize>) -> Vec<u64> {
    splits
        .flat_map(|split| {
            let mut rows = vec![0; usize::try_from(permutation.len_of(split)).unwrap()];
            permutation.ordinals(split, 0, &mut rows).unwrap();
            rows
        })
        .collect()
}

fn bench(columns: &[TestColumn]) -> Bench {
    Bench::over(TestTable::new(ROWS, columns))
}

fn memory(bench: &Bench, chosen: Chosen) -> Arc<MemoryTable> {
    let (source, budget) = (bench.source.clone(), bench.budget.clone());
    Arc::new(MemoryTable::new(source, None, budget, bench.statistics.clone()).of(chosen))
}

const CONFIGS: [&str; 4] = [
    r#"{"splitRandom":{"counts":[50,30],"seed":4}}"#,
    r#"{"splitSequential":{"counts":[700,300]},"shuffle":{"seed":1}}"#,
    r#"{"bootstrapSample":{"numSamples":600,"fixed":2,"seed":1}}"#,
    r#"{"bootstrapSample":{"numSamples":9000,"fixed":2,"seed":1}}"#,
];

#[tokio::test]
async fn rows_from_memory_are_those_of_the_table() {
    for columns in [&[TestColumn::Id][..], &[TestColumn::Id, TestColumn::Text]] {
        for json in CONFIGS {
            let permutation = permutation(json);
            let split = SplitRows::new(permutation.clone(), 1);
            let view = split.with_view(split.view().clone().skip(3).take(9));
            let cases = [
                (Chosen::Splits(permutation.clone()), rows_of(&permutation, 0..2)),
                (Chosen::Rows(split), rows_of(&permutation, 1..2)),
                (Chosen::Rows(view), rows_of(&permutation, 1..2)[3..12].to_vec()),
            ];
            for (chosen, rows) in cases {
                let bench = bench(columns);
                let table = memory(&bench, chosen);
                let pipeline = bench.memory_first(&rows, FetchMode::Memory, &table);
                assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows).unwrap());
            }
        }
    }
}

#[tokio::test]
async fn a_split_fits_a_budget_that_the_table_does_not_fit() {
    let permutation = permutation(CONFIGS[0]);
    let rows = rows_of(&permutation, 0..1);
    let mut bench = bench(&[TestColumn::Id, TestColumn::Vector(14)]);
    bench.budget = lance_loader_fetch::budget::Budget::new(16 << 10);
    let table = memory(&bench, Chosen::Rows(SplitRows::new(permutation, 0)));
    let pipeline = bench.memory_first(&rows, FetchMode::Memory, &table);
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows).unwrap());
    assert_eq!(table.get().await.unwrap().unwrap().rows(), 50);
    assert_eq!(bench.budget.used(), 50 * 64);
    let refused = bench.memory_first(&rows, FetchMode::Memory, &bench.memory_table());
    assert_eq!(bench.read(&refused).await.unwrap_err().code(), Code::InvalidArgument);
}

#[tokio::test]
async fn what_names_nearly_all_rows_holds_the_table_as_it_is() {
    for json in [CONFIGS[1], CONFIGS[3]] {
        let bench = bench(&[TestColumn::Id]);
        let table = memory(&bench, Chosen::Splits(permutation(json)));
        assert_eq!(table.get().await.unwrap().unwrap().rows() as u64, ROWS);
    }
}

#[tokio::test]
async fn a_view_that_repeats_endlessly_is_not_walked() {
    let permutation = permutation(CONFIGS[0]);
    let split = SplitRows::new(permutation.clone(), 0);
    let view = split.with_view(split.view().clone().skip(5).repeat(1 << 50).unwrap());
    let bench = bench(&[TestColumn::Id]);
    let table = memory(&bench, Chosen::Rows(view));
    let rows = rows_of(&permutation, 0..1)[5..].repeat(2);
    let pipeline = bench.memory_first(&rows, FetchMode::Memory, &table);
    assert_eq!(bench.read(&pipeline).await.unwrap(), bench.expected(&rows).unwrap());
    assert_eq!(table.get().await.unwrap().unwrap().rows(), 50);
}

#[tokio::test]
async fn a_plan_of_other_rows_is_an_error_and_no_wrong_row() {
    let permutation = permutation(CONFIGS[0]);
    let others = rows_of(&permutation, 1..2);
    let bench = bench(&[TestColumn::Id]);
    let table = memory(&bench, Chosen::Rows(SplitRows::new(permutation, 0)));
    let pipeline = bench.memory_first(&others, FetchMode::Memory, &table);
    assert_eq!(bench.read(&pipeline).await.unwrap_err().code(), Code::Internal);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn memory_holds_each_row_that_a_view_names_once(
        seed: u64, samples in 1_u64..900, skip in 0_u64..50, take in 1_u64..900,
    ) {
        let json = format!(r#"{{"bootstrapSample":{{"numSamples":{samples},"fixed":1,"seed":"{seed}"}}}}"#);
        let permutation = permutation(&json);
        let split = SplitRows::new(permutation.clone(), 0);
        let view = split.with_view(split.view().clone().skip(skip).take(take));
        let rows = rows_of(&permutation, 0..1);
        let kept: Vec<u64> = rows.into_iter().skip(skip as usize).take(take as usize).collect();
        let distinct: std::collections::HashSet<&u64> = kept.iter().collect();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let held = runtime.block_on(async {
            let bench = bench(&[TestColumn::Id]);
            memory(&bench, Chosen::Rows(view)).get().await.unwrap().unwrap().rows()
        });
        prop_assert_eq!(held, distinct.len());
    }
}
