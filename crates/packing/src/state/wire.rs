//! Token ids in JSON: numbers where a double holds them exactly, decimal strings beyond.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The largest integer up to which every one is a double: 2^53 - 1.
const MAX_SAFE: u64 = (1 << 53) - 1;

struct TokenId(i64);

impl Serialize for TokenId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.unsigned_abs() <= MAX_SAFE {
            serializer.serialize_i64(self.0)
        } else {
            serializer.collect_str(&self.0)
        }
    }
}

impl<'de> Deserialize<'de> for TokenId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TokenIdVisitor).map(Self)
    }
}

struct TokenIdVisitor;

impl Visitor<'_> for TokenIdVisitor {
    type Value = i64;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a token id: a whole number of 64 bits, or one as a decimal string")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<i64, E> {
        Ok(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<i64, E> {
        i64::try_from(value).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<i64, E> {
        value.parse().map_err(|_| E::invalid_value(serde::de::Unexpected::Str(value), &self))
    }
}

/// One token id.
pub(crate) mod token_id {
    use super::{Deserialize, Deserializer, Serialize, Serializer, TokenId};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
    pub(crate) fn serialize<S: Serializer>(value: &i64, serializer: S) -> Result<S::Ok, S::Error> {
        TokenId(*value).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        TokenId::deserialize(deserializer).map(|id| id.0)
    }
}

/// A list of token ids.
pub(crate) mod token_ids {
    use super::{Deserializer, ListVisitor, Serializer, TokenId};

    pub(crate) fn serialize<S: Serializer>(values: &[i64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|&value| TokenId(value)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<i64>, D::Error> {
        deserializer.deserialize_seq(ListVisitor)
    }
}

struct ListVisitor;

impl<'de> Visitor<'de> for ListVisitor {
    type Value = Vec<i64>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of token ids")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Vec<i64>, A::Error> {
        let mut values = Vec::new();
        while let Some(TokenId(value)) = sequence.next_element()? {
            values.push(value);
        }
        Ok(values)
    }
}
