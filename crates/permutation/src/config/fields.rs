//! The options of one builder call, read from JSON with errors that name the argument.

use lance_loader_order::Result;
use serde_json::{Map, Value};

use crate::error::invalid;

/// The largest number that JavaScript holds exactly; larger ones are written as decimal strings.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// The options that were not read yet. Null counts as left out.
pub(super) struct Fields {
    call: String,
    options: Map<String, Value>,
}

impl Fields {
    pub(super) fn new(call: &str, value: Value) -> Result<Self> {
        match value {
            Value::Object(mut options) => {
                options.retain(|_, value| !value.is_null());
                Ok(Self { call: call.to_owned(), options })
            }
            other => Err(invalid(format!("{call} is {other}; it must be an object of options"))),
        }
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.options.remove(name)
    }

    pub(super) fn string(&mut self, name: &str) -> Result<Option<String>> {
        self.take(name).map(|value| to_string(name, &value)).transpose()
    }

    pub(super) fn u64(&mut self, name: &str) -> Result<Option<u64>> {
        self.take(name).map(|value| to_u64(name, &value)).transpose()
    }

    /// A list, each item read by `read`, which is told the item's name.
    pub(super) fn list<T>(
        &mut self,
        name: &str,
        read: impl Fn(&str, &Value) -> Result<T>,
    ) -> Result<Option<Vec<T>>> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Array(items)) => {
                let items = items.into_iter().enumerate();
                items.map(|(at, item)| read(&format!("{name}[{at}]"), &item)).collect::<Result<_>>().map(Some)
            }
            Some(other) => Err(invalid(format!("{name} is {other}; it must be a list"))),
        }
    }

    /// An option that must be there.
    pub(super) fn required<T>(&self, name: &str, value: Option<T>) -> Result<T> {
        value.ok_or_else(|| invalid(format!("{} lacks {name}; it must be given", self.call)))
    }

    /// Refuses what nobody asked for: a misspelt option is no silent default.
    pub(super) fn finish(self) -> Result<()> {
        match self.options.keys().next() {
            Some(name) => {
                Err(invalid(format!("{} has an option {name:?}, which it does not know", self.call)))
            }
            None => Ok(()),
        }
    }
}

pub(super) fn to_string(name: &str, value: &Value) -> Result<String> {
    let text = value.as_str().ok_or_else(|| invalid(format!("{name} is {value}; it must be a string")))?;
    Ok(text.to_owned())
}

pub(super) fn to_f64(name: &str, value: &Value) -> Result<f64> {
    value.as_f64().ok_or_else(|| invalid(format!("{name} is {value}; it must be a number")))
}

/// A number or, above what JavaScript holds exactly, its decimal digits.
pub(super) fn to_u64(name: &str, value: &Value) -> Result<u64> {
    let number = match value {
        Value::String(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok(),
        other => other.as_u64(),
    };
    number.ok_or_else(|| invalid(format!("{name} is {value}; it must be a whole number from 0 to 2^64 - 1")))
}

/// The inverse of [`to_u64`].
pub(super) fn from_u64(number: u64) -> Value {
    if number <= MAX_SAFE { number.into() } else { number.to_string().into() }
}
