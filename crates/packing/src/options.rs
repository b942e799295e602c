//! What a user may choose about packing.

use std::fmt::Display;

use lance_loader_order::{Code, Error, Result};
use serde::{Deserialize, Serialize};

use crate::token::{Token, checked};

/// What happens to a document that, with its eos, is longer than a block (only where documents are never cut).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LongDocuments {
    /// It is an error.
    #[default]
    Error,
    /// It is cut into pieces of a block's length; what remains is placed like a document. Counted.
    Split,
    /// It is left out. Counted.
    Drop,
}

impl LongDocuments {
    /// Whether a document of `tokens` tokens, eos not counted, is kept; an error where it may not be longer than a block.
    pub(crate) fn admits(self, document: impl Display, tokens: u64, length: usize) -> Result<bool> {
        let fits = tokens < length as u64;
        match self {
            Self::Error if !fits => Err(invalid(format!(
                "{document} has {tokens} tokens, which with its eos do not fit into a block of {length}: choose longer blocks, \
                 or let long documents be split or dropped"
            ))),
            Self::Drop => Ok(fits),
            Self::Error | Self::Split => Ok(true),
        }
    }
}

/// How documents are laid into blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PackMode {
    /// Documents are joined to one stream of tokens and cut wherever a block ends.
    #[default]
    Concat,
    /// Documents stay whole: a window of them is placed first-fit-decreasing, then the next window.
    BestFit {
        /// The size of the window in blocks, at least 1: it takes documents until they hold that many blocks of tokens.
        look_ahead: u32,
        /// What happens to a document that is longer than a block.
        long_documents: LongDocuments,
    },
}

impl PackMode {
    pub(crate) fn check(self) -> Result<()> {
        match self {
            Self::BestFit { look_ahead: 0, .. } => {
                Err(invalid("the look-ahead of packing 'bestFit' is 0 blocks; it must be at least 1"))
            }
            Self::BestFit { .. } | Self::Concat => Ok(()),
        }
    }
}

/// What packing makes of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackOptions {
    /// Tokens in a block (`packSequences`), 1 to 2^31 - 1.
    pub length: u64,
    /// The token that follows each document (`eosId`).
    pub eos_id: i64,
    /// The token that fills what no document fills (`padId`); it may equal `eos_id`.
    pub pad_id: i64,
    /// Blocks of an epoch over all splits (`blocksPerEpoch`), a positive multiple of the number of splits.
    pub blocks_per_epoch: u64,
    /// How documents are laid into blocks.
    pub mode: PackMode,
}

/// Options that were checked against the number of splits and the type of the ids.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout<T> {
    pub(crate) length: usize,
    pub(crate) eos: T,
    pub(crate) pad: T,
    pub(crate) blocks_per_split: u64,
    pub(crate) mode: PackMode,
}

impl PackOptions {
    pub(crate) fn layout<T: Token>(&self, num_splits: usize) -> Result<Layout<T>> {
        let length = checked_length(self.length)?;
        self.mode.check()?;
        Ok(Layout {
            length,
            eos: checked("eosId", self.eos_id)?,
            pad: checked("padId", self.pad_id)?,
            blocks_per_split: self.blocks_per_split(num_splits)?,
            mode: self.mode,
        })
    }

    fn blocks_per_split(&self, num_splits: usize) -> Result<u64> {
        let blocks = self.blocks_per_epoch;
        let splits = num_splits as u64;
        if splits == 0 {
            return Err(invalid("numSplits is 0; it must be at least 1"));
        }
        if blocks == 0 || !blocks.is_multiple_of(splits) {
            return Err(invalid(format!(
                "blocksPerEpoch is {blocks}; it must be a positive multiple of numSplits ({splits}), such as {}",
                blocks.div_ceil(splits).max(1).saturating_mul(splits)
            )));
        }
        let tokens = u128::from(blocks) * u128::from(self.length);
        if tokens > u128::from(u64::MAX / 2) {
            return Err(invalid(format!(
                "blocksPerEpoch is {blocks}, which at packSequences {} is more than 2^63 - 1 tokens: ask for fewer",
                self.length
            )));
        }
        Ok(blocks / splits)
    }
}

/// A block's length as a size in memory. Positions inside a block are delivered as `i32`, which bounds it.
pub(crate) fn checked_length(length: u64) -> Result<usize> {
    match i32::try_from(length) {
        Ok(1..) => Ok(length as usize),
        _ => Err(invalid(format!("packSequences is {length}; it must be 1 to {}", i32::MAX))),
    }
}

pub(crate) fn invalid(message: impl Into<String>) -> Error {
    Error::new(Code::InvalidArgument, message)
}
