//! Private temporary files of little-endian u64 words.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use lance_loader_order::Result;

use crate::error::{read_failed, write_failed};

/// Words that are converted at a time.
const WORDS_AT_ONCE: usize = 1024;

/// A file without a name, being written. It vanishes when it is dropped, or when the process ends in any way.
pub(super) struct WordWriter {
    file: BufWriter<File>,
}

impl WordWriter {
    pub(super) fn create(temp_dir: Option<&Path>, buffer_bytes: usize) -> Result<Self> {
        let file = match temp_dir {
            Some(folder) => tempfile::tempfile_in(folder),
            None => tempfile::tempfile(),
        };
        Ok(Self { file: BufWriter::with_capacity(buffer_bytes, file.map_err(write_failed)?) })
    }

    pub(super) fn write(&mut self, words: &[u64]) -> Result<()> {
        words.iter().try_for_each(|word| self.file.write_all(&word.to_le_bytes())).map_err(write_failed)
    }

    /// The file, for reading; the write buffer is gone.
    pub(super) fn finish(self) -> Result<WordFile> {
        let file = self.file.into_inner().map_err(|error| write_failed(error.into_error()))?;
        Ok(WordFile { file })
    }
}

/// A written file.
#[derive(Debug)]
pub(super) struct WordFile {
    file: File,
}

impl WordFile {
    /// The records of `N` words, from the first on.
    pub(super) fn records<const N: usize>(
        mut self,
        buffer_bytes: usize,
    ) -> Result<impl Iterator<Item = Result<[u64; N]>>> {
        self.file.rewind().map_err(read_failed)?;
        let mut reader = BufReader::with_capacity(buffer_bytes, self.file);
        Ok(std::iter::from_fn(move || read_record(&mut reader).transpose()))
    }

    /// The file's `at`-th word.
    pub(super) fn word_at(&self, at: u64) -> Result<u64> {
        let mut bytes = [0; 8];
        read_exact_at(&self.file, &mut bytes, at * 8).map_err(read_failed)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Fills `words` with the file's words from the `start`-th on. Any number of threads may read at once.
    pub(super) fn read_at(&self, start: u64, words: &mut [u64]) -> Result<()> {
        let mut bytes = [0_u8; WORDS_AT_ONCE * 8];
        let mut offset = start * 8;
        for chunk in words.chunks_mut(WORDS_AT_ONCE) {
            let bytes = &mut bytes[..chunk.len() * 8];
            read_exact_at(&self.file, bytes, offset).map_err(read_failed)?;
            for (word, bytes) in chunk.iter_mut().zip(bytes.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            offset += bytes.len() as u64;
        }
        Ok(())
    }
}

/// The next record, or `None` at the end of the file.
fn read_record<const N: usize>(reader: &mut impl Read) -> Result<Option<[u64; N]>> {
    let mut record = [0; N];
    let mut bytes = [0; 8];
    for (at, word) in record.iter_mut().enumerate() {
        match reader.read_exact(&mut bytes) {
            Err(error) if at == 0 && error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other.map_err(read_failed)?,
        }
        *word = u64::from_le_bytes(bytes);
    }
    Ok(Some(record))
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[read..];
        offset += read as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use lance_loader_order::Code;

    use super::*;

    #[test]
    fn words_come_back_as_records_and_from_any_place() {
        let words: Vec<u64> = (0..5_000).map(|n| n * 0x0101_0101_0101).collect();
        let mut writer = WordWriter::create(None, 64).unwrap();
        words.chunks(7).for_each(|chunk| writer.write(chunk).unwrap());
        let file = writer.finish().unwrap();
        let mut out = vec![0; 3_000];
        file.read_at(1_500, &mut out).unwrap();
        assert_eq!(out, words[1_500..4_500]);
        assert_eq!(file.word_at(4_999).unwrap(), words[4_999]);
        assert_eq!(file.word_at(5_000).unwrap_err().code(), Code::ReadFailed);
        assert_eq!(file.read_at(4_000, &mut out).unwrap_err().code(), Code::ReadFailed);
        let records: Vec<[u64; 2]> = file.records(64).unwrap().collect::<Result<_>>().unwrap();
        assert_eq!(records.concat(), words);
    }

    #[test]
    fn a_folder_that_does_not_exist_is_a_write_error_with_its_cause() {
        let error = WordWriter::create(Some(Path::new("/does/not/exist")), 64).err().unwrap();
        assert_eq!(error.code(), Code::WriteFailed);
        assert!(std::error::Error::source(&error).is_some());
    }
}
