//! The golden vectors of the order: computed here, compared by `tests/golden.rs`, written by
//! `examples/golden.rs`.
//!
//! Numbers that may pass 2^53 are decimal strings, so that every language reads them exactly.

use lance_loader_order::{
    Bijection, Cursor, Domain, Entry, Key, LengthBlock, Mixture, MixtureCursor, ORDER_VERSION, Plan,
    Remainder, Result, Shuffle, SplitLayout, below, draw, sample_seed,
};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

const SEEDS: [u64; 6] = [0, 1, 100_003, 1 << 53, (1 << 53) + 1, u64::MAX];
const EPOCHS: [u64; 2] = [0, 1];

/// A golden file: its name and its cases.
pub(crate) type Vectors = (&'static str, Vec<Value>);

/// Every golden file.
pub(crate) fn all() -> Result<Vec<Vectors>> {
    Ok(vec![
        ("random", random()),
        ("bijection", bijections()?),
        ("shuffle", shuffles()?),
        ("plan", plans()?),
        ("mixture", mixtures()?),
        ("length-groups", length_groups()?),
    ])
}

/// Where a golden file is kept.
pub(crate) fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../__test__/golden/order")
        .join(name)
        .with_extension("json")
}

/// The text of a golden file: one case a line.
pub(crate) fn to_text(cases: &[Value]) -> String {
    let lines: Vec<String> = cases.iter().map(|case| format!("    {case}")).collect();
    format!("{{\n  \"order_version\": {ORDER_VERSION},\n  \"cases\": [\n{}\n  ]\n}}\n", lines.join(",\n"))
}

fn text(numbers: impl IntoIterator<Item = u64>) -> Vec<String> {
    numbers.into_iter().map(|number| number.to_string()).collect()
}

fn seeds_and_epochs() -> impl Iterator<Item = (u64, u64)> {
    SEEDS.into_iter().flat_map(|seed| EPOCHS.into_iter().map(move |epoch| (seed, epoch)))
}

fn random() -> Vec<Value> {
    let domains = [
        ("epoch", Domain::Epoch),
        ("permutation", Domain::Permutation),
        ("random_split", Domain::RandomSplit),
        ("bootstrap", Domain::Bootstrap),
        ("sample_seed", Domain::SampleSeed),
        ("estimate", Domain::Estimate),
    ];
    let case = |(name, domain), (seed, epoch): (u64, u64)| {
        let key = Key::derive(seed, epoch, domain);
        let indices = [0, 1, 2, 1 << 53, u64::MAX];
        let limits = [1, 2, 1000, (1 << 53) + 1, 3 << 62];
        json!({
            "seed": seed.to_string(), "epoch": epoch.to_string(), "domain": name,
            "key": key.to_bits().to_string(),
            "children": text(indices.map(|n| key.child(n).to_bits())),
            "indices": text(indices), "draws": text(indices.map(|index| draw(key, index))),
            "sample_seeds": text(indices.map(|row| sample_seed(key, row))),
            "limits": text(limits), "below": text(limits.map(|limit| below(key, 5, limit))),
        })
    };
    domains.into_iter().flat_map(|domain| seeds_and_epochs().map(move |pair| case(domain, pair))).collect()
}

fn bijections() -> Result<Vec<Value>> {
    let sizes =
        [1, 2, 3, 6, 40, 1000, 1 << 20, 1_000_003, 10_000_000_000, 1 << 48, (1 << 53) + 1, u64::MAX >> 1];
    let case = |size: u64, (seed, epoch)| {
        let bijection = Bijection::new(size, Key::derive(seed, epoch, Domain::Epoch))?;
        let positions: Vec<u64> =
            if size <= 40 { (0..size).collect() } else { vec![0, 1, 2, size / 2, size - 2, size - 1] };
        let images: Vec<u64> =
            positions.iter().map(|position| bijection.apply(*position)).collect::<Result<_>>()?;
        Ok(json!({
            "size": size.to_string(), "seed": seed.to_string(), "epoch": epoch.to_string(),
            "positions": text(positions), "images": text(images),
        }))
    };
    sizes.into_iter().flat_map(|size| seeds_and_epochs().map(move |pair| case(size, pair))).collect()
}

fn shuffles() -> Result<Vec<Value>> {
    let shapes = [(1, 1), (10, 1), (10, 3), (64, 4), (64, 5), (64, 16), (7, 100)];
    let case = |(rows, clump_size): (u64, u64), (seed, epoch)| {
        let shuffle = Shuffle::new(rows, clump_size, Key::derive(seed, epoch, Domain::Epoch))?;
        let indices: Vec<u64> =
            (0..rows).map(|position| shuffle.index_at(position)).collect::<Result<_>>()?;
        Ok(json!({
            "rows": rows.to_string(), "clump_size": clump_size.to_string(), "seed": seed.to_string(),
            "epoch": epoch.to_string(), "indices": text(indices),
        }))
    };
    shapes.into_iter().flat_map(|shape| seeds_and_epochs().map(move |pair| case(shape, pair))).collect()
}

