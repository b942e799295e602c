//! A private file of blocks.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use lance_loader_order::{Code, Error, Result};

use crate::checksum::checksum;
use crate::gather::{AlignedBuffer, Block};
use crate::positioned::{read_at, write_at};

/// Blocks in a file without a name, which only this process can reach. It vanishes when it is dropped, or when the process ends in any way.
#[derive(Debug)]
pub(super) struct BlockFile {
    file: File,
    /// Behind the last block.
    end: AtomicU64,
    max_bytes: u64,
}

/// Where a block lies and what it must be.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredBlock {
    offset: u64,
    layout_words: usize,
    data_bytes: usize,
    rows: usize,
    /// Of the data.
    checksum: u64,
    layout_checksum: u64,
}

impl StoredBlock {
    /// The rows of the block.
    pub(super) const fn rows(&self) -> usize {
        self.rows
    }
}

impl BlockFile {
    /// An empty file in `folder` that may grow to `max_bytes`.
    ///
    /// # Errors
    /// `WRITE_FAILED` where the folder takes no file.
    pub(super) fn create(folder: &Path, max_bytes: u64) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(|cause| {
            let message = format!(
                "scratchDir is {}, where no file can be made ({cause}): name a folder on a local disk that may be written",
                folder.display()
            );
            Error::new(Code::WriteFailed, message).with_cause(cause)
        })?;
        Ok(Self { file, end: AtomicU64::new(0), max_bytes })
    }

    /// Writes a block behind the last one.
    ///
    /// # Errors
    /// `WRITE_FAILED` where the disk or `scratchBytes` is full.
    pub(super) fn append(&self, block: &Block) -> Result<StoredBlock> {
        let layout: Vec<u8> = block.layout().iter().flat_map(|word| word.to_le_bytes()).collect();
        let data = block.data().as_slice();
        let bytes = (layout.len() as u64).saturating_add(data.len() as u64);
        let (data_checksum, layout_checksum) = (checksum(data), checksum(&layout));
        let offset = self.reserve(bytes)?;
        let written = write_at(&self.file, &layout, offset)
            .and_then(|()| write_at(&self.file, data, offset + layout.len() as u64));
        written.map_err(|cause| {
            let message = format!(
                "writing {bytes} bytes of scratch failed ({cause}): make room in scratchDir, name another folder, or use fetch: \"take\""
            );
            Error::new(Code::WriteFailed, message).with_cause(cause)
        })?;
        Ok(StoredBlock {
            offset,
            layout_words: block.layout().len(),
            data_bytes: data.len(),
            rows: block.rows(),
            checksum: data_checksum,
            layout_checksum,
        })
    }

    /// Reads a block back.
    ///
    /// # Errors
    /// `READ_FAILED` where it can't be read, or is not what was written.
    pub(super) fn read(&self, stored: &StoredBlock) -> Result<Block> {
        let mut layout = vec![0; stored.layout_words.saturating_mul(8)];
        let mut data = AlignedBuffer::zeroed(stored.data_bytes)?;
        let read = read_at(&self.file, &mut layout, stored.offset).and_then(|()| {
            read_at(&self.file, data.as_mut_slice(), stored.offset + stored.layout_words as u64 * 8)
        });
        read.map_err(|cause| {
            Error::new(Code::ReadFailed, format!("reading the scratch file failed: {cause}"))
                .with_cause(cause)
        })?;
        if checksum(&layout) != stored.layout_checksum || checksum(data.as_slice()) != stored.checksum {
            let message = "the scratch file came back other than it was written: the disk of scratchDir is damaged, name another";
            return Err(Error::new(Code::ReadFailed, message));
        }
        let layout = layout.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        Ok(Block::new(data, layout, stored.rows))
    }

    /// A place for `bytes` bytes behind the last block.
    fn reserve(&self, bytes: u64) -> Result<u64> {
        let end_of = |offset: u64| offset.checked_add(bytes).filter(|end| *end <= self.max_bytes);
        self.end.fetch_update(Ordering::Relaxed, Ordering::Relaxed, end_of).map_err(|_| {
            let message = format!(
                "an epoch's rows need more than the {} bytes of scratch that scratchBytes allows: allow more, or use fetch: \"take\"",
                self.max_bytes
            );
            Error::new(Code::WriteFailed, message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(byte: u8) -> Block {
        let mut data = AlignedBuffer::zeroed(64).unwrap();
        data.as_mut_slice().fill(byte);
        Block::new(data, vec![1, u64::from(byte)], 3)
    }

    #[test]
    fn blocks_come_back_in_any_order_and_a_damaged_one_does_not() {
        let file = BlockFile::create(&std::env::temp_dir(), 1000).unwrap();
        let stored = [7, 8].map(|byte| file.append(&block(byte)).unwrap());
        for (place, byte) in [(1, 8), (0, 7), (1, 8)] {
            let read = file.read(&stored[place]).unwrap();
            assert_eq!((read.data().as_slice(), read.rows()), ([byte; 64].as_slice(), 3));
            assert_eq!(read.layout(), [1, u64::from(byte)]);
        }
        write_at(&file.file, &[0], stored[1].offset + 20).unwrap();
        assert_eq!(file.read(&stored[1]).unwrap_err().code(), Code::ReadFailed);
        file.read(&stored[0]).unwrap();
        write_at(&file.file, &[9], stored[0].offset + 2).unwrap();
        assert_eq!(file.read(&stored[0]).unwrap_err().code(), Code::ReadFailed);
    }

    #[test]
    fn a_file_grows_no_further_than_it_may() {
        let file = BlockFile::create(&std::env::temp_dir(), 2 * (64 + 16) + 79).unwrap();
        let stored = file.append(&block(1)).unwrap();
        file.append(&block(2)).unwrap();
        assert_eq!(file.append(&block(3)).unwrap_err().code(), Code::WriteFailed);
        file.read(&stored).unwrap();
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = BlockFile::create(Path::new("/does/not/exist"), 1).unwrap_err();
        assert_eq!(error.code(), Code::WriteFailed);
        assert!(error.to_string().contains("/does/not/exist"), "{error}");
    }
}
