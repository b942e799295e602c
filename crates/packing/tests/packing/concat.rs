use lance_loader_packing::{PackMode, PackOptions};
use proptest::prelude::*;

use crate::corpus::{Corpus, corpora, size};
use crate::model;

fn expected(corpus: &Corpus) -> Vec<model::Block> {
    corpus.modelled(|documents| model::concat(documents, corpus.length(), corpus.ids(), corpus.cycles()))
}

fn is_padding(block: &model::Block) -> bool {
    block.loss_mask.iter().all(|&loss| loss == 0)
}

proptest! {
    #[test]
    fn blocks_are_those_of_the_plain_model_whatever_the_batches_and_the_read_ahead(
        corpus in corpora(Just(PackMode::Concat)), rows in 1_usize..6, ahead in 0_usize..4
    ) {
        prop_assert_eq!(corpus.in_batches::<i64>(rows, ahead), expected(&corpus));
    }

    #[test]
    fn no_token_is_lost_but_the_remainder_that_is_reported(corpus in corpora(Just(PackMode::Concat))) {
        let mut packer = corpus.packer::<i32>(corpus.all_splits());
        let blocks = corpus.read(&mut packer, usize::MAX, 0);
        let stats = packer.stats(&packer.progress());
        let losses = blocks.iter().flat_map(|block| &block.loss_mask);
        prop_assert_eq!(stats.real_tokens, losses.map(|&loss| u64::from(loss)).sum::<u64>());
        prop_assert_eq!(stats.real_tokens + stats.pad_tokens, corpus.options.blocks_per_epoch * corpus.options.length);
        prop_assert_eq!(stats.documents + stats.documents_left_over, corpus.documents().iter().sum::<u64>());
        let (mut begun, mut tokens) = (0, 0);
        for (split, documents) in corpus.splits.iter().enumerate() {
            let consumed = size(packer.state(&packer.progress()).unwrap().samples_consumed_per_split[split]);
            begun += consumed as u64;
            tokens += documents[..consumed].iter().map(|document| document.len() as u64 + 1).sum::<u64>();
        }
        prop_assert_eq!(stats.documents, begun);
        prop_assert_eq!(stats.real_tokens + stats.tokens_left_over, tokens);
    }

    #[test]
    fn every_split_gives_the_same_number_of_blocks(corpus in corpora(Just(PackMode::Concat)), ahead in 0_usize..3) {
        let mut packer = corpus.packer::<i32>(corpus.all_splits());
        corpus.read(&mut packer, usize::MAX, ahead);
        for split in packer.progress().splits() {
            prop_assert_eq!(split.blocks, corpus.cycles() as u64);
        }
        for split in corpus.all_splits() {
            prop_assert!(packer.is_complete(split).unwrap() && !packer.needs(split).unwrap());
        }
    }
}

#[test]
fn a_split_ten_times_longer_gives_no_more_blocks_than_its_sibling() {
    let short: Vec<Vec<i64>> = vec![vec![1; 3], vec![2; 5]];
    let long: Vec<Vec<i64>> = short.iter().map(|document| document.repeat(10)).collect();
    let options =
        PackOptions { length: 4, eos_id: 9, pad_id: 9, blocks_per_epoch: 50, mode: PackMode::Concat };
    let corpus = Corpus { splits: vec![short, long], options };
    let blocks = corpus.uninterrupted();
    assert_eq!(blocks.len(), 50);
    assert_eq!(blocks.iter().step_by(2).filter(|block| !is_padding(block)).count(), 3);
    assert_eq!(blocks.iter().skip(1).step_by(2).filter(|block| !is_padding(block)).count(), 21);
}

#[test]
fn utilization_is_the_share_of_real_tokens() {
    let options =
        PackOptions { length: 4, eos_id: 9, pad_id: 0, blocks_per_epoch: 2, mode: PackMode::Concat };
    let corpus = Corpus { splits: vec![vec![vec![1, 2], vec![3, 4]]], options };
    let mut packer = corpus.packer::<i32>(0..1);
    assert!((packer.stats(&packer.progress()).utilization() - 1.0).abs() < f64::EPSILON);
    corpus.read(&mut packer, 2, 0);
    assert!((packer.stats(&packer.progress()).utilization() - 0.75).abs() < f64::EPSILON);
}

#[test]
fn released_tokens_are_no_longer_held() {
    let options =
        PackOptions { length: 8, eos_id: 9, pad_id: 0, blocks_per_epoch: 500, mode: PackMode::Concat };
    let corpus = Corpus { splits: vec![vec![vec![1; 40]; 97]], options };
    let mut packer = corpus.packer::<i32>(0..1);
    let mut most = 0;
    while !corpus.read(&mut packer, 3, 0).is_empty() {
        packer.release(&packer.progress()).unwrap();
        most = most.max(packer.buffered_tokens(0).unwrap());
    }
    assert!(most < 4 * 41, "{most} tokens were held for blocks of 8");
}
