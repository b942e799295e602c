use std::ops::Range;

use lance_loader_order::{Code, Error};
use lance_loader_packing::{
    LongDocuments, PackBuffer, PackMode, PackOptions, PackState, Packer, merge_pack_states,
};
use serde_json::json;

use crate::corpus::Corpus;

fn corpus() -> Corpus {
    let options =
        PackOptions { length: 4, eos_id: 9, pad_id: 0, blocks_per_epoch: 6, mode: PackMode::Concat };
    Corpus { splits: vec![vec![vec![1, 2, 3], vec![4; 6]], vec![vec![5, 6], vec![7; 5]]], options }
}

fn after(corpus: &Corpus, owned: Range<u32>, cycles: usize) -> PackState {
    let mut packer = corpus.packer::<i32>(owned.clone());
    corpus.read(&mut packer, cycles * owned.len(), 0);
    packer.state(&packer.progress()).unwrap()
}

fn load(owned: Range<u32>, state: &PackState) -> Result<Packer<i32>, Error> {
    Packer::load(corpus().options, &corpus().documents(), owned, state)
}

/// Two splits after one cycle, the second one's buffer being `[7, 7, 7, 7, 7, 9]` less what the block took.
fn refused(change: impl FnOnce(&mut PackState)) -> String {
    let mut state = after(&corpus(), 0..2, 1);
    change(&mut state);
    let error = load(0..2, &state).expect_err("the state is to be refused");
    assert_eq!(error.code(), Code::InvalidArgument);
    error.message().to_owned()
}

fn with_buffer(tokens: &[i64], starts: &[u64]) -> String {
    let buffer = PackBuffer { tokens: tokens.to_vec(), starts: starts.to_vec() };
    refused(|state| {
        state.pack_buffers.as_mut().unwrap().insert("1".to_owned(), buffer);
    })
}

#[test]
fn a_state_of_another_packing_is_refused_with_the_field_and_both_values() {
    for (message, expected) in [
        (refused(|state| state.pack_sequences = 5), "pack_sequences is 5 in the state and 4 here"),
        (refused(|state| state.eos_id = 8), "eos_id is 8 in the state and 9 here"),
        (refused(|state| state.pad_id = 1), "pad_id is 1 in the state and 0 here"),
        (refused(|state| state.blocks_per_epoch = 8), "blocks_per_epoch is 8 in the state and 6 here"),
    ] {
        assert!(message.contains(expected), "{message}");
    }
    let mode = PackMode::BestFit { look_ahead: 2, long_documents: LongDocuments::Drop };
    let state = after(&corpus(), 0..2, 1);
    let options = PackOptions { mode, ..corpus().options };
    let error = Packer::<i32>::load(options, &corpus().documents(), 0..2, &state).unwrap_err();
    assert!(error.message().contains("packing is"), "{error}");
}

