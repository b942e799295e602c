//! The configuration as JSON, with the names of the JavaScript builder.

use std::collections::BTreeMap;

use lance_loader_order::Result;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::fields::{Fields, from_u64, to_f64, to_string, to_u64};
use super::{PermutationConfig, ShuffleConfig, SplitStrategy};
use crate::error::invalid;
use crate::sizes::Sizes;

/// The builder calls that set the strategy; at most one may be there.
const STRATEGIES: [&str; 5] =
    ["splitRandom", "splitSequential", "splitHash", "splitCalculated", "bootstrapSample"];

impl PermutationConfig {
    /// Reads and checks a configuration.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`, naming the argument, its value and the rule.
    pub fn from_json(json: &str) -> Result<Self> {
        let value = serde_json::from_str(json)
            .map_err(|cause| invalid("the permutation's configuration is no JSON").with_cause(cause))?;
        Self::from_value(value)
    }

    /// The canonical text: keys in order, defaults written out, numbers above 2^53 - 1 as decimal strings. Equal
    /// configurations have equal texts, so that it identifies a strategy in a state.
    pub fn to_json(&self) -> String {
        self.to_value().to_string()
    }

    fn from_value(value: Value) -> Result<Self> {
        let mut fields = Fields::new("the permutation's configuration", value)?;
        let mut config = Self { filter: fields.string("filter")?, ..Self::default() };
        if let Some(shuffle) = fields.take("shuffle") {
            let mut shuffle = Fields::new("shuffle", shuffle)?;
            config.shuffle = Some(read_shuffle(&mut shuffle)?);
            shuffle.finish()?;
        }
        let mut given = None;
        for call in STRATEGIES {
            let Some(options) = fields.take(call) else { continue };
            if let Some(first) = given.replace(call) {
                return Err(invalid(format!(
                    "{first} and {call} are both given; a permutation is split in one way"
                )));
            }
            let mut options = Fields::new(call, options)?;
            config.split_names = options.list("splitNames", to_string)?;
            config.split = read_strategy(call, &mut options)?;
            options.finish()?;
        }
        fields.finish()?;
        config.validate()?;
        Ok(config)
    }

    fn to_value(&self) -> Value {
        let mut config = Entries::new();
        config.extend(self.filter.as_deref().map(|filter| ("filter", filter.into())));
        config.extend(self.shuffle.map(|shuffle| ("shuffle", object(shuffle_entries(shuffle)))));
        if let Some((call, mut options)) = strategy_entries(&self.split) {
            options.extend(self.split_names.clone().map(|names| ("splitNames", names.into())));
            config.insert(call, object(options));
        }
        object(config)
    }
}

impl Serialize for PermutationConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PermutationConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Self::from_value(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

fn read_shuffle(options: &mut Fields) -> Result<ShuffleConfig> {
    let default = ShuffleConfig::default();
    Ok(ShuffleConfig {
        seed: options.u64("seed")?.unwrap_or(default.seed),
        clump_size: options.u64("clumpSize")?.unwrap_or(default.clump_size),
    })
}

fn read_strategy(call: &str, options: &mut Fields) -> Result<SplitStrategy> {
    Ok(match call {
        "splitRandom" => {
            SplitStrategy::Random { sizes: read_sizes(call, options)?, shuffle: read_shuffle(options)? }
        }
        "splitSequential" => SplitStrategy::Sequential { sizes: read_sizes(call, options)? },
        "splitHash" => {
            let (columns, weights) =
                (options.list("columns", to_string)?, options.list("splitWeights", to_u64)?);
            SplitStrategy::Hash {
                columns: options.required("columns", columns)?,
                split_weights: options.required("splitWeights", weights)?,
                discard_weight: options.u64("discardWeight")?.unwrap_or(0),
            }
        }
        "splitCalculated" => {
            let calculation = options.string("calculation")?;
            SplitStrategy::Calculated { calculation: options.required("calculation", calculation)? }
        }
        _ => {
            let samples = options.u64("numSamples")?;
            SplitStrategy::Bootstrap {
                num_samples: options.required("numSamples", samples)?,
                sizes: read_sizes(call, options)?,
                seed: options.u64("seed")?.unwrap_or(0),
            }
        }
    })
}

fn read_sizes(call: &str, options: &mut Fields) -> Result<Sizes> {
    let given = (options.list("ratios", to_f64)?, options.list("counts", to_u64)?, options.u64("fixed")?);
    match given {
        (Some(ratios), None, None) => Ok(Sizes::Ratios(ratios)),
        (None, Some(counts), None) => Ok(Sizes::Counts(counts)),
        (None, None, Some(splits)) => Ok(Sizes::Fixed(splits)),
        (ratios, counts, fixed) => {
            let number = [ratios.is_some(), counts.is_some(), fixed.is_some()]
                .into_iter()
                .filter(|given| *given)
                .count();
            Err(invalid(format!(
                "{call} has {number} of ratios, counts and fixed; give exactly one of the three"
            )))
        }
    }
}

/// The options of an object, in the order of their names.
type Entries = BTreeMap<&'static str, Value>;

fn object(entries: Entries) -> Value {
    Value::Object(entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn shuffle_entries(shuffle: ShuffleConfig) -> Entries {
    Entries::from([("clumpSize", from_u64(shuffle.clump_size)), ("seed", from_u64(shuffle.seed))])
}

fn size_entry(sizes: &Sizes) -> (&'static str, Value) {
    match sizes {
        Sizes::Ratios(ratios) => ("ratios", ratios.clone().into()),
        Sizes::Counts(counts) => ("counts", numbers(counts)),
        Sizes::Fixed(splits) => ("fixed", from_u64(*splits)),
    }
}

fn numbers(numbers: &[u64]) -> Value {
    numbers.iter().copied().map(from_u64).collect()
}

/// The call and its options, without the names of the splits.
fn strategy_entries(split: &SplitStrategy) -> Option<(&'static str, Entries)> {
    Some(match split {
        SplitStrategy::All => return None,
        SplitStrategy::Random { sizes, shuffle } => {
            let mut options = shuffle_entries(*shuffle);
            options.extend([size_entry(sizes)]);
            ("splitRandom", options)
        }
        SplitStrategy::Sequential { sizes } => ("splitSequential", Entries::from([size_entry(sizes)])),
        SplitStrategy::Hash { columns, split_weights, discard_weight } => {
            let options = [
                ("columns", columns.clone().into()),
                ("discardWeight", from_u64(*discard_weight)),
                ("splitWeights", numbers(split_weights)),
            ];
            ("splitHash", Entries::from(options))
        }
        SplitStrategy::Calculated { calculation } => {
            ("splitCalculated", Entries::from([("calculation", calculation.clone().into())]))
        }
        SplitStrategy::Bootstrap { num_samples, sizes, seed } => {
            let options =
                [("numSamples", from_u64(*num_samples)), ("seed", from_u64(*seed)), size_entry(sizes)];
            ("bootstrapSample", Entries::from(options))
        }
    })
}
