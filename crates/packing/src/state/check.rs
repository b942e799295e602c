//! What a state must satisfy before anything is resumed from it.

use std::fmt::{Debug, Display};

use lance_loader_order::Result;

use crate::options::{PackMode, PackOptions, invalid};
use crate::progress::{SplitCounts, SplitProgress};
use crate::state::{PackBuffer, PackState, SplitState};
use crate::token::{Token, checked};

impl PackState {
    /// The options that the state was saved under.
    pub(crate) fn options(&self) -> PackOptions {
        PackOptions {
            length: self.pack_sequences,
            eos_id: self.eos_id,
            pad_id: self.pad_id,
            blocks_per_epoch: self.blocks_per_epoch,
            mode: self.packing,
        }
    }

    /// Refuses a state of another packing, naming the field and both values.
    pub(crate) fn check_same_packing(&self, options: &PackOptions) -> Result<()> {
        same("packing", &self.packing, &options.mode)?;
        same("pack_sequences", &self.pack_sequences, &options.length)?;
        same("eos_id", &self.eos_id, &options.eos_id)?;
        same("pad_id", &self.pad_id, &options.pad_id)?;
        same("blocks_per_epoch", &self.blocks_per_epoch, &options.blocks_per_epoch)
    }

    /// Refuses lists that are not one entry a split, and buffers of no split.
    pub(crate) fn check_shape(&self, num_splits: usize) -> Result<()> {
        one_a_split("samples_consumed_per_split", self.samples_consumed_per_split.len(), num_splits)?;
        one_a_split("blocks_emitted_per_split", self.blocks_emitted_per_split.len(), num_splits)?;
        if let Some(counts) = &self.pack_counts {
            one_a_split("pack_counts", counts.len(), num_splits)?;
        }
        if (self.packing == PackMode::Concat) != self.pack_buffers.is_some() {
            return Err(invalid("pack_buffers must be there if packing is 'concat', and only then"));
        }
        if self.packing != PackMode::Concat && self.pack_counts.is_none() {
            return Err(invalid("pack_counts is missing, which packing 'best_fit' needs"));
        }
        for key in self.pack_buffers.iter().flat_map(|buffers| buffers.keys()) {
            let known = key.parse().is_ok_and(|split: usize| split < num_splits && split.to_string() == *key);
            if !known {
                return Err(invalid(format!(
                    "pack_buffers has the key '{key}'; keys are splits, 0 to {}",
                    num_splits.saturating_sub(1)
                )));
            }
        }
        Ok(())
    }

    /// The state of one split, whose `documents` and whose budget of `blocks` it may not pass.
    pub(crate) fn split<T: Token>(&self, split: usize, documents: u64, blocks: u64) -> Result<SplitState<T>> {
        let consumed =
            within("samples_consumed_per_split", split, self.samples_consumed_per_split[split], documents)?;
        let emitted =
            within("blocks_emitted_per_split", split, self.blocks_emitted_per_split[split], blocks)?;
        let buffer = self.pack_buffers.as_ref().and_then(|buffers| buffers.get(&split.to_string()));
        let buffer = buffer.cloned().unwrap_or_default();
        self.check_buffer(split, &buffer, consumed)?;
        let emitted_tokens = emitted * self.pack_sequences;
        let counts = match &self.pack_counts {
            Some(counts) => checked_counts(split, counts[split], documents, emitted, emitted_tokens)?,
            None => SplitCounts {
                tokens: emitted_tokens,
                documents: consumed,
                tokens_left_over: if emitted == blocks { buffer.tokens.len() as u64 } else { 0 },
                ..SplitCounts::default()
            },
        };
        let what = format!("a token of pack_buffers['{split}']");
        let tokens = buffer.tokens.iter().map(|&token| checked(&what, token)).collect::<Result<_>>()?;
        let progress = SplitProgress { blocks: emitted, counts, position: 0 };
        Ok(SplitState { documents: consumed, tokens, starts: buffer.starts.into(), progress })
    }

    /// Every document in a buffer ends with eos, starts inside the buffer or before it, and counts as consumed.
    fn check_buffer(&self, split: usize, buffer: &PackBuffer, consumed: u64) -> Result<()> {
        let PackBuffer { tokens, starts } = buffer;
        let refuse = |why: String| Err(invalid(format!("pack_buffers['{split}'] {why}")));
        if starts.iter().zip(starts.iter().skip(1)).any(|(one, next)| one >= next) {
            return refuse("has starts that do not ascend".to_owned());
        }
        if let Some(start) = starts.last().filter(|&&start| start >= tokens.len() as u64) {
            return refuse(format!(
                "has a document that starts at {start}, after its {} tokens",
                tokens.len()
            ));
        }
        let continued = !tokens.is_empty() && starts.first() != Some(&0);
        let documents = starts.len() as u64 + u64::from(continued);
        if documents > consumed {
            return refuse(format!("has tokens of {documents} documents, but {consumed} are consumed"));
        }
        let ends = starts.iter().map(|&start| start as usize).chain([tokens.len()]).filter(|&end| end > 0);
        for end in ends {
            let last = tokens[end - 1];
            if last != self.eos_id {
                return refuse(format!(
                    "has a document that ends with {last}, not with eos_id ({})",
                    self.eos_id
                ));
            }
        }
        Ok(())
    }
}

fn same<V: PartialEq + Debug>(field: &str, state: &V, ours: &V) -> Result<()> {
    if state == ours {
        return Ok(());
    }
    Err(invalid(format!(
        "{field} is {state:?} in the state and {ours:?} here: a state resumes only the packing that it was saved from"
    )))
}

fn one_a_split(key: &str, len: usize, num_splits: usize) -> Result<()> {
    if len == num_splits {
        return Ok(());
    }
    Err(invalid(format!("{key} has {len} entries; it must have one for each of the {num_splits} splits")))
}

fn within(key: impl Display, split: usize, value: i64, most: u64) -> Result<u64> {
    u64::try_from(value)
        .ok()
        .filter(|&value| value <= most)
        .ok_or_else(|| invalid(format!("{key}[{split}] is {value}; it must be 0 to {most}")))
}

fn checked_counts(
    split: usize,
    counts: SplitCounts,
    documents: u64,
    blocks: u64,
    tokens: u64,
) -> Result<SplitCounts> {
    let limits = [
        ("tokens", counts.tokens, tokens),
        ("documents", counts.documents, documents),
        ("documents_split", counts.documents_split, documents),
        ("documents_dropped", counts.documents_dropped, documents),
        ("window_blocks", counts.window_blocks, blocks),
    ];
    for (key, value, most) in limits {
        if value > most {
            return Err(invalid(format!("pack_counts[{split}].{key} is {value}; it must be 0 to {most}")));
        }
    }
    Ok(counts)
}
