//! What packing has made of the documents so far.

use crate::progress::Progress;

/// Totals over the owned splits since the start of the epoch; they go on after a resume.
///
/// A state of another loader tells no token counts: its blocks then count as full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackStats {
    /// Blocks handed over.
    pub blocks: u64,
    /// Tokens of documents in them, each eos included.
    pub real_tokens: u64,
    /// Tokens of padding in them.
    pub pad_tokens: u64,
    /// Documents consumed: in concat those begun, in best-fit those handed over to their last token.
    pub documents: u64,
    /// Documents longer than a block that were cut.
    pub documents_split: u64,
    /// Documents longer than a block that were left out.
    pub documents_dropped: u64,
    /// Tokens that were read and that the budget cut off; 0 for splits that still have blocks to give.
    pub tokens_left_over: u64,
    /// Documents of which no token, or in best-fit not the last one, was handed over, dropped ones not counted.
    pub documents_left_over: u64,
}

impl PackStats {
    pub(crate) fn new(progress: &Progress, documents: u64, length: usize) -> Self {
        let mut stats = Self::default();
        for split in &progress.splits {
            stats.blocks += split.blocks;
            stats.real_tokens += split.counts.tokens;
            stats.documents += split.counts.documents;
            stats.documents_split += split.counts.documents_split;
            stats.documents_dropped += split.counts.documents_dropped;
            stats.tokens_left_over = stats.tokens_left_over.saturating_add(split.counts.tokens_left_over);
        }
        stats.pad_tokens = (stats.blocks * length as u64).saturating_sub(stats.real_tokens);
        stats.documents_left_over =
            documents.saturating_sub(stats.documents).saturating_sub(stats.documents_dropped);
        stats
    }

    /// Real tokens over all tokens handed over, 0 to 1; 1 where there are none.
    pub fn utilization(&self) -> f64 {
        let all = self.real_tokens + self.pad_tokens;
        if all == 0 { 1.0 } else { self.real_tokens as f64 / all as f64 }
    }
}
