//! The blocks of one object.

use std::fs::File;
use std::io::Result;

use crate::checksum::checksum;
use crate::positioned::{read_at, write_at};

/// Bytes of a block; the last one of an object may be shorter.
pub const BLOCK_BYTES: u64 = 64 << 10;
/// Before each block: its checksum and the size of the object.
const HEADER_BYTES: usize = 16;
/// What a block takes on disk.
pub(super) const STORED_BYTES: u64 = BLOCK_BYTES + HEADER_BYTES as u64;

/// A block that was read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its bytes.
    pub data: Vec<u8>,
    /// The size of the whole object.
    pub object_bytes: u64,
}

/// The blocks of one object that are there, in a file with holes for the others. Processes that use it hold a lock on it, so that it stays.
#[derive(Debug)]
pub struct CachedFile {
    file: File,
}

impl CachedFile {
    pub(super) const fn new(file: File) -> Self {
        Self { file }
    }

    /// The block with the number `index`, if it is there and whole.
    pub fn read(&self, index: u64) -> Option<Block> {
        let offset = index.checked_mul(STORED_BYTES)?;
        let mut header = [0; HEADER_BYTES];
        read_at(&self.file, &mut header, offset).ok()?;
        let (sum, object_bytes) = (word(&header, 0)?, word(&header, 8)?);
        let mut data = vec![0; length(index, object_bytes)?];
        read_at(&self.file, &mut data, offset.checked_add(HEADER_BYTES as u64)?).ok()?;
        // A hole reads as zeros, and no block has the checksum 0.
        (sum == checksum_of(&data, index, object_bytes)).then_some(Block { data, object_bytes })
    }

    /// Writes the block with the number `index` of an object of `object_bytes`.
    ///
    /// # Errors
    /// Those of the disk, and `InvalidInput` for a block of the wrong length.
    pub(super) fn write(&self, index: u64, data: &[u8], object_bytes: u64) -> Result<()> {
        if length(index, object_bytes) != Some(data.len()) {
            return Err(std::io::ErrorKind::InvalidInput.into());
        }
        let mut stored = Vec::with_capacity(HEADER_BYTES + data.len());
        stored.extend_from_slice(&checksum_of(data, index, object_bytes).to_le_bytes());
        stored.extend_from_slice(&object_bytes.to_le_bytes());
        stored.extend_from_slice(data);
        write_at(&self.file, &stored, index.saturating_mul(STORED_BYTES))
    }
}

/// The bytes of a block of an object; `None` behind its end.
fn length(index: u64, object_bytes: u64) -> Option<usize> {
    let left = object_bytes.checked_sub(index.checked_mul(BLOCK_BYTES)?)?;
    usize::try_from(left.min(BLOCK_BYTES)).ok().filter(|len| *len > 0)
}

fn word(stored: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*stored.get(at..)?.first_chunk()?))
}

/// Of a block's bytes and its place, so that a block is not taken for another.
fn checksum_of(data: &[u8], index: u64, object_bytes: u64) -> u64 {
    let place = [index.to_le_bytes(), object_bytes.to_le_bytes()].concat();
    (checksum(data) ^ checksum(&place)).max(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OBJECT_BYTES: u64 = 2 * BLOCK_BYTES + 100;

    fn block(index: u64) -> Vec<u8> {
        (0..length(index, OBJECT_BYTES).unwrap()).map(|at| (at as u64 * 7 + index + 1) as u8).collect()
    }

    fn cached(indices: &[u64]) -> CachedFile {
        let file = CachedFile::new(tempfile::tempfile().unwrap());
        for &index in indices {
            file.write(index, &block(index), OBJECT_BYTES).unwrap();
        }
        file
    }

    #[test]
    fn blocks_come_back_and_holes_do_not() {
        let file = cached(&[2, 0]);
        for index in [0, 2] {
            assert_eq!(file.read(index), Some(Block { data: block(index), object_bytes: OBJECT_BYTES }));
        }
        assert_eq!([1, 3, u64::MAX].map(|index| file.read(index)), [None, None, None]);
        assert_eq!(cached(&[]).read(0), None);
    }

    #[test]
    fn a_block_of_the_wrong_length_is_refused() {
        let file = cached(&[]);
        file.write(2, &block(0), OBJECT_BYTES).unwrap_err();
        file.write(3, &[], OBJECT_BYTES).unwrap_err();
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_block_that_was_damaged_or_cut_counts_as_absent(at in 0..2 * STORED_BYTES, flip in 1..=255_u8, cut: bool) {
            let file = cached(&[0, 1]);
            if cut {
                file.file.set_len(at).unwrap();
            } else {
                let mut byte = [0];
                read_at(&file.file, &mut byte, at).unwrap();
                write_at(&file.file, &[byte[0] ^ flip], at).unwrap();
            }
            let damaged = at / STORED_BYTES;
            prop_assert_eq!(file.read(damaged), None);
            let whole = 1 - damaged;
            prop_assert_eq!(file.read(whole).is_some(), !(cut && whole > damaged));
            file.write(damaged, &block(damaged), OBJECT_BYTES).unwrap();
            prop_assert_eq!(file.read(damaged).unwrap().data, block(damaged));
        }
    }
}