fn plans() -> Result<Vec<Value>> {
    let equal = |rows, num_splits, remainder| SplitLayout::new(rows, num_splits, remainder);
    let layouts = [
        (equal(12, 1, Remainder::Drop)?, vec![vec![0], vec![5]]),
        (equal(15, 4, Remainder::Drop)?, vec![vec![0; 4], vec![2, 0, 3, 1], vec![3; 4]]),
        (equal(15, 4, Remainder::Keep)?, vec![vec![0; 4], vec![1, 1, 0, 0]]),
        (SplitLayout::from_lengths(&[5, 0, 2, 7])?, vec![vec![0; 4], vec![4, 0, 2, 1]]),
    ];
    let mut cases = Vec::new();
    for (layout, starts) in &layouts {
        let num_splits = layout.num_splits();
        for progress in starts {
            cases.push(plan(layout, 0..num_splits, progress)?);
            cases.push(plan(layout, num_splits / 2..num_splits, progress)?);
        }
    }
    Ok(cases)
}

fn plan(layout: &SplitLayout, owned: std::ops::Range<usize>, progress: &[u64]) -> Result<Value> {
    let plan = Arc::new(Plan::new(layout, owned.clone(), progress)?);
    let mut entries = vec![Entry::default(); usize::try_from(layout.total()).unwrap_or(usize::MAX)];
    let filled = Cursor::new(Arc::clone(&plan)).fill(&mut entries);
    let entries: Vec<_> =
        entries.iter().take(filled).map(|entry| (entry.split, entry.position.to_string())).collect();
    let lengths = (0..layout.num_splits()).map(|split| layout.len_of(split));
    let after = |samples| json!({"samples": samples, "progress": text(plan.progress_after(samples))});
    Ok(json!({
        "lengths": text(lengths), "owned": [owned.start, owned.end],
        "progress": text(progress.iter().copied()),
        "entries": entries, "after": [after(1), after(plan.remaining() / 2), after(plan.remaining())],
    }))
}

fn mixtures() -> Result<Vec<Value>> {
    const LEVELS: u64 = 12;
    let weights: [&[u64]; 5] = [&[1], &[1, 1], &[7, 2, 1], &[3, 0, 5], &[1, 1 << 32]];
    let case = |weights: &[u64], seed: u64, segment: u64, num_splits: u64| {
        let mixture = Mixture::new(seed, segment, weights, num_splits)?;
        let mut sources = Vec::new();
        for split in 0..num_splits {
            let mut cursor = MixtureCursor::new(&mixture, split, 0)?;
            sources.push((0..LEVELS).map(|_| cursor.advance().0).collect::<Vec<_>>());
        }
        let far = [1 << 20, (1 << 53) + 1];
        let counts = far.map(|level| mixture.counts(num_splits - 1, level).map(text));
        let [near, far] = counts;
        let lengths: Vec<u64> = (1..=weights.len() as u64).collect();
        Ok(json!({
            "weights": text(weights.iter().copied()), "seed": seed.to_string(), "segment": segment,
            "num_splits": num_splits, "sources": sources,
            "counts_at_2_20": near?, "counts_above_2_53": far?,
            "first_end": mixture.levels_to_first_end(&lengths)?.to_string(),
            "last_end": mixture.levels_to_last_end(&lengths)?.to_string(),
        }))
    };
    let mut cases = Vec::new();
    for weights in weights {
        for (seed, segment, num_splits) in [(0, 0, 1), (7, 0, 4), (u64::MAX, 3, 6)] {
            cases.push(case(weights, seed, segment, num_splits)?);
        }
    }
    Ok(cases)
}

fn length_groups() -> Result<Vec<Value>> {
    let shapes = [(1, 1, 5), (2, 3, 30), (4, 2, 43), (3, 4, 7)];
    let case = |(splits, levels_of_step, samples): (usize, usize, u64), (seed, epoch): (u64, u64)| {
        let lengths: Vec<u64> = (0..samples).map(|index| (index * 37 + 5) % 11).collect();
        let block = LengthBlock { seed, epoch, block: epoch + 2, splits, levels_of_step };
        Ok(json!({
            "seed": seed.to_string(), "epoch": epoch, "block": block.block, "splits": splits,
            "levels_of_step": levels_of_step, "lengths": lengths, "order": block.order(&lengths)?,
        }))
    };
    shapes.into_iter().flat_map(|shape| seeds_and_epochs().map(move |pair| case(shape, pair))).collect()
}
