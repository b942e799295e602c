//! The live rows of a snapshot: from ordinals to addresses and row ids, in memory of the fragments and deletions only.

use std::ops::Range;
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};
use lance::Dataset;
use lance::dataset::fragment::FileFragment;
use lance::dataset::rowids::load_row_id_sequence;
use lance_core::utils::address::RowAddress;
use lance_loader_order::{Code, Error, Result};
use lance_table::rowids::RowIdSequence;

use crate::errors::read_failed;

/// How many fragments' metadata are read at a time.
const METADATA_READS: usize = 64;

/// The live rows of one fragment.
#[derive(Debug)]
struct FragmentRows {
    id: u32,
    first_ordinal: u64,
    live: u64,
    /// For the i-th deleted offset d, the number `d - i` of live rows before it; ascending.
    live_before_deleted: Box<[u32]>,
    /// The stable row ids, where the table has them.
    row_ids: Option<Arc<RowIdSequence>>,
}

impl FragmentRows {
    /// The physical offset of the n-th live row.
    fn offset_of(&self, n: u32) -> u32 {
        n + self.live_before_deleted.partition_point(|&live| live <= n) as u32
    }

    /// The number of live rows before a physical offset; `None` where the row at that offset is deleted.
    fn rank_of(&self, offset: u32) -> Option<u32> {
        // The i-th deleted offset is live_before_deleted[i] + i, and ascends strictly.
        let mut low = 0;
        let mut high = self.live_before_deleted.len();
        while low < high {
            let middle = low + (high - low) / 2;
            let deleted = u64::from(*self.live_before_deleted.get(middle)?) + middle as u64;
            match deleted.cmp(&u64::from(offset)) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return None,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Some(offset - low as u32)
    }
}

/// The live rows of a snapshot in storage order: the ordinal of a row is its index among them.
///
/// Memory: O(fragments + deleted rows), and the row-id sequences of tables with stable row ids.
#[derive(Debug)]
pub struct LiveRows {
    fragments: Vec<FragmentRows>,
    /// `(fragment id, index in fragments)`, ascending.
    by_id: Vec<(u32, usize)>,
    total: u64,
}

impl LiveRows {
    pub(crate) async fn load(dataset: &Dataset) -> Result<Self> {
        let stable = dataset.manifest().uses_stable_row_ids();
        let mut fragments: Vec<FragmentRows> = stream::iter(dataset.get_fragments())
            .map(|fragment| load_fragment(fragment, stable))
            .buffered(METADATA_READS)
            .try_collect()
            .await?;
        let mut total = 0;
        for fragment in &mut fragments {
            fragment.first_ordinal = total;
            total += fragment.live;
        }
        let mut by_id: Vec<_> = fragments.iter().enumerate().map(|(index, rows)| (rows.id, index)).collect();
        by_id.sort_unstable();
        Ok(Self { fragments, by_id, total })
    }

    /// The number of live rows.
    pub const fn len(&self) -> u64 {
        self.total
    }

    /// Whether the snapshot has no live row.
    pub const fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The number of fragments.
    pub fn num_fragments(&self) -> usize {
        self.fragments.len()
    }

    /// The live and the deleted rows of each fragment, in storage order.
    pub(crate) fn live_by_fragment(&self) -> impl Iterator<Item = (u64, u64)> {
        self.fragments.iter().map(|fragment| (fragment.live, fragment.live_before_deleted.len() as u64))
    }

    /// The ordinals from `start` to the end of its fragment; `None` behind the last row.
    pub(crate) fn rest_of_fragment(&self, start: u64) -> Option<Range<u64>> {
        let fragment = self.fragment_of(start).ok()?;
        Some(start..fragment.first_ordinal + fragment.live)
    }

    /// Replaces each ordinal by the address of its row. Ascending runs are cheapest.
    pub fn addresses(&self, ordinals: &mut [u64]) -> Result<()> {
        self.map(ordinals, |fragment, n| Some(address(fragment.id, fragment.offset_of(n))))
    }

    /// Replaces each ordinal by its row id: the stable one where the table has them, else the address.
    pub fn row_ids(&self, ordinals: &mut [u64]) -> Result<()> {
        self.map(ordinals, |fragment, n| {
            let offset = fragment.offset_of(n);
            match &fragment.row_ids {
                Some(ids) => ids.get(offset as usize),
                None => Some(address(fragment.id, offset)),
            }
        })
    }

    /// The ordinal of the live row at an address.
    pub fn ordinal_of(&self, row_address: u64) -> Option<u64> {
        let row_address = RowAddress::from(row_address);
        let found = self.by_id.binary_search_by_key(&row_address.fragment_id(), |&(id, _)| id).ok()?;
        let fragment = self.fragments.get(self.by_id.get(found)?.1)?;
        let rank = u64::from(fragment.rank_of(row_address.row_offset())?);
        (rank < fragment.live).then_some(fragment.first_ordinal + rank)
    }

