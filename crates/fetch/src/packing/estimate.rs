//! `blocksPerEpoch: "auto"`: the lengths of a sample of documents, and what they come to.

use std::sync::Arc;

use lance_loader_order::Result;
use lance_loader_packing::{PackMode, estimate_blocks_per_epoch, sample_positions};

use super::documents::DocumentPlan;
use super::token_column::TokenColumn;
use crate::fetcher::{FetchedRows, Fetcher};

/// Documents of one read of the sample.
const WINDOW_ROWS: usize = 4096;

/// Estimates the blocks of an epoch over all splits from about one document in a hundred, 100,000 at most.
///
/// `plan` is that of epoch 0, whatever the epoch is, so that the number is the same in every epoch and on every rank.
///
/// # Errors
/// Those of reads; `INVALID_ARGUMENT` for null lists or tokens, and for a document that `mode` refuses.
pub async fn estimate_blocks(
    plan: &DocumentPlan,
    fetcher: Arc<dyn Fetcher>,
    seed: u64,
    length: u64,
    mode: PackMode,
) -> Result<u64> {
    let documents = plan.documents_per_split();
    let sample = sample_positions(&documents, seed);
    let numbered = (0_u32..).zip(&sample);
    let chosen =
        numbered.flat_map(|(split, of_split)| of_split.iter().map(move |&document| (split, document)));
    let rows = plan.rows(chosen)?;
    let mut lengths = Vec::with_capacity(rows.len());
    for window in rows.chunks(WINDOW_ROWS) {
        let FetchedRows { store, indices, .. } = fetcher.fetch(window.to_vec()).await?;
        let column = TokenColumn::new(store)?;
        for row in indices {
            lengths.push(column.len_of(row)? as u64);
        }
    }
    estimate_blocks_per_epoch(&documents, &lengths, length, mode)
}
