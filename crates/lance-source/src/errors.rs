//! Lance's errors, told in the loader's codes.

use lance_loader_order::{Code, Error};

/// A failed read: the code is `ReadFailed`, the cause is kept.
pub(crate) fn read_failed(what: &str, error: lance::Error) -> Error {
    Error::new(Code::ReadFailed, format!("{what} failed: {error}")).with_cause(error)
}

/// A failed open of `uri` at `version`: says whether the table or only its version is missing.
pub(crate) fn open_failed(uri: &str, version: Option<u64>, error: lance::Error) -> Error {
    match (&error, version) {
        (lance::Error::DatasetNotFound { .. } | lance::Error::VersionNotFound { .. }, Some(version))
        | (lance::Error::NotFound { .. }, Some(version)) => Error::new(
            Code::VersionNotFound,
            format!(
                "version {version} of the table {uri:?} does not exist (any more): it was never written, or was cleaned up. \
                 Open a version that exists, and keep the ones you train on with a tag"
            ),
        ),
        (lance::Error::DatasetNotFound { .. } | lance::Error::NotFound { .. }, None) => Error::new(
            Code::TableNotFound,
            format!(
                "there is no Lance table at {uri:?}. Give the path or URI of the table itself (a LanceDB table \
                 'name' lies in '<database>/name.lance')"
            ),
        ),
        (lance::Error::RefNotFound { message }, _) => Error::new(
            Code::VersionNotFound,
            format!("the branch of the table {uri:?} does not exist: {message}"),
        ),
        _ => Error::new(Code::ReadFailed, format!("opening the table {uri:?} failed: {error}")),
    }
    .with_cause(error)
}
