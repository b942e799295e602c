//! How far the splits are: small snapshots that a batch can carry.

use serde::{Deserialize, Serialize};

/// What one split has handed over since the start of the epoch, beside its blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SplitCounts {
    /// Tokens of documents, each eos included, padding not.
    pub tokens: u64,
    /// Documents: in concat those begun, in best-fit those handed over to their last token.
    pub documents: u64,
    /// Documents longer than a block that were cut (best-fit only; counted when their window ends).
    pub documents_split: u64,
    /// Documents longer than a block that were left out (best-fit only; counted when their window ends).
    pub documents_dropped: u64,
    /// Tokens that the budget cut off: in concat the rest of the last document, in best-fit the rest of the last window.
    pub tokens_left_over: u64,
    /// Blocks handed over from the current window (best-fit only).
    pub window_blocks: u64,
}

/// How far one split is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SplitProgress {
    /// Blocks handed over, those of padding included.
    pub blocks: u64,
    /// What they held.
    pub counts: SplitCounts,
    /// In concat the buffer's position of the next token; in best-fit the number of the window's first document.
    pub(crate) position: u64,
}

/// How far a [`Packer`](crate::Packer) was at one moment: a few numbers a split, no tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    pub(crate) splits: Vec<SplitProgress>,
}

impl Progress {
    /// The owned splits, ascending.
    pub fn splits(&self) -> &[SplitProgress] {
        &self.splits
    }

    /// Moves one owned split, counted from the first owned one, to where it is after a later block.
    ///
    /// With the split of each block at hand, a consumer can so be followed block by block without a snapshot for each.
    pub fn advance(&mut self, offset: usize, split: SplitProgress) {
        if let Some(slot) = self.splits.get_mut(offset) {
            *slot = split;
        }
    }
}
