//! Words in memory up to a limit, in a temporary file beyond it.

use lance_loader_order::Result;

use super::options::SpillOptions;
use super::temp_file::{WordFile, WordWriter};

/// The write buffer of the file.
const BUFFER_BYTES: usize = 64 << 10;

/// What a [`WordsBuilder`] took.
#[derive(Debug)]
pub(super) enum Words {
    Memory(Vec<u64>),
    File(WordFile),
}

impl Words {
    pub(super) const fn is_on_disk(&self) -> bool {
        matches!(self, Self::File(_))
    }

    /// Fills `out` with the words from the `start`-th on, which are known to be there.
    pub(super) fn read_at(&self, start: u64, out: &mut [u64]) -> Result<()> {
        match self {
            Self::Memory(words) => {
                out.copy_from_slice(&words[start as usize..start as usize + out.len()]);
                Ok(())
            }
            Self::File(file) => file.read_at(start, out),
        }
    }

    /// The `at`-th word, which is known to be there. On disk it is one small read.
    pub(super) fn word_at(&self, at: u64) -> Result<u64> {
        match self {
            Self::Memory(words) => Ok(words[at as usize]),
            Self::File(file) => file.word_at(at),
        }
    }

    /// The records of `N` words, from the first on.
    pub(super) fn records<const N: usize>(
        self,
        buffer_bytes: usize,
    ) -> Result<Box<dyn Iterator<Item = Result<[u64; N]>>>> {
        Ok(match self {
            Self::Memory(words) => Box::new(
                (0..words.len() / N).map(move |at| Ok(std::array::from_fn(|word| words[at * N + word]))),
            ),
            Self::File(file) => Box::new(file.records(buffer_bytes)?),
        })
    }
}

/// Takes words, one after the other.
pub(super) struct WordsBuilder {
    options: SpillOptions,
    memory: Vec<u64>,
    file: Option<WordWriter>,
}

impl WordsBuilder {
    pub(super) const fn new(options: SpillOptions) -> Self {
        Self { options, memory: Vec::new(), file: None }
    }

    pub(super) fn push(&mut self, words: &[u64]) -> Result<()> {
        if let Some(file) = &mut self.file {
            return file.write(words);
        }
        // A growing list is copied, so that twice its size may be held for a moment.
        let bytes = (self.memory.len() + words.len()) as u64 * 16;
        if bytes <= self.options.memory_limit {
            self.memory.extend_from_slice(words);
            return Ok(());
        }
        let mut file = WordWriter::create(self.options.temp_dir.as_deref(), BUFFER_BYTES)?;
        file.write(&std::mem::take(&mut self.memory))?;
        file.write(words)?;
        self.file = Some(file);
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Words> {
        Ok(match self.file {
            Some(file) => Words::File(file.finish()?),
            None => Words::Memory(self.memory),
        })
    }
}
