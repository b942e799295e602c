use lance_loader_packing::{PackMode, PackOptions, PackStats, estimate_blocks_per_epoch, sample_positions};
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
        "sequenceLengths": each(|block| json!(block.sequence_lengths)),
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

/// Every cycle's blocks, and the state after it where the case has one.
fn check_case(case: &Value) {
    let corpus = corpus(case);
    let mut packer = corpus.packer::<i32>(corpus.all_splits());
    for cycle in 0..corpus.cycles() {
        let found = as_json(&corpus.read(&mut packer, corpus.splits.len(), 0));
        for (key, found) in found.as_object().unwrap() {
            assert_eq!(found, &case[key][cycle], "{key} of cycle {cycle} of {}", case["name"]);
        }
        if let Some(states) = case.get("states") {
            let state = serde_json::to_value(packer.state(&packer.progress()).unwrap()).unwrap();
            for (key, expected) in states[cycle].as_object().unwrap() {
                assert_eq!(&state[key], expected, "{key} after cycle {cycle} of {}", case["name"]);
            }
        }
    }
    check_stats(case, &packer.stats(&packer.progress()));
}

#[test]
fn golden_cases_come_out_block_by_block() {
    for file in ["concat.json", "best-fit.json"] {
        let cases = golden(file)["cases"].as_array().unwrap().clone();
        assert!(cases.len() >= 4, "{file}");
        cases.iter().for_each(check_case);
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
