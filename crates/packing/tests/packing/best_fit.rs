use lance_loader_order::Code;
use lance_loader_packing::{LongDocuments, PackMode, PackOptions};
use proptest::prelude::*;

use crate::corpus::{Corpus, corpora, size};
use crate::model;

pub(crate) fn modes() -> impl Strategy<Value = PackMode> {
    let policies = prop_oneof![Just(LongDocuments::Split), Just(LongDocuments::Drop)];
    (1_u32..6, policies)
        .prop_map(|(look_ahead, long_documents)| PackMode::BestFit { look_ahead, long_documents })
}

fn window(corpus: &Corpus) -> (usize, LongDocuments) {
    match corpus.options.mode {
        PackMode::BestFit { look_ahead, long_documents } => {
            (look_ahead as usize * corpus.length(), long_documents)
        }
        PackMode::Concat => unreachable!("the strategy makes no such corpus"),
    }
}

fn expected(corpus: &Corpus) -> Vec<model::Block> {
    corpus.modelled(|documents| {
        model::best_fit(documents, corpus.length(), corpus.ids(), window(corpus), corpus.cycles())
    })
}

/// What a block holds of each document.
fn pieces(block: &model::Block) -> Vec<Vec<i64>> {
    let bounds = block.attention_lengths.iter().zip(&block.attention_lengths[1..]);
    bounds
        .map(|(&start, &end)| size(start)..size(end))
        .filter(|range| block.loss_mask[range.start] == 1)
        .map(|range| block.input_ids[range].to_vec())
        .collect()
}

proptest! {
    #[test]
    fn blocks_are_those_of_the_plain_model_whatever_the_batches_and_the_read_ahead(
        corpus in corpora(modes()), rows in 1_usize..6, ahead in 0_usize..4
    ) {
        prop_assert_eq!(corpus.in_batches::<i32>(rows, ahead), expected(&corpus));
    }

    #[test]
    fn every_document_that_fits_comes_out_whole_and_once(mut corpus in corpora(modes())) {
        corpus.options.blocks_per_epoch = 600 * corpus.splits.len() as u64;
        let mut packer = corpus.packer::<i32>(corpus.all_splits());
        let blocks = corpus.read(&mut packer, usize::MAX, 0);
        let length = corpus.length();
        let all = corpus.splits.iter().flatten().map(|document| model::ended(document, 0));
        let (_, drop) = window(&corpus);
        let kept = all.clone().filter(|document| document.len() <= length || drop == LongDocuments::Split);
        let mut expected: Vec<Vec<i64>> =
            kept.flat_map(|document| document.chunks(length).map(<[i64]>::to_vec).collect::<Vec<_>>()).collect();
        let mut found: Vec<Vec<i64>> = blocks.iter().flat_map(pieces).collect();
        expected.sort_unstable();
        found.sort_unstable();
        prop_assert_eq!(found, expected);
        let stats = packer.stats(&packer.progress());
        let long = all.filter(|document| document.len() > length).count() as u64;
        prop_assert_eq!(stats.documents_split + stats.documents_dropped, long);
        prop_assert_eq!(stats.documents + stats.documents_dropped, corpus.documents().iter().sum::<u64>());
        prop_assert_eq!((stats.tokens_left_over, stats.documents_left_over), (0, 0));
    }

    #[test]
    fn what_the_budget_cuts_off_of_a_window_is_counted(corpus in corpora(modes())) {
        let mut packer = corpus.packer::<i32>(corpus.all_splits());
        corpus.read(&mut packer, usize::MAX, 0);
        let state = packer.state(&packer.progress()).unwrap();
        let (window, policy) = window(&corpus);
        for (split, documents) in corpus.splits.iter().enumerate() {
            let kept = |document: &Vec<i64>| {
                if document.len() < corpus.length() || policy == LongDocuments::Split { document.len() + 1 } else { 0 }
            };
            let (before, after) = documents.split_at(size(state.samples_consumed_per_split[split]));
            let (before, mut in_window) = (before.iter().map(kept).sum::<usize>(), 0);
            for tokens in after.iter().map(kept) {
                in_window += if in_window < window { tokens } else { 0 };
            }
            let counts = packer.progress().splits()[split].counts;
            let begun = counts.tokens as usize - before;
            let left_over = if begun == 0 { 0 } else { in_window - begun };
            prop_assert_eq!(counts.tokens_left_over as usize, left_over, "of split {}", split);
        }
    }
}

fn corpus(long_documents: LongDocuments) -> Corpus {
    let mode = PackMode::BestFit { look_ahead: 4, long_documents };
    let options = PackOptions { length: 4, eos_id: 9, pad_id: 0, blocks_per_epoch: 3, mode };
    Corpus { splits: vec![vec![vec![1, 2], vec![3; 4], vec![5, 6, 7]]], options }
}

#[test]
fn a_document_longer_than_a_block_is_an_error_that_leaves_the_rest_in_place() {
    let mut packer = corpus(LongDocuments::Error).packer::<i32>(0..1);
    packer.push(0, &[1, 2]).unwrap();
    let error = packer.push(0, &[3, 3, 3, 3]).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("document 1 of split 0 has 4 tokens"), "{error}");
    assert_eq!(packer.documents_pushed(0).unwrap(), 1);
    packer.push(0, &[3, 3, 3]).unwrap();
}

#[test]
fn long_documents_are_counted_as_the_policy_says() {
    for (policy, split, dropped) in [(LongDocuments::Split, 1, 0), (LongDocuments::Drop, 0, 1)] {
        let corpus = corpus(policy);
        let mut packer = corpus.packer::<i32>(0..1);
        corpus.read(&mut packer, usize::MAX, 0);
        let stats = packer.stats(&packer.progress());
        assert_eq!((stats.documents_split, stats.documents_dropped), (split, dropped), "{policy:?}");
    }
}
