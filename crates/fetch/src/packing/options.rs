//! Which tensors a block has, and in which types.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use lance_loader_order::{Code, Error, Result};

/// The type that token ids are delivered in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenDtype {
    /// 32 bits.
    #[default]
    Int32,
    /// 64 bits.
    Int64,
}

/// The tensors that come beside `inputIds` and `docIds`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockColumns {
    /// `positionIds`, int32.
    pub position_ids: bool,
    /// `lossMask`, uint8: 1 for tokens, 0 for padding.
    pub loss_mask: bool,
    /// `attentionLengths`, lists of int32: 0, then where each segment of the block ends.
    pub attention_lengths: bool,
}

/// The schema of batches of blocks of `length` tokens: a fixed-size list for each tensor, so that a batch of n blocks is one of `[n, length]`.
///
/// # Errors
/// `INVALID_ARGUMENT` where `length` is not from 1 to 2^31 - 1.
pub fn packed_schema(length: u64, dtype: TokenDtype, columns: BlockColumns) -> Result<SchemaRef> {
    let size = i32::try_from(length).ok().filter(|&size| size > 0).ok_or_else(|| {
        Error::new(Code::InvalidArgument, format!("packSequences is {length}; it must be 1 to {}", i32::MAX))
    })?;
    let tensor = |name: &str, item: DataType| {
        Field::new(name, DataType::FixedSizeList(Arc::new(Field::new_list_field(item, false)), size), false)
    };
    let ids = match dtype {
        TokenDtype::Int32 => DataType::Int32,
        TokenDtype::Int64 => DataType::Int64,
    };
    let mut fields = vec![tensor("inputIds", ids), tensor("docIds", DataType::Int32)];
    if columns.position_ids {
        fields.push(tensor("positionIds", DataType::Int32));
    }
    if columns.loss_mask {
        fields.push(tensor("lossMask", DataType::UInt8));
    }
    if columns.attention_lengths {
        fields.push(Field::new_list(
            "attentionLengths",
            Field::new_list_field(DataType::Int32, false),
            false,
        ));
    }
    Ok(Arc::new(Schema::new(fields)))
}