    fn map(&self, ordinals: &mut [u64], value: impl Fn(&FragmentRows, u32) -> Option<u64>) -> Result<()> {
        let mut current: Option<&FragmentRows> = None;
        for slot in ordinals {
            let ordinal = *slot;
            let fragment = match current {
                Some(fragment) if ordinal.wrapping_sub(fragment.first_ordinal) < fragment.live => fragment,
                _ => self.fragment_of(ordinal)?,
            };
            current = Some(fragment);
            let n = (ordinal - fragment.first_ordinal) as u32;
            *slot = value(fragment, n).ok_or_else(|| {
                Error::new(
                    Code::ReadFailed,
                    format!(
                        "fragment {} has no row id for its live row {n}: the table's row ids are damaged",
                        fragment.id
                    ),
                )
            })?;
        }
        Ok(())
    }

    fn fragment_of(&self, ordinal: u64) -> Result<&FragmentRows> {
        let after = self.fragments.partition_point(|fragment| fragment.first_ordinal <= ordinal);
        // Empty fragments share their first ordinal with the next one, which is the last of them here.
        self.fragments.get(after.wrapping_sub(1)).filter(|_| ordinal < self.total).ok_or_else(|| {
            Error::new(
                Code::InvalidArgument,
                format!("row {ordinal} is outside the table, which has {} live rows", self.total),
            )
        })
    }
}

fn address(fragment: u32, offset: u32) -> u64 {
    u64::from(RowAddress::new_from_parts(fragment, offset))
}

async fn load_fragment(fragment: FileFragment, stable: bool) -> Result<FragmentRows> {
    let what = "reading the table's fragments";
    let physical = fragment.physical_rows().await.map_err(|error| read_failed(what, error))?;
    let deleted = fragment.get_deletion_vector().await.map_err(|error| read_failed(what, error))?;
    let mut offsets: Vec<u32> = deleted.map(|deleted| deleted.iter().collect()).unwrap_or_default();
    offsets.sort_unstable();
    let live = (physical as u64).checked_sub(offsets.len() as u64).ok_or_else(|| {
        Error::new(
            Code::ReadFailed,
            format!("fragment {} has {physical} rows and {} deleted ones", fragment.id(), offsets.len()),
        )
    })?;
    for (index, offset) in offsets.iter_mut().enumerate() {
        *offset -= index as u32;
    }
    let row_ids = if stable {
        let ids = load_row_id_sequence(fragment.dataset(), fragment.metadata()).await;
        Some(ids.map_err(|error| read_failed(what, error))?)
    } else {
        None
    };
    Ok(FragmentRows {
        id: fragment.id() as u32,
        first_ordinal: 0,
        live,
        live_before_deleted: offsets.into_boxed_slice(),
        row_ids,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragment(id: u32, first_ordinal: u64, physical: u32, deleted: &[u32]) -> FragmentRows {
        FragmentRows {
            id,
            first_ordinal,
            live: u64::from(physical) - deleted.len() as u64,
            live_before_deleted: deleted
                .iter()
                .enumerate()
                .map(|(index, offset)| offset - index as u32)
                .collect(),
            row_ids: None,
        }
    }

    fn rows() -> LiveRows {
        // Storage order is not the order of the ids; fragment 2 has lost all its rows.
        let fragments = vec![
            fragment(7, 0, 6, &[0, 1, 4]),
            fragment(2, 3, 2, &[0, 1]),
            fragment(3, 3, 3, &[]),
            fragment(9, 6, 4, &[3]),
        ];
        let mut by_id: Vec<_> = fragments.iter().enumerate().map(|(index, rows)| (rows.id, index)).collect();
        by_id.sort_unstable();
        LiveRows { fragments, by_id, total: 9 }
    }

    #[test]
    fn ordinals_skip_deleted_rows_in_storage_order() {
        let mut ordinals: Vec<u64> = (0..9).collect();
        rows().addresses(&mut ordinals).unwrap();
        let expected: Vec<u64> = [(7, 2), (7, 3), (7, 5), (3, 0), (3, 1), (3, 2), (9, 0), (9, 1), (9, 2)]
            .map(|(f, o)| address(f, o))
            .to_vec();
        assert_eq!(ordinals, expected);
    }

    #[test]
    fn ordinals_map_in_any_order_and_back() {
        let rows = rows();
        let order = [8, 0, 3, 3, 5, 2, 7, 1, 6, 4];
        let mut addresses = order;
        rows.addresses(&mut addresses).unwrap();
        let back: Vec<_> = addresses.iter().map(|&address| rows.ordinal_of(address)).collect();
        assert_eq!(back, order.map(Some));
    }

    #[test]
    fn deleted_and_foreign_addresses_have_no_ordinal() {
        let rows = rows();
        for (fragment, offset) in [(7, 0), (7, 1), (7, 4), (7, 6), (2, 0), (9, 3), (5, 0)] {
            assert_eq!(rows.ordinal_of(address(fragment, offset)), None, "({fragment}, {offset})");
        }
    }

    #[test]
    fn an_ordinal_outside_the_table_is_an_error() {
        let error = rows().addresses(&mut [9]).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains("row 9"), "{error}");
    }
}
