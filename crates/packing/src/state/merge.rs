//! One state of the states of all ranks.

use lance_loader_order::Result;

use crate::options::invalid;
use crate::state::PackState;

/// Takes each split from the state that has most progress in it.
///
/// Refused: no state, states of different packings, and states that do not all stand at the same global step or do not
/// cover every split.
pub fn merge_pack_states(states: &[PackState]) -> Result<PackState> {
    let Some((first, rest)) = states.split_first() else {
        return Err(invalid("there are no states to merge: give the states of all ranks"));
    };
    first.check_shape(first.samples_consumed_per_split.len())?;
    for state in rest {
        state.check_shape(first.samples_consumed_per_split.len())?;
        state.check_same_packing(&first.options())?;
    }
    let mut merged = first.clone();
    for state in rest {
        for split in 0..merged.blocks_emitted_per_split.len() {
            if state.advance(split) > merged.advance(split) {
                merged.take_split(split, state);
            }
        }
    }
    if states.iter().any(|state| state.pack_counts.is_none()) {
        merged.pack_counts = None;
    }
    let blocks = &merged.blocks_emitted_per_split;
    match blocks.iter().zip(blocks.iter().skip(1)).position(|(one, next)| one != next) {
        Some(split) => Err(invalid(format!(
            "the states have handed over {} blocks of split {split} but {} of split {}: they were not saved at the same global step, \
             or do not cover every rank",
            blocks[split],
            blocks[split + 1],
            split + 1
        ))),
        None => Ok(merged),
    }
}

impl PackState {
    fn advance(&self, split: usize) -> (i64, i64) {
        (self.blocks_emitted_per_split[split], self.samples_consumed_per_split[split])
    }

    fn take_split(&mut self, split: usize, from: &Self) {
        self.samples_consumed_per_split[split] = from.samples_consumed_per_split[split];
        self.blocks_emitted_per_split[split] = from.blocks_emitted_per_split[split];
        if let (Some(counts), Some(others)) = (&mut self.pack_counts, &from.pack_counts) {
            counts[split] = others[split];
        }
        if let (Some(buffers), Some(others)) = (&mut self.pack_buffers, &from.pack_buffers) {
            let key = split.to_string();
            match others.get(&key) {
                Some(buffer) => buffers.insert(key, buffer.clone()),
                None => buffers.remove(&key),
            };
        }
    }
}
