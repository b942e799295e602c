//! Numbers and strings on their way in and out.

use lance_loader_order::{Code, Error, Result};
use napi::bindgen_prelude::BigInt;

/// 2^53 - 1: the largest integer that a JavaScript number holds exactly.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// A count from JavaScript: a whole number from 0 to 2^53 - 1.
pub(crate) fn count(name: &str, value: f64) -> Result<u64> {
    if value.fract() == 0.0 && (0.0..=MAX_SAFE as f64).contains(&value) {
        #[expect(clippy::cast_sign_loss, reason = "the range was checked")]
        return Ok(value as u64);
    }
    Err(Error::new(
        Code::InvalidArgument,
        format!("{name} is {value}: it must be a whole number from 0 to 2^53 - 1"),
    ))
}

/// The same, for what is a size of this platform.
pub(crate) fn size(name: &str, value: f64) -> Result<usize> {
    usize::try_from(count(name, value)?).map_err(|_| {
        Error::new(Code::InvalidArgument, format!("{name} is {value}, beyond what this platform can address"))
    })
}

/// A count to JavaScript.
pub(crate) fn number(value: u64) -> Result<f64> {
    if value <= MAX_SAFE {
        return Ok(value as f64);
    }
    Err(Error::new(
        Code::InvalidArgument,
        format!("{value} is above 2^53 - 1, the largest exact JavaScript number"),
    ))
}

/// A `bigint` from 0 to 2^64 - 1.
pub(crate) fn unsigned(name: &str, value: &BigInt) -> Result<u64> {
    match value.get_u64() {
        (false, number, true) => Ok(number),
        _ => Err(Error::new(Code::InvalidArgument, format!("{name} must be from 0 to 2^64 - 1"))),
    }
}
