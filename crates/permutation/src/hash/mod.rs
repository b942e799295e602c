//! The hash of a row's values and the split that follows from it.

mod nested;
mod split;
mod state;
#[cfg(test)]
mod tests;
mod values;

pub use split::HashSplit;

use arrow_array::RecordBatch;
use lance_loader_order::{Code, Error, Result};

use state::State;

/// The version of the hash, recorded in permutation tables. What changes a hash value changes it.
pub const HASH_VERSION: u32 = 1;

/// The hash of the values of `columns`, in that order, of each row of `batch`.
///
/// The hash is ours: integers only, the same on every platform, described to the bit in `docs/formats/hash.md`. It is
/// a function of the values and not of how they are stored: widths, offsets, views, dictionaries, units of time and
/// nulls below nulls do not matter; -0 is 0, all NaN are one, null is a value. Takes O(bytes) time and 8 bytes of
/// memory a row.
///
/// # Errors
/// `UNKNOWN_COLUMN` for a column that `batch` lacks, `UNSUPPORTED_TYPE` for a type that has no hash (maps, unions,
/// run-end encoding, nesting deeper than 64).
pub fn hash_rows(batch: &RecordBatch, columns: &[impl AsRef<str>]) -> Result<Vec<u64>> {
    let mut states = vec![State::start(); batch.num_rows()];
    for name in columns.iter().map(AsRef::as_ref) {
        let Some(column) = batch.column_by_name(name) else {
            return Err(Error::new(
                Code::UnknownColumn,
                format!("columns names {name:?}, which the table does not have"),
            ));
        };
        let values = nested::values(column).map_err(|found| {
            let message = format!(
                "column {name:?} has type {found}, which has no hash; split by another column or by splitCalculated"
            );
            Error::new(Code::UnsupportedType, message)
        })?;
        values.absorb_all(&mut states);
    }
    Ok(states.into_iter().map(State::finish).collect())
}
