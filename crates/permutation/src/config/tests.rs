use lance_loader_order::Code;

use super::{Needs, PermutationConfig, ShuffleConfig, SplitStrategy};
use crate::sizes::Sizes;

/// One of each strategy, in canonical text.
const CANONICAL: [&str; 7] = [
    "{}",
    r#"{"filter":"id < 9","shuffle":{"clumpSize":1,"seed":0}}"#,
    r#"{"splitRandom":{"clumpSize":16,"ratios":[0.8,0.2],"seed":7,"splitNames":["train","val"]}}"#,
    r#"{"splitSequential":{"counts":[3,4]}}"#,
    r#"{"splitHash":{"columns":["a","b"],"discardWeight":1,"splitWeights":[70,29]}}"#,
    r#"{"splitCalculated":{"calculation":"id % 3","splitNames":["x","y","z"]}}"#,
    r#"{"bootstrapSample":{"fixed":2,"numSamples":9,"seed":"9007199254740993"},"shuffle":{"clumpSize":4,"seed":5}}"#,
];

#[test]
fn the_canonical_text_reads_back_as_itself() {
    for text in CANONICAL {
        let config = PermutationConfig::from_json(text).unwrap();
        assert_eq!(config.to_json(), text);
        let through_serde: PermutationConfig =
            serde_json::from_str(&serde_json::to_string(&config).unwrap()).unwrap();
        assert_eq!(through_serde, config);
    }
}

#[test]
fn what_is_left_out_and_what_is_written_out_are_one_strategy() {
    let short = r#"{"splitRandom":{"fixed":2,"splitNames":null},"shuffle":{}}"#;
    let long = r#"{"shuffle":{"seed":"0","clumpSize":1},"splitRandom":{"seed":0,"clumpSize":1,"fixed":2}}"#;
    let config = PermutationConfig::from_json(short).unwrap();
    assert_eq!(config.to_json(), PermutationConfig::from_json(long).unwrap().to_json());
    let shuffle = ShuffleConfig { seed: 0, clump_size: 1 };
    assert_eq!(config.split, SplitStrategy::Random { sizes: Sizes::Fixed(2), shuffle });
}

#[test]
fn a_strategy_says_what_it_must_read() {
    let config = |at: usize| PermutationConfig::from_json(CANONICAL[at]).unwrap();
    assert_eq!(config(2).needs(), Needs::Rows);
    assert_eq!(config(4).needs(), Needs::Columns(&["a".to_owned(), "b".to_owned()]));
    assert_eq!(config(5).needs(), Needs::Calculation("id % 3"));
    assert_eq!((config(4).num_splits(), config(5).num_splits()), (Some(2), Some(3)));
}

#[test]
fn every_wrong_argument_is_named_with_its_value_and_the_rule() {
    let cases = [
        ("[]", "must be an object"),
        ("{", "no JSON"),
        (r#"{"filters":"a"}"#, "\"filters\""),
        (r#"{"filter":" "}"#, "filter is \" \""),
        (r#"{"filter":3}"#, "filter is 3; it must be a string"),
        (r#"{"splitRandom":{"fixed":2},"splitHash":{}}"#, "splitRandom and splitHash are both given"),
        (r#"{"splitRandom":{"fixed":2,"ratio":[1]}}"#, "\"ratio\""),
        (r#"{"splitRandom":{}}"#, "0 of ratios, counts and fixed"),
        (r#"{"splitRandom":{"fixed":2,"counts":[1]}}"#, "2 of ratios, counts and fixed"),
        (r#"{"splitRandom":{"ratios":[0.5,null]}}"#, "ratios[1] is null"),
        (r#"{"splitRandom":{"ratios":0.5}}"#, "ratios is 0.5; it must be a list"),
        (r#"{"splitSequential":{"counts":[1,-2]}}"#, "counts[1] is -2; it must be a whole number"),
        (r#"{"splitSequential":{"counts":[1.5]}}"#, "counts[0] is 1.5"),
        (r#"{"splitSequential":{"counts":[0]}}"#, "counts[0] is 0"),
        (r#"{"splitSequential":{"fixed":0}}"#, "fixed gives no split"),
        (r#"{"splitSequential":{"fixed":2,"seed":1}}"#, "\"seed\""),
        (r#"{"splitSequential":{"fixed":2,"splitNames":["a"]}}"#, "1 names for 2 splits"),
        (r#"{"splitCalculated":{"calculation":"id","splitNames":["a","a"]}}"#, "splitNames[1] is \"a\""),
        (r#"{"splitCalculated":{"calculation":""}}"#, "calculation is \"\""),
        (r#"{"splitCalculated":{}}"#, "splitCalculated lacks calculation"),
        (r#"{"splitHash":{"columns":["a"]}}"#, "splitHash lacks splitWeights"),
        (r#"{"splitHash":{"columns":[],"splitWeights":[1]}}"#, "columns is empty"),
        (r#"{"splitHash":{"columns":["a","a"],"splitWeights":[1]}}"#, "columns[1] is \"a\""),
        (r#"{"splitHash":{"columns":["a"],"splitWeights":[]}}"#, "splitWeights has 0"),
        (r#"{"splitHash":{"columns":["a"],"splitWeights":[1,0]}}"#, "splitWeights[1] is 0"),
        (r#"{"bootstrapSample":{"numSamples":0,"fixed":1}}"#, "numSamples is 0"),
        (r#"{"bootstrapSample":{"fixed":1}}"#, "bootstrapSample lacks numSamples"),
        (r#"{"shuffle":{"clumpSize":0}}"#, "clumpSize is 0"),
        (r#"{"shuffle":{"seed":"12x"}}"#, "seed is \"12x\""),
        (r#"{"shuffle":{"seed":"18446744073709551616"}}"#, "2^64 - 1"),
        (r#"{"splitRandom":{"fixed":2,"clumpSize":0}}"#, "clumpSize is 0"),
    ];
    for (json, words) in cases {
        let error = PermutationConfig::from_json(json).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains(words), "{json}: {error}");
    }
}
