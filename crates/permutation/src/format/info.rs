//! What a permutation table says about itself, in the metadata of its schema.

use std::collections::HashMap;

use arrow_schema::{DataType, Field, Schema};
use lance_loader_order::{Error, ORDER_VERSION, Result};

use super::{ROW_ID, SPLIT_ID};
use crate::config::PermutationConfig;
use crate::error::invalid;
use crate::hash::HASH_VERSION;
use crate::permutation::Permutation;

/// The version of our own keys. A reader refuses a newer one.
const FORMAT: u32 = 1;

const SPLIT_NAMES: &str = "split_names";
const BASE_VERSION: &str = "base_version";
const BASE_BRANCH: &str = "base_branch";
const OWN_FORMAT: &str = "lance_loader.format";
const OWN_ORDER_VERSION: &str = "lance_loader.order_version";
const OWN_HASH_VERSION: &str = "lance_loader.hash_version";
const OWN_SPLIT_LENGTHS: &str = "lance_loader.split_lengths";
const OWN_CONFIG: &str = "lance_loader.config";

/// The metadata of a permutation table. Nothing of the base table's own metadata is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableInfo {
    /// The names of the first splits; in our tables of all splits.
    pub split_names: Option<Vec<String>>,
    /// The version of the base table that the row ids belong to. Old tables of Python `LanceDB` have none.
    pub base_version: Option<u64>,
    /// The branch that the version is counted on. None: main.
    pub base_branch: Option<String>,
    /// What only our tables say.
    pub own: Option<OwnInfo>,
}

/// How one of our tables was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnInfo {
    /// The version of the order algorithm.
    pub order_version: u32,
    /// The version of the row hash.
    pub hash_version: u32,
    /// The number of rows of each split, empty splits included.
    pub split_lengths: Vec<u64>,
    /// The canonical text of the [`PermutationConfig`], seeds included.
    pub config: String,
}

impl TableInfo {
    /// What the table of `permutation` says.
    pub fn new(
        permutation: &Permutation,
        config: &PermutationConfig,
        base_version: u64,
        base_branch: Option<String>,
    ) -> Self {
        let split_lengths = (0..permutation.num_splits()).map(|split| permutation.len_of(split)).collect();
        Self {
            split_names: permutation.names().map(<[String]>::to_vec),
            base_version: Some(base_version),
            base_branch,
            own: Some(OwnInfo {
                order_version: ORDER_VERSION,
                hash_version: HASH_VERSION,
                split_lengths,
                config: config.to_json(),
            }),
        }
    }

    /// The schema of the table: the two columns and the metadata.
    pub fn schema(&self) -> Schema {
        let fields = [ROW_ID, SPLIT_ID].map(|name| Field::new(name, DataType::UInt64, false));
        let mut metadata = HashMap::new();
        let mut put = |key: &str, value: String| metadata.insert(key.to_owned(), value);
        if let Some(names) = &self.split_names {
            put(SPLIT_NAMES, serde_json::json!(names).to_string());
        }
        if let Some(version) = self.base_version {
            put(BASE_VERSION, version.to_string());
        }
        if let Some(branch) = &self.base_branch {
            put(BASE_BRANCH, branch.clone());
        }
        if let Some(own) = &self.own {
            put(OWN_FORMAT, FORMAT.to_string());
            put(OWN_ORDER_VERSION, own.order_version.to_string());
            put(OWN_HASH_VERSION, own.hash_version.to_string());
            put(OWN_SPLIT_LENGTHS, serde_json::json!(own.split_lengths).to_string());
            put(OWN_CONFIG, own.config.clone());
        }
        Schema::new_with_metadata(fields.to_vec(), metadata)
    }

    /// Reads the metadata of a stored table, ours or Python `LanceDB`'s.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for values that can't be read, and for a table of a newer format.
    pub fn from_schema(schema: &Schema) -> Result<Self> {
        let metadata = Metadata(&schema.metadata);
        Ok(Self {
            split_names: metadata.json(SPLIT_NAMES, "a JSON list of strings")?,
            base_version: metadata.number(BASE_VERSION)?,
            base_branch: metadata.text(BASE_BRANCH),
            own: metadata.own()?,
        })
    }
}

/// The metadata of a table, read key by key.
struct Metadata<'a>(&'a HashMap<String, String>);

impl Metadata<'_> {
    fn own(&self) -> Result<Option<OwnInfo>> {
        let Some(format) = self.number::<u32>(OWN_FORMAT)? else { return Ok(None) };
        if format > FORMAT {
            return Err(invalid(format!(
                "the permutation table has {OWN_FORMAT} {format}, newer than {FORMAT}; update lance-loader"
            )));
        }
        let lacks = |key: &str| {
            invalid(format!("the permutation table's metadata lacks {key}; build the table anew"))
        };
        Ok(Some(OwnInfo {
            order_version: self.number(OWN_ORDER_VERSION)?.ok_or_else(|| lacks(OWN_ORDER_VERSION))?,
            hash_version: self.number(OWN_HASH_VERSION)?.ok_or_else(|| lacks(OWN_HASH_VERSION))?,
            split_lengths: self
                .json(OWN_SPLIT_LENGTHS, "a JSON list of whole numbers")?
                .ok_or_else(|| lacks(OWN_SPLIT_LENGTHS))?,
            config: self.text(OWN_CONFIG).ok_or_else(|| lacks(OWN_CONFIG))?,
        }))
    }

    fn text(&self, key: &str) -> Option<String> {
        self.0.get(key).cloned()
    }

    fn number<T: std::str::FromStr>(&self, key: &str) -> Result<Option<T>> {
        let read = |text: &String| text.parse().map_err(|_| malformed(key, text, "a whole number"));
        self.0.get(key).map(read).transpose()
    }

    fn json<T: serde::de::DeserializeOwned>(&self, key: &str, allowed: &str) -> Result<Option<T>> {
        let read = |text: &String| {
            serde_json::from_str(text).map_err(|cause| malformed(key, text, allowed).with_cause(cause))
        };
        self.0.get(key).map(read).transpose()
    }
}

fn malformed(key: &str, value: &str, allowed: &str) -> Error {
    invalid(format!("the permutation table's metadata {key} is {value:?}; it must be {allowed}"))
}
