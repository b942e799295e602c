//! Where packing stands, as it is saved: the keys are those of `LanceDB`'s Python loader, and some of our own.

mod check;
mod merge;
mod wire;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use lance_loader_order::Result;
use serde::{Deserialize, Serialize};

use crate::options::{PackMode, PackOptions, invalid};
use crate::progress::{SplitCounts, SplitProgress};
pub use merge::merge_pack_states;

/// The packing part of a dataset's state; to be flattened into it.
///
/// Written and read with the keys of Python `LanceDB` 0.40, which ignores ours (`packing`, `pack_counts`) and leaves them
/// out. A best-fit state has no `pack_buffers`, so that a loader that only joins documents does not take it for its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackState {
    /// How documents are laid into blocks; concat where it is missing.
    #[serde(default)]
    pub packing: PackMode,
    /// Tokens in a block.
    pub pack_sequences: u64,
    /// The token that follows each document; a decimal string beyond 2^53 - 1, like the tokens.
    #[serde(with = "wire::token_id")]
    pub eos_id: i64,
    /// The token that fills what no document fills.
    #[serde(with = "wire::token_id")]
    pub pad_id: i64,
    /// Blocks of an epoch over all splits, as a number even where it was estimated.
    pub blocks_per_epoch: u64,
    /// Documents of each split that are in handed-over blocks or in its buffer; in best-fit those before its window.
    /// Signed, like the blocks, so that a negative number is refused by its key and split.
    pub samples_consumed_per_split: Vec<i64>,
    /// Blocks that each split handed over.
    pub blocks_emitted_per_split: Vec<i64>,
    /// By split (a decimal number): the tokens of consumed documents that no block holds yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack_buffers: Option<BTreeMap<String, PackBuffer>>,
    /// What the handed-over blocks of each split held. Required in best-fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack_counts: Option<Vec<SplitCounts>>,
}

/// The rest of the documents that a split has consumed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackBuffer {
    /// The tokens, each document's eos included.
    #[serde(with = "wire::token_ids")]
    pub tokens: Vec<i64>,
    /// Where documents start in `tokens`; a document that is continued from a block has no start.
    pub starts: Vec<u64>,
}

/// The checked state of one split.
#[derive(Debug, Default)]
pub(crate) struct SplitState<T> {
    /// Consumed documents.
    pub(crate) documents: u64,
    pub(crate) tokens: Vec<T>,
    pub(crate) starts: VecDeque<u64>,
    pub(crate) progress: SplitProgress,
}

impl PackState {
    /// The state at the start of an epoch.
    pub(crate) fn start(options: &PackOptions, num_splits: usize) -> Self {
        Self {
            packing: options.mode,
            pack_sequences: options.length,
            eos_id: options.eos_id,
            pad_id: options.pad_id,
            blocks_per_epoch: options.blocks_per_epoch,
            samples_consumed_per_split: vec![0; num_splits],
            blocks_emitted_per_split: vec![0; num_splits],
            pack_buffers: (options.mode == PackMode::Concat).then(BTreeMap::new),
            pack_counts: Some(vec![SplitCounts::default(); num_splits]),
        }
    }

    /// Replaces what the state says of one split.
    pub(crate) fn set<T: Into<i64>>(&mut self, split: usize, state: SplitState<T>) {
        let SplitState { documents, tokens, starts, progress } = state;
        self.samples_consumed_per_split[split] = documents.cast_signed();
        self.blocks_emitted_per_split[split] = progress.blocks.cast_signed();
        if let Some(counts) = &mut self.pack_counts {
            counts[split] = progress.counts;
        }
        let Some(buffers) = &mut self.pack_buffers else { return };
        if tokens.is_empty() && progress.blocks == 0 {
            buffers.remove(&split.to_string());
        } else {
            let tokens = tokens.into_iter().map(Into::into).collect();
            buffers.insert(split.to_string(), PackBuffer { tokens, starts: starts.into() });
        }
    }

    /// Refuses a state that is not taken at a complete cycle of `owned`, or that knows other splits to be further on.
    ///
    /// Such a state is one rank's own, loaded where other splits are owned, or one from the middle of a cycle: only the
    /// loader that saved it could go on from it.
    pub fn check_complete_cycle(&self, owned: Range<u32>) -> Result<()> {
        let range = owned.start as usize..owned.end as usize;
        let blocks = &self.blocks_emitted_per_split;
        let own = blocks.get(range).unwrap_or_default();
        let reached = own.first().copied().unwrap_or_default();
        if let Some(other) = own.iter().find(|&&other| other != reached) {
            return Err(invalid(format!(
                "blocks_emitted_per_split has {reached} and {other} for splits {} to {}, which is no complete cycle: take states \
                 after complete cycles, and merge those of all ranks before loading",
                owned.start,
                owned.end.saturating_sub(1)
            )));
        }
        match blocks.iter().find(|&&other| other > reached) {
            Some(ahead) => Err(invalid(format!(
                "blocks_emitted_per_split has {reached} for the owned splits and {ahead} for others, so it is the state of \
                 another rank: merge the states of all ranks before loading"
            ))),
            None => Ok(()),
        }
    }
}
