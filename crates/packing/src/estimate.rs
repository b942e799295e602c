//! `blocksPerEpoch: "auto"`: the budget of an epoch from a sample of document lengths.

use lance_loader_order::{Code, Error, Result};

use crate::best_fit::WindowPieces;
use crate::options::{LongDocuments, PackMode, checked_length, invalid};

/// The most documents that are sampled over all splits.
pub const MAX_SAMPLED_DOCUMENTS: u64 = 100_000;

/// The positions to sample in each split, ascending: one document in a hundred, rounded up, at most
/// [`MAX_SAMPLED_DOCUMENTS`] in all.
///
/// Each is drawn from its own stratum of the split, so that a sample of a sorted table is as good as one of a shuffled
/// one. A function of the number of documents and the seed only; to be looked up in the order of epoch 0, whatever the
/// epoch is, so that the estimate is the same in all of them. O(sample) time and memory.
pub fn sample_positions(documents_per_split: &[u64], seed: u64) -> Vec<Vec<u64>> {
    let splits = documents_per_split.len() as u64;
    let most = MAX_SAMPLED_DOCUMENTS.checked_div(splits).unwrap_or_default().max(1);
    let sample = |(split, &documents): (u64, &u64)| {
        // With more splits than samples, the later ones go without.
        let count = if split < MAX_SAMPLED_DOCUMENTS { documents.div_ceil(100).min(most) } else { 0 };
        let bound = |stratum: u64| (u128::from(documents) * u128::from(stratum) / u128::from(count)) as u64;
        let mut random = SplitMix64(mix(seed) ^ mix(!split));
        (0..count)
            .map(|stratum| {
                let (low, high) = (bound(stratum), bound(stratum + 1));
                low + random.below(high - low)
            })
            .collect()
    };
    (0..).zip(documents_per_split).map(sample).collect()
}

/// The number of blocks, over all splits, that documents like the sampled ones fill: a positive multiple of their number.
///
/// `sampled_lengths` holds the tokens of each sampled document, eos not counted, in the order of [`sample_positions`].
/// In concat, the mean length and an eos for each document of the table, divided by the block's length; in best-fit, the
/// blocks that the sample takes when it is packed in the same way, scaled up. Rounded down.
///
/// An error without any document, and for a document that the mode refuses.
pub fn estimate_blocks_per_epoch(
    documents_per_split: &[u64],
    sampled_lengths: &[u64],
    length: u64,
    mode: PackMode,
) -> Result<u64> {
    let length = checked_length(length)?;
    mode.check()?;
    let splits = documents_per_split.len() as u64;
    if splits == 0 || sampled_lengths.is_empty() {
        return Err(Error::new(
            Code::TooFewRows,
            "blocksPerEpoch 'auto' has no documents to estimate from: give a number, or a table with rows",
        ));
    }
    let sampled = sampled_lengths.len() as u128;
    let documents: u128 = documents_per_split.iter().copied().map(u128::from).sum();
    let blocks = match mode {
        PackMode::Concat => {
            let tokens: u128 = sampled_lengths.iter().map(|&tokens| u128::from(tokens) + 1).sum();
            scaled(tokens, documents, sampled)? / length as u128
        }
        PackMode::BestFit { look_ahead, long_documents } => {
            let blocks = best_fit_blocks(sampled_lengths, length, look_ahead, long_documents)?;
            scaled(blocks.into(), documents, sampled)?
        }
    };
    let blocks = u64::try_from(blocks).map_err(|_| too_many())?;
    Ok((blocks - blocks % splits).max(splits))
}

fn scaled(amount: u128, documents: u128, sampled: u128) -> Result<u128> {
    amount.checked_mul(documents).map(|product| product / sampled).ok_or_else(too_many)
}

fn too_many() -> Error {
    invalid("blocksPerEpoch 'auto' comes to more than 2^64 blocks: give a number")
}

fn best_fit_blocks(
    lengths: &[u64],
    length: usize,
    look_ahead: u32,
    long_documents: LongDocuments,
) -> Result<u64> {
    let wanted = u64::from(look_ahead).saturating_mul(length as u64);
    let (mut window, mut tokens, mut blocks) = (WindowPieces::default(), 0_u64, 0_u64);
    for &document in lengths {
        if !long_documents.admits("a sampled document", document, length)? {
            continue;
        }
        // Whole blocks take no part in the placing, so only what remains beside them is placed.
        let with_eos = document.saturating_add(1);
        let rest = with_eos % length as u64;
        blocks = blocks.saturating_add(with_eos / length as u64);
        if rest > 0 {
            window.add(0, rest, length);
            tokens += rest;
        }
        if tokens >= wanted {
            blocks = blocks.saturating_add(std::mem::take(&mut window).count_blocks(length) as u64);
            tokens = 0;
        }
    }
    Ok(blocks.saturating_add(window.count_blocks(length) as u64))
}

/// The generator of G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators" (2014).
struct SplitMix64(u64);

impl SplitMix64 {
    /// A number below `bound`, by the high half of a product (D. Lemire, 2019); its bias is below `bound / 2^64`.
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        ((u128::from(mix(self.0)) * u128::from(bound)) >> 64) as u64
    }
}

fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}
