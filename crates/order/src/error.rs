//! The one error type of the workspace: a stable code, a message that names the way out, and the cause.

use std::error::Error as StdError;
use std::fmt;

/// The stable codes of errors. JavaScript sees the same names (`LanceLoaderError.code`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// An argument has a value that is not allowed.
    InvalidArgument,
    /// The table does not exist at the place that was named.
    TableNotFound,
    /// The version of the table does not exist, or was cleaned up.
    VersionNotFound,
    /// A column that the table does not have.
    UnknownColumn,
    /// A filter that does not parse, or does not fit the schema.
    InvalidFilter,
    /// There are fewer rows than splits.
    TooFewRows,
    /// A source that the loader can't open by itself.
    UnsupportedSource,
    /// A column type that can't be delivered.
    UnsupportedType,
    /// A batch whose strings, bytes or items pass 2^31 - 1.
    BatchTooLarge,
    /// Rows that were asked for did not come back.
    RowsMissing,
    /// A read of the table failed.
    ReadFailed,
    /// A write failed.
    WriteFailed,
    /// A name that exists already.
    AlreadyExists,
    /// The work was cancelled by its user.
    Aborted,
    /// The object was closed.
    Closed,
    /// A defect of the loader itself: please report it.
    Internal,
}

impl Code {
    /// Every code, in the order of the committed list that the tests compare.
    pub const ALL: [Self; 16] = [
        Self::InvalidArgument,
        Self::TableNotFound,
        Self::VersionNotFound,
        Self::UnknownColumn,
        Self::InvalidFilter,
        Self::TooFewRows,
        Self::UnsupportedSource,
        Self::UnsupportedType,
        Self::BatchTooLarge,
        Self::RowsMissing,
        Self::ReadFailed,
        Self::WriteFailed,
        Self::AlreadyExists,
        Self::Aborted,
        Self::Closed,
        Self::Internal,
    ];

    /// The name that crosses to JavaScript.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::TableNotFound => "TABLE_NOT_FOUND",
            Self::VersionNotFound => "VERSION_NOT_FOUND",
            Self::UnknownColumn => "UNKNOWN_COLUMN",
            Self::InvalidFilter => "INVALID_FILTER",
            Self::TooFewRows => "TOO_FEW_ROWS",
            Self::UnsupportedSource => "UNSUPPORTED_SOURCE",
            Self::UnsupportedType => "UNSUPPORTED_TYPE",
            Self::BatchTooLarge => "BATCH_TOO_LARGE",
            Self::RowsMissing => "ROWS_MISSING",
            Self::ReadFailed => "READ_FAILED",
            Self::WriteFailed => "WRITE_FAILED",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::Aborted => "ABORTED",
            Self::Closed => "CLOSED",
            Self::Internal => "INTERNAL",
        }
    }
}

/// An error with a stable [`Code`] and the error that caused it.
#[derive(Clone, Debug)]
pub struct Error {
    code: Code,
    message: String,
    cause: Option<std::sync::Arc<dyn StdError + Send + Sync>>,
}

/// The result of everything that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error with no cause.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), cause: None }
    }

    /// The same error with its cause kept.
    #[must_use]
    pub fn with_cause(mut self, cause: impl StdError + Send + Sync + 'static) -> Self {
        self.cause = Some(std::sync::Arc::new(cause));
        self
    }

    /// The stable code.
    pub const fn code(&self) -> Code {
        self.code
    }

    /// What went wrong and the way out, without the cause.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.cause.as_deref().map(|cause| cause as &(dyn StdError + 'static))
    }
}
