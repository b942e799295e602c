//! What JavaScript asks of packing.

use lance_loader_fetch::packing::{BlockColumns, TokenDtype};
use lance_loader_order::{Code, Error, Result};
use lance_loader_packing::{LongDocuments, PackMode, PackOptions};
use napi::bindgen_prelude::BigInt;
use napi_derive::napi;

use crate::convert::count;

/// How documents are packed.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own in JavaScript")]
#[napi(object, object_to_js = false)]
pub struct PackingOptions {
    /// Tokens of a block.
    pub pack_sequences: f64,
    /// The token that follows each document.
    pub eos_id: BigInt,
    /// The token that fills what no document fills.
    pub pad_id: BigInt,
    /// Blocks of an epoch over all splits; not used for an estimate.
    pub blocks_per_epoch: f64,
    /// Blocks of a window of documents that stay whole; documents are cut when absent.
    pub look_ahead: Option<f64>,
    /// `error`, `split` or `drop`: what happens to a document that is longer than a block and must stay whole.
    pub long_documents: String,
    /// Whether ids are of 64 bits instead of 32.
    pub int64: bool,
    /// Whether blocks have `positionIds`.
    pub position_ids: bool,
    /// Whether blocks have a `lossMask`.
    pub loss_mask: bool,
    /// Whether blocks have `attentionLengths`.
    pub attention_lengths: bool,
}

impl PackingOptions {
    pub(super) fn core(&self) -> Result<PackOptions> {
        Ok(PackOptions {
            length: self.length()?,
            eos_id: token("eosId", &self.eos_id)?,
            pad_id: token("padId", &self.pad_id)?,
            blocks_per_epoch: count("blocksPerEpoch", self.blocks_per_epoch)?,
            mode: self.mode()?,
        })
    }

    pub(super) fn length(&self) -> Result<u64> {
        count("packSequences", self.pack_sequences)
    }

    pub(super) fn mode(&self) -> Result<PackMode> {
        let Some(look_ahead) = self.look_ahead else { return Ok(PackMode::Concat) };
        let blocks = count("lookAhead", look_ahead)?;
        let look_ahead = u32::try_from(blocks).map_err(|_| {
            Error::new(Code::InvalidArgument, format!("lookAhead is {blocks}; it must be 1 to {}", u32::MAX))
        })?;
        let long_documents = match self.long_documents.as_str() {
            "error" => LongDocuments::Error,
            "split" => LongDocuments::Split,
            "drop" => LongDocuments::Drop,
            other => {
                return Err(Error::new(
                    Code::InvalidArgument,
                    format!("longDocuments is {other:?}: it must be \"error\", \"split\" or \"drop\""),
                ));
            }
        };
        Ok(PackMode::BestFit { look_ahead, long_documents })
    }

    pub(super) fn dtype(&self) -> TokenDtype {
        if self.int64 { TokenDtype::Int64 } else { TokenDtype::Int32 }
    }

    pub(super) fn columns(&self) -> BlockColumns {
        BlockColumns {
            position_ids: self.position_ids,
            loss_mask: self.loss_mask,
            attention_lengths: self.attention_lengths,
        }
    }
}

fn token(name: &str, value: &BigInt) -> Result<i64> {
    match value.get_i64() {
        (token, true) => Ok(token),
        _ => Err(Error::new(Code::InvalidArgument, format!("{name} must be from -2^63 to 2^63 - 1"))),
    }
}
