//! What a snapshot is made of, as its manifest tells it.

use crate::Snapshot;

/// One fragment of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentInfo {
    /// Its number: the upper half of the row ids of its rows, where these are not stable.
    pub id: u64,
    /// The rows that are not deleted.
    pub live_rows: u64,
    /// The rows that are deleted, and still in its files.
    pub deleted_rows: u64,
    /// The number of data files.
    pub files: u64,
    /// Bytes of the data files, deleted rows included; absent where an older writer did not note them.
    pub bytes: Option<u64>,
}

impl Snapshot {
    /// The fragments, in storage order. Reads nothing.
    pub fn fragments(&self) -> Vec<FragmentInfo> {
        let fragments = self.dataset().fragments();
        let live = self.rows().live_by_fragment();
        fragments
            .iter()
            .zip(live)
            .map(|(fragment, (live_rows, deleted_rows))| FragmentInfo {
                id: fragment.id,
                live_rows,
                deleted_rows,
                files: fragment.files.len() as u64,
                bytes: fragment
                    .files
                    .iter()
                    .map(|file| file.file_size_bytes.get().map(std::num::NonZero::get))
                    .sum(),
            })
            .collect()
    }

    /// Whether rows keep their ids when they are moved.
    pub fn has_stable_row_ids(&self) -> bool {
        self.dataset().manifest().uses_stable_row_ids()
    }
}
