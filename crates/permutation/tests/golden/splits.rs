use lance_loader_permutation::{PermutationConfig, Rows};
use serde_json::{Value, json};

use crate::{golden, list, number};

/// The rows of each split as decimal strings.
fn splits(config: &str, rows: u64) -> Value {
    let permutation = PermutationConfig::from_json(config).unwrap().build(Rows::All(rows)).unwrap();
    let mut splits = vec![Vec::new(); permutation.num_splits()];
    for chunk in permutation.chunks(5) {
        let chunk = chunk.unwrap();
        splits[chunk.split].extend(chunk.ordinals.iter().map(u64::to_string));
    }
    json!(splits)
}

#[test]
fn the_rows_of_every_strategy_are_pinned() {
    let file = golden("splits.json");
    assert_eq!(file["orderVersion"], lance_loader_order::ORDER_VERSION);
    for case in list(&file, "cases") {
        let config = case["config"].to_string();
        let found = splits(&config, number(&case["rows"]));
        assert_eq!(found, case["splits"], "{config} gives {found}");
    }
}
