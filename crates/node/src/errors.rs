//! Errors on their way to JavaScript.

use std::any::Any;
use std::error::Error as StdError;
use std::panic::{AssertUnwindSafe, catch_unwind};

use lance_loader_order::{Code, Error};
use napi::Status;

/// The code of an error, in the place where Node-API carries a status: it becomes `error.code`.
#[derive(Clone, Copy, Debug)]
pub struct ErrorCode(Code);

impl AsRef<str> for ErrorCode {
    fn as_ref(&self) -> &str {
        self.0.as_str()
    }
}

/// How many causes of an error cross.
const MAX_CAUSES: usize = 8;

/// An error of the core as one that can be thrown: its code, its message and its causes.
pub(crate) fn to_js(error: &Error) -> napi::Error<ErrorCode> {
    let mut js = napi::Error::new(ErrorCode(error.code()), error.message());
    if let Some(cause) = error.source() {
        js.set_cause(cause_of(cause, MAX_CAUSES));
    }
    js
}

/// A failed Node-API call.
pub(crate) fn from_napi(error: &napi::Error) -> napi::Error<ErrorCode> {
    napi::Error::new(ErrorCode(Code::Internal), format!("a call of the JavaScript runtime failed: {error}"))
}

/// Runs `work`; a panic becomes an `INTERNAL` error instead of ending the process.
pub(crate) fn guarded<T>(work: impl FnOnce() -> lance_loader_order::Result<T>) -> napi::Result<T, ErrorCode> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|error| to_js(&error)),
        Err(panic) => Err(to_js(&panicked(panic.as_ref()))),
    }
}

/// The error for a panic of the loader.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::new(
        Code::Internal,
        format!("the loader panicked: {}. Please report this", text.unwrap_or("(no message)")),
    )
}

fn cause_of(cause: &(dyn StdError + 'static), left: usize) -> napi::Error {
    let mut js = napi::Error::new(Status::GenericFailure, cause.to_string());
    if let Some(next) = cause.source().filter(|_| left > 1) {
        js.set_cause(cause_of(next, left - 1));
    }
    js
}
