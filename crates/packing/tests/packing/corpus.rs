//! Documents dealt to splits, and a reader that packs them.

use std::ops::Range;

use lance_loader_packing::{
    AttentionLengths, BlockBatch, PackMode, PackOptions, PackOutcome, PackState, Packer, Token,
};
use proptest::prelude::*;

use crate::model::Block;

/// The documents of every split, and how they are packed.
#[derive(Clone, Debug)]
pub(crate) struct Corpus {
    pub(crate) splits: Vec<Vec<Vec<i64>>>,
    pub(crate) options: PackOptions,
}

impl Corpus {
    pub(crate) fn documents(&self) -> Vec<u64> {
        self.splits.iter().map(|documents| documents.len() as u64).collect()
    }

    pub(crate) fn length(&self) -> usize {
        self.options.length as usize
    }

    pub(crate) fn cycles(&self) -> usize {
        self.options.blocks_per_epoch as usize / self.splits.len()
    }

    pub(crate) fn all_splits(&self) -> Range<u32> {
        0..self.splits.len() as u32
    }

    pub(crate) fn packer<T: Token>(&self, owned: Range<u32>) -> Packer<T> {
        Packer::new(self.options, &self.documents(), owned).unwrap()
    }

    pub(crate) fn load<T: Token>(&self, owned: Range<u32>, state: &PackState) -> Packer<T> {
        Packer::load(self.options, &self.documents(), owned, state).unwrap()
    }

    /// Every block of every split, cycle by cycle, from a packer that is fed at need.
    pub(crate) fn uninterrupted(&self) -> Vec<Block> {
        self.read(&mut self.packer::<i32>(self.all_splits()), usize::MAX, 0)
    }

    /// The same from batches of `rows` blocks, with documents pushed ahead, and what was read released after each batch.
    pub(crate) fn in_batches<T: Token>(&self, rows: usize, ahead: usize) -> Vec<Block> {
        let mut packer = self.packer::<T>(self.all_splits());
        let mut blocks = Vec::new();
        loop {
            let batch = self.read(&mut packer, rows, ahead);
            packer.release(&packer.progress()).unwrap();
            if batch.is_empty() {
                return blocks;
            }
            blocks.extend(batch);
        }
    }

    /// Cycle by cycle one block of each split, whose blocks a model makes of its documents.
    pub(crate) fn modelled(&self, model: impl Fn(&[Vec<i64>]) -> Vec<Block>) -> Vec<Block> {
        let splits: Vec<_> = self.splits.iter().map(|documents| model(documents)).collect();
        let cycle = |cycle: usize| splits.iter().map(move |blocks| blocks[cycle].clone()).collect::<Vec<_>>();
        (0..self.cycles()).flat_map(cycle).collect()
    }

    /// `eosId` and `padId`.
    pub(crate) fn ids(&self) -> (i64, i64) {
        (self.options.eos_id, self.options.pad_id)
    }

    /// The next blocks, at most `most`, as one batch. `ahead` documents are pushed to every split beyond each need.
    pub(crate) fn read<T: Token>(&self, packer: &mut Packer<T>, most: usize, ahead: usize) -> Vec<Block> {
        let length = self.length();
        let rows = most.min(self.options.blocks_per_epoch as usize);
        let (mut input_ids, mut doc_ids) = (vec![T::default(); rows * length], vec![-1; rows * length]);
        let (mut position_ids, mut loss_mask) = (vec![-1; rows * length], vec![7; rows * length]);
        let mut lengths = AttentionLengths { offsets: vec![5], values: vec![5] };
        let mut batch = BlockBatch::new(self.options.length, &mut input_ids, &mut doc_ids)
            .and_then(|batch| batch.with_position_ids(&mut position_ids))
            .and_then(|batch| batch.with_loss_mask(&mut loss_mask))
            .and_then(|batch| batch.with_attention_lengths(&mut lengths))
            .unwrap();
        while let PackOutcome::Needs(split) = packer.pack(&mut batch).unwrap() {
            assert!(packer.needs(split).unwrap());
            self.feed(packer, split, 1);
            packer.owned().for_each(|split| self.feed(packer, split, ahead));
        }
        let filled = batch.filled();
        (0..filled)
            .map(|row| {
                let range = row * length..(row + 1) * length;
                Block {
                    input_ids: input_ids[range.clone()].iter().map(|&token| token.into()).collect(),
                    doc_ids: doc_ids[range.clone()].to_vec(),
                    position_ids: position_ids[range.clone()].to_vec(),
                    loss_mask: loss_mask[range].to_vec(),
                    attention_lengths: block_lengths(&lengths, row),
                }
            })
            .collect()
    }

    fn feed<T: Token>(&self, packer: &mut Packer<T>, split: u32, documents: usize) {
        let pushed = packer.documents_pushed(split).unwrap() as usize;
        for document in self.splits[split as usize].iter().skip(pushed).take(documents) {
            packer.push(split, document).unwrap();
        }
    }
}

fn block_lengths(lengths: &AttentionLengths, row: usize) -> Vec<i32> {
    lengths.values[size(lengths.offsets[row])..size(lengths.offsets[row + 1])].to_vec()
}

/// A count that is not negative.
pub(crate) fn size(count: impl Into<i64>) -> usize {
    usize::try_from(count.into()).unwrap()
}

/// Empty documents, short ones, and ones of many blocks; `padId` is sometimes `eosId`, and both appear inside documents.
pub(crate) fn corpora(mode: impl Strategy<Value = PackMode>) -> impl Strategy<Value = Corpus> {
    let lengths = prop_oneof![1 => Just(0_usize), 6 => 1_usize..6, 2 => 6_usize..14, 1 => 30_usize..60];
    let document = lengths.prop_flat_map(|length| prop::collection::vec(0_i64..12, length));
    let splits = prop::collection::vec(prop::collection::vec(document, 0..12), 1..=4);
    (splits, 1_u64..14, 1_u64..16, 0_i64..2, mode).prop_map(|(splits, length, cycles, pad, mode)| {
        let blocks_per_epoch = cycles * splits.len() as u64;
        Corpus { splits, options: PackOptions { length, eos_id: 0, pad_id: pad, blocks_per_epoch, mode } }
    })
}
