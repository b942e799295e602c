use lance_loader_packing::{
    PackMode, PackOptions, PackState, PackStats, Packer, estimate_blocks_per_epoch, merge_pack_states,
    sample_positions,
};
use serde_json::{Value, json};

use crate::corpus::Corpus;
use crate::model::Block;

fn golden(file: &str) -> Value {
    let path = format!("{}/../../__test__/golden/packing/{file}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

fn corpus(case: &Value) -> Corpus {
    let options = &case["options"];
    let documents: Vec<Vec<i64>> = read(&case["documents"]);
    let each = documents.len() / read::<usize>(&options["numSplits"]);
    let mode = match options.get("packing") {
        None => PackMode::Concat,
        Some(_) => PackMode::BestFit {
            look_ahead: read(&options["lookAhead"]),
            long_documents: read(&options["longDocuments"]),
        },
    };
    Corpus {
        splits: documents.chunks(each).map(<[Vec<i64>]>::to_vec).collect(),
        options: PackOptions {
            length: read(&options["packSequences"]),
            eos_id: read(&options["eosId"]),
            pad_id: read(&options["padId"]),
            blocks_per_epoch: read(&options["blocksPerEpoch"]),
            mode,
        },
    }
}

fn as_json(blocks: &[Block]) -> Value {
    let each = |field: fn(&Block) -> Value| blocks.iter().map(field).collect::<Vec<_>>();
    json!({
        "blocks": each(|block| json!(block.input_ids)),
        "docIds": each(|block| json!(block.doc_ids)),
        "positionIds": each(|block| json!(block.position_ids)),
        "lossMask": each(|block| json!(block.loss_mask)),
        "attentionLengths": each(|block| json!(block.attention_lengths)),
    })
}

fn check_stats(case: &Value, stats: &PackStats) {
    let found = json!({
        "realTokens": stats.real_tokens,
        "padTokens": stats.pad_tokens,
        "documents": stats.documents,
        "documentsSplit": stats.documents_split,
        "documentsDropped": stats.documents_dropped,
        "tokensLeftOver": stats.tokens_left_over,
        "documentsLeftOver": stats.documents_left_over,
    });
    for (key, expected) in case["stats"].as_object().unwrap() {
        assert_eq!(&found[key], expected, "{key} of {}", case["name"]);
    }
}

/// Every cycle's blocks and, where the case has them, the states after it; saved, merged and loaded between the cycles.
fn check_case(case: &Value, ranks: usize) {
    let corpus = corpus(case);
    let each = (corpus.splits.len() / ranks) as u32;
    let owned = |rank: usize| rank as u32 * each..(rank as u32 + 1) * each;
    let mut packers: Vec<Packer<i32>> = (0..ranks).map(|rank| corpus.packer(owned(rank))).collect();
    for cycle in 0..corpus.cycles() {
        let blocks: Vec<Block> =
            packers.iter_mut().flat_map(|packer| corpus.read(packer, each as usize, 0)).collect();
        let found = as_json(&blocks);
        for (key, found) in found.as_object().unwrap() {
            assert_eq!(found, &case[key][cycle], "{key} of cycle {cycle} of {}", case["name"]);
        }
        let states: Vec<PackState> =
            packers.iter().map(|packer| packer.state(&packer.progress()).unwrap()).collect();
        let state = serde_json::to_value(merge_pack_states(&states).unwrap()).unwrap();
        if let Some(states) = case.get("states") {
            for (key, expected) in states[cycle].as_object().unwrap() {
                assert_eq!(&state[key], expected, "{key} after cycle {cycle} of {}", case["name"]);
            }
        }
        packers = (0..ranks).map(|rank| corpus.load(owned(rank), &read(&state))).collect();
    }
    if ranks == 1 {
        check_stats(case, &packers[0].stats(&packers[0].progress()));
    }
}

#[test]
fn golden_cases_come_out_block_by_block_on_one_rank_and_on_a_rank_a_split() {
    for file in ["concat.json", "best-fit.json"] {
        let cases = golden(file)["cases"].as_array().unwrap().clone();
        assert!(cases.len() >= 4, "{file}");
        for case in &cases {
            check_case(case, 1);
            check_case(case, read(&case["options"]["numSplits"]));
        }
    }
}

#[test]
fn golden_samples_and_estimates_are_pinned() {
    let golden = golden("estimate.json");
    for sample in golden["samples"].as_array().unwrap() {
        let seed = read::<String>(&sample["seed"]).parse().unwrap();
        let documents: Vec<u64> = read(&sample["documentsPerSplit"]);
        assert_eq!(json!(sample_positions(&documents, seed)), sample["positions"]);
    }
    for case in golden["estimates"].as_array().unwrap() {
        let (documents, lengths): (Vec<u64>, Vec<u64>) =
            (read(&case["documentsPerSplit"]), read(&case["sampledLengths"]));
        let blocks =
            estimate_blocks_per_epoch(&documents, &lengths, read(&case["packSequences"]), PackMode::Concat)
                .unwrap();
        assert_eq!(json!(blocks), case["blocksPerEpoch"]);
    }
}
