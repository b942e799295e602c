//! The values that a release may not change, read from files that other languages read too.
#![expect(clippy::unwrap_used, reason = "a golden file that can't be read fails the test")]

mod hash;
mod splits;

/// A file of `__test__/golden/permutation`.
fn golden(name: &str) -> serde_json::Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../__test__/golden/permutation/").to_owned() + name;
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// An item of a golden file.
fn list<'a>(value: &'a serde_json::Value, name: &str) -> &'a [serde_json::Value] {
    value[name].as_array().unwrap()
}

/// Numbers are decimal strings, so that every language reads them exactly.
fn number<T: std::str::FromStr<Err: std::fmt::Debug>>(value: &serde_json::Value) -> T {
    value.as_str().unwrap().parse().unwrap()
}
