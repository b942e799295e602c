//! Batches of samples of like length.

use lance_loader_order::{LENGTH_GROUPS_VERSION, LengthBlock, Result};
use napi::bindgen_prelude::{BigInt, Uint32Array};
use napi_derive::napi;

use crate::convert::{count, size, unsigned};
use crate::errors::{ErrorCode, guarded};

/// The version of the grouping.
#[napi]
pub const LENGTH_GROUPS_ALGORITHM_VERSION: u32 = LENGTH_GROUPS_VERSION;

/// A block of levels of an epoch.
#[napi(object, object_to_js = false)]
pub struct LengthBlockOptions {
    /// The seed.
    pub seed: BigInt,
    /// The epoch.
    pub epoch: f64,
    /// The number of the block.
    pub block: f64,
    /// The splits that are owned.
    pub splits: f64,
    /// The samples that each split gives to a step.
    pub levels_of_step: f64,
}

/// The order in which the samples of a block are handed over.
#[napi]
pub fn group_by_length(
    lengths: Vec<f64>,
    options: LengthBlockOptions,
) -> napi::Result<Uint32Array, ErrorCode> {
    guarded(|| {
        let lengths: Vec<u64> =
            lengths.into_iter().map(|length| count("length", length)).collect::<Result<_>>()?;
        let block = LengthBlock {
            seed: unsigned("shuffleSeed", &options.seed)?,
            epoch: count("epoch", options.epoch)?,
            block: count("block", options.block)?,
            splits: size("splits", options.splits)?,
            levels_of_step: size("batchSize", options.levels_of_step)?,
        };
        Ok(Uint32Array::new(block.order(&lengths)?))
    })
}
