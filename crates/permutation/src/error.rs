//! The errors that more than one part of the crate gives.

use std::io;

use lance_loader_order::{Code, Error};

/// An argument that is not allowed.
pub(crate) fn invalid(message: impl Into<String>) -> Error {
    Error::new(Code::InvalidArgument, message)
}

/// An index that must be below `len`.
pub(crate) fn outside(what: &str, index: u64, len: u64) -> Error {
    invalid(format!("{what} is {index}; it must be below {len}"))
}

/// A temporary file that could not be written.
pub(crate) fn write_failed(cause: io::Error) -> Error {
    let message = "a temporary file of the permutation could not be written; free or change tempDir";
    Error::new(Code::WriteFailed, message).with_cause(cause)
}

/// A temporary file that could not be read.
pub(crate) fn read_failed(cause: io::Error) -> Error {
    Error::new(Code::ReadFailed, "a temporary file of the permutation could not be read").with_cause(cause)
}
