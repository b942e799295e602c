use lance_loader_order::Code;
use lance_loader_packing::{
    LongDocuments, MAX_SAMPLED_DOCUMENTS, PackMode, estimate_blocks_per_epoch, sample_positions,
};
use proptest::prelude::*;

proptest! {
    #[test]
    fn positions_ascend_inside_their_split_and_are_one_in_a_hundred(
        documents in prop::collection::vec(0_u64..5000, 1..6), seed: u64
    ) {
        let positions = sample_positions(&documents, seed);
        prop_assert_eq!(positions.len(), documents.len());
        for (positions, documents) in positions.iter().zip(documents) {
            prop_assert_eq!(positions.len() as u64, documents.div_ceil(100));
            prop_assert!(positions.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(positions.last().is_none_or(|&last| last < documents));
        }
    }

    #[test]
    fn documents_of_one_length_are_estimated_exactly(
        documents in 1_u64..5000, splits in 1_usize..5, tokens in 0_u64..50, length in 1_u64..40
    ) {
        let per_split = vec![documents; splits];
        let sampled = vec![tokens; sample_positions(&per_split, 3).iter().map(Vec::len).sum()];
        let blocks = estimate_blocks_per_epoch(&per_split, &sampled, length, PackMode::Concat).unwrap();
        let splits = splits as u64;
        let exact = documents * splits * (tokens + 1) / length;
        prop_assert_eq!(blocks, (exact - exact % splits).max(splits));
    }
}

#[test]
fn at_most_a_hundred_thousand_documents_are_sampled() {
    for documents in [vec![1 << 40], vec![1 << 30; 7], vec![3; 100_001], vec![u64::MAX; 2]] {
        let sampled: usize = sample_positions(&documents, 1).iter().map(Vec::len).sum();
        assert!(sampled as u64 <= MAX_SAMPLED_DOCUMENTS && sampled > 99_990, "{sampled}");
    }
}

#[test]
fn another_seed_samples_other_documents_and_each_split_its_own() {
    let positions = sample_positions(&[10_000, 10_000], 5);
    assert_ne!(positions[0], positions[1]);
    assert_ne!(positions, sample_positions(&[10_000, 10_000], 6));
    assert_eq!(positions, sample_positions(&[10_000, 10_000], 5));
}

#[test]
fn best_fit_counts_the_blocks_that_whole_documents_take() {
    let mode = |long_documents| PackMode::BestFit { look_ahead: 100, long_documents };
    // Two documents of 5 tokens and an eos do not fit into one block of 10.
    assert_eq!(estimate_blocks_per_epoch(&[100], &[5; 10], 10, mode(LongDocuments::Error)).unwrap(), 100);
    assert_eq!(estimate_blocks_per_epoch(&[100], &[5; 10], 10, PackMode::Concat).unwrap(), 60);
    // 25 tokens and an eos are two whole blocks and 6 tokens, of which one fits into a block.
    assert_eq!(estimate_blocks_per_epoch(&[4], &[25; 2], 10, mode(LongDocuments::Split)).unwrap(), 12);
    assert_eq!(estimate_blocks_per_epoch(&[4], &[25, 8], 10, mode(LongDocuments::Drop)).unwrap(), 2);
    let error = estimate_blocks_per_epoch(&[4], &[25, 8], 10, mode(LongDocuments::Error)).unwrap_err();
    assert!(error.message().contains("a sampled document has 25 tokens"), "{error}");
}

#[test]
fn nothing_to_estimate_from_and_more_than_can_be_counted_are_errors() {
    for (documents, lengths) in [(vec![], vec![]), (vec![0], vec![])] {
        let error = estimate_blocks_per_epoch(&documents, &lengths, 8, PackMode::Concat).unwrap_err();
        assert_eq!(error.code(), Code::TooFewRows);
    }
    let error = estimate_blocks_per_epoch(&[u64::MAX; 9], &[u64::MAX; 9], 1, PackMode::Concat).unwrap_err();
    assert!(error.message().contains("more than 2^64 blocks"), "{error}");
    assert!(estimate_blocks_per_epoch(&[1], &[1], 0, PackMode::Concat).is_err());
    let mode = PackMode::BestFit { look_ahead: 0, long_documents: LongDocuments::Split };
    assert!(estimate_blocks_per_epoch(&[1], &[1], 8, mode).unwrap_err().message().contains("look-ahead"));
    let mode = PackMode::BestFit { look_ahead: 1, long_documents: LongDocuments::Split };
    assert!(estimate_blocks_per_epoch(&[1], &[u64::MAX], 8, mode).unwrap() >= u64::MAX / 8);
}
