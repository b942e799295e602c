//! Lance's errors, told in the loader's codes.

use lance_loader_order::{Code, Error};

/// A failed read: the code is `ReadFailed`, the cause is kept.
pub(crate) fn read_failed(what: &str, error: lance::Error) -> Error {
    Error::new(Code::ReadFailed, format!("{what} failed: {}", text_of(&error))).with_cause(error)
}

/// What an error says, without the places in Lance's sources: those stay in the cause.
pub(crate) fn text_of(error: &lance::Error) -> String {
    let text = error.to_string();
    text.split(", ").filter(|part| !is_source_place(part)).collect::<Vec<_>>().join(", ")
}

/// Whether a part of a message is `path.rs:line:column`.
fn is_source_place(part: &str) -> bool {
    let Some((_, place)) = part.rsplit_once(".rs:") else { return false };
    place.split(':').all(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
}

/// A failed open of `uri`: says whether the table, its branch or only the version is missing.
pub(crate) fn open_failed(
    uri: &str,
    branch: Option<&str>,
    version: Option<u64>,
    error: lance::Error,
) -> Error {
    use lance::Error::{DatasetNotFound, NotFound, RefNotFound, VersionNotFound};
    if let Some(place) = place_failed(uri, &error.to_string()) {
        return place.with_cause(error);
    }
    match (&error, branch, version) {
        (DatasetNotFound { .. }, _, None) | (NotFound { .. }, None, None) => Error::new(
            Code::TableNotFound,
            format!(
                "there is no Lance table at {uri:?}. Give the path or URI of the table itself (a LanceDB table \
                 'name' lies in '<database>/name.lance')"
            ),
        ),
        (NotFound { .. } | RefNotFound { .. }, Some(branch), None) => Error::new(
            Code::VersionNotFound,
            format!("the table {uri:?} has no branch {branch:?}. Name one that it has, or leave it out to read main"),
        ),
        (DatasetNotFound { .. } | VersionNotFound { .. } | NotFound { .. } | RefNotFound { .. }, _, Some(version)) => {
            let branch = branch.map_or_else(String::new, |branch| format!(", branch {branch:?},"));
            Error::new(
                Code::VersionNotFound,
                format!(
                    "version {version} of the table {uri:?}{branch} does not exist (any more): it was never written, or was \
                     cleaned up. Open a version that exists, and keep the ones you train on with a tag"
                ),
            )
        }
        _ => Error::new(Code::ReadFailed, format!("opening the table {uri:?} failed: {}", text_of(&error))),
    }
    .with_cause(error)
}

/// How the stores say that a bucket or a container is not there: S3 and GCS, and Azure.
const NO_BUCKET: [&str; 3] = ["NoSuchBucket", "bucket does not exist", "ContainerNotFound"];

/// What is wrong with the place itself, as far as Lance's text tells it: the error has no kind for it.
fn place_failed(uri: &str, text: &str) -> Option<Error> {
    if NO_BUCKET.iter().any(|part| text.contains(part)) {
        let message = format!(
            "the bucket of {uri:?} does not exist there: check its name, the endpoint and the account in storageOptions"
        );
        return Some(Error::new(Code::TableNotFound, message));
    }
    text.contains("No object store provider found").then(|| {
        let message =
            format!("{uri:?} is of a kind that can't be opened: give a local path, or a URI that begins with s3://, gs:// or az://");
        Error::new(Code::UnsupportedSource, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_leaves_out_the_places_in_the_sources() {
        for (part, is_place) in [
            ("/home/me/lance-14.0.2/src/dataset/scanner.rs:842:32", true),
            ("src/io.rs:7:1", true),
            ("id = 'x.rs:1:2' OR", false),
            ("a.rs:", false),
            ("column a", false),
        ] {
            assert_eq!(is_source_place(part), is_place, "{part}");
        }
    }
}