#[test]
fn lists_that_are_negative_too_long_or_beyond_the_split_are_refused() {
    for (message, expected) in [
        (
            refused(|state| state.samples_consumed_per_split[1] = -1),
            "samples_consumed_per_split[1] is -1; it must be 0 to 2",
        ),
        (
            refused(|state| state.samples_consumed_per_split[0] = 3),
            "samples_consumed_per_split[0] is 3; it must be 0 to 2",
        ),
        (
            refused(|state| state.blocks_emitted_per_split[0] = -2),
            "blocks_emitted_per_split[0] is -2; it must be 0 to 3",
        ),
        (
            refused(|state| state.blocks_emitted_per_split[1] = 4),
            "blocks_emitted_per_split[1] is 4; it must be 0 to 3",
        ),
        (refused(|state| state.blocks_emitted_per_split.push(1)), "blocks_emitted_per_split has 3 entries"),
        (
            refused(|state| state.samples_consumed_per_split.clear()),
            "samples_consumed_per_split has 0 entries",
        ),
        (refused(|state| state.pack_counts.as_mut().unwrap().truncate(1)), "pack_counts has 1 entries"),
        (
            refused(|state| state.pack_counts.as_mut().unwrap()[1].tokens = 5),
            "pack_counts[1].tokens is 5; it must be 0 to 4",
        ),
    ] {
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn broken_buffers_are_refused() {
    for (message, expected) in [
        (with_buffer(&[7, 9], &[2]), "starts at 2, after its 2 tokens"),
        (with_buffer(&[7, 9, 7, 9], &[2, 2]), "starts that do not ascend"),
        (with_buffer(&[7, 9, 7, 9, 9], &[2, 4]), "has tokens of 3 documents, but 2 are consumed"),
        (with_buffer(&[7, 7], &[]), "ends with 7, not with eos_id (9)"),
        (with_buffer(&[7, 8, 7, 9], &[2]), "ends with 8, not with eos_id (9)"),
        (with_buffer(&[1 << 31, 9], &[]), "is 2147483648, which does not fit int32"),
        (with_buffer(&[], &[0]), "starts at 0, after its 0 tokens"),
        (refused(|state| state.pack_buffers = None), "pack_buffers must be there"),
    ] {
        assert!(message.contains(expected), "{message}");
    }
    for key in ["2", "-1", "01", "one", ""] {
        let message = refused(|state| {
            state.pack_buffers.as_mut().unwrap().insert(key.to_owned(), PackBuffer::default());
        });
        assert!(message.contains(&format!("has the key '{key}'")), "{message}");
    }
}

#[test]
fn a_state_of_one_rank_is_refused_where_other_splits_are_owned() {
    let own = after(&corpus(), 0..1, 1);
    load(0..1, &own).unwrap();
    let message = load(0..2, &own).unwrap_err().message().to_owned();
    assert!(message.contains("1 and 0 for splits 0 to 1, which is no complete cycle"), "{message}");
    let message = load(1..2, &own).unwrap_err().message().to_owned();
    assert!(message.contains("0 for the owned splits and 1 for others"), "{message}");
}

#[test]
fn states_of_different_steps_packings_or_of_some_ranks_only_are_not_merged() {
    let corpus = corpus();
    let merge = |states: &[PackState]| merge_pack_states(states).unwrap_err().message().to_owned();
    assert!(merge(&[]).contains("no states to merge"));
    let message = merge(&[after(&corpus, 0..1, 1), after(&corpus, 1..2, 2)]);
    assert!(message.contains("1 blocks of split 0 but 2 of split 1"), "{message}");
    let message = merge(&[after(&corpus, 0..1, 1)]);
    assert!(message.contains("or do not cover every rank"), "{message}");
    let mut other = after(&corpus, 1..2, 1);
    other.eos_id = 3;
    assert!(merge(&[after(&corpus, 0..1, 1), other]).contains("eos_id is 3"));
    let mut other = after(&corpus, 1..2, 1);
    other.samples_consumed_per_split.push(0);
    assert!(merge(&[after(&corpus, 0..1, 1), other]).contains("samples_consumed_per_split has 3 entries"));
}

#[test]
fn a_best_fit_state_of_other_documents_is_refused_at_its_window() {
    let mode = PackMode::BestFit { look_ahead: 3, long_documents: LongDocuments::Split };
    let options = PackOptions { mode, ..corpus().options };
    let wide = Corpus { splits: vec![vec![vec![1; 3]; 3], vec![vec![2; 3]; 3]], options };
    let narrow = Corpus { splits: vec![vec![vec![]; 3], vec![vec![]; 3]], options };
    let mut packer = narrow.load::<i32>(0..2, &after(&wide, 0..2, 2));
    for split in 0..2 {
        (0..3).for_each(|_| packer.push::<i64>(split, &[]).unwrap());
    }
    let (mut input_ids, mut doc_ids) = (vec![0; 4], vec![0; 4]);
    let mut batch = lance_loader_packing::BlockBatch::new(4, &mut input_ids, &mut doc_ids).unwrap();
    let message = packer.pack(&mut batch).unwrap_err().message().to_owned();
    assert!(message.contains("2 blocks from a window of split 0 that makes only 1"), "{message}");
    assert_eq!(batch.filled(), 0);
}

#[test]
fn token_ids_survive_json_beyond_doubles_and_the_peers_state_needs_no_keys_of_ours() {
    let ids = [i64::MIN, -(1 << 53), 1 - (1 << 53), 0, (1 << 53) - 1, 1 << 53, i64::MAX];
    let buffer = PackBuffer { tokens: ids.to_vec(), starts: vec![] };
    let value = serde_json::to_value(&buffer).unwrap();
    let text = ["-9223372036854775808", "-9007199254740992", "9007199254740992", "9223372036854775807"];
    let numbers = [1 - (1_i64 << 53), 0, (1 << 53) - 1];
    assert_eq!(
        value["tokens"],
        json!([text[0], text[1], numbers[0], numbers[1], numbers[2], text[2], text[3]])
    );
    assert_eq!(serde_json::from_value::<PackBuffer>(value).unwrap(), buffer);

    let peer = json!({
        "shuffle_seed": 0, "num_splits": 2, "epoch": 0, "pack_sequences": 4, "eos_id": 9, "pad_id": 0, "blocks_per_epoch": 6,
        "samples_consumed_per_split": [1, 2], "blocks_emitted_per_split": [1, 1],
        "pack_buffers": {"0": {"tokens": [], "starts": []}, "1": {"tokens": [7, 7, 7, 7, 9], "starts": []}},
    });
    let state: PackState = serde_json::from_value(peer.clone()).unwrap();
    assert_eq!(state.packing, PackMode::Concat);
    let loaded = load(0..2, &state).unwrap();
    let saved = serde_json::to_value(loaded.state(&loaded.progress()).unwrap()).unwrap();
    for key in ["samples_consumed_per_split", "blocks_emitted_per_split", "pack_buffers"] {
        assert_eq!(saved[key], peer[key], "{key}");
    }
    for (key, bad) in
        [("eos_id", json!(1.5)), ("pack_buffers", json!({"0": {"tokens": [null], "starts": []}}))]
    {
        let mut broken = peer.clone();
        broken[key] = bad;
        assert!(serde_json::from_value::<PackState>(broken).is_err(), "{key}");
    }
}
