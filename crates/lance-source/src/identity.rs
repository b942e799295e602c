//! Which table a snapshot is of, told by its files instead of its path.

use std::fmt::Write;

use lance_table::format::Fragment;
use sha2::{Digest, Sha256};

/// A digest of the names of a snapshot's data files: 32 hexadecimal digits.
///
/// Lance names data files at random, so the digest follows the data when a table is moved or copied, and no other
/// table has it.
pub(crate) fn table_identity<'a>(fragments: impl IntoIterator<Item = &'a Fragment>) -> String {
    let mut names: Vec<&str> = fragments
        .into_iter()
        .flat_map(|fragment| fragment.files.iter().map(|file| file.path.as_str()))
        .collect();
    names.sort_unstable();
    let mut digest = Sha256::new();
    for name in names {
        digest.update(name.as_bytes());
        digest.update([0]);
    }
    digest.finalize().iter().take(16).fold(String::with_capacity(32), |mut hex, byte| {
        // Writing to a string can't fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
