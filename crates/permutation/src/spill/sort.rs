//! Puts rows in storage order with bounded memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use lance_loader_order::Result;

use super::options::SpillOptions;
use super::temp_file::{WordFile, WordWriter};

/// The fewest records that are sorted at once, whatever the limit: 4 KiB of them.
const MIN_RECORDS: u64 = 256;
const MAX_BUFFER_WORDS: u64 = 32 << 10;

/// A row and the number of its split.
pub(super) type Numbered = [u64; 2];

/// Sorts records: what fits in the limit in memory, then one run after the other, which are merged in the end (Knuth,
/// "The Art of Computer Programming", vol. 3, 5.4.1). All runs are in one file, so that their number opens no more.
pub(super) struct Sorter {
    options: SpillOptions,
    /// Records of a run: a quarter of the limit, of which a growing list takes twice.
    run_records: usize,
    run: Vec<Numbered>,
    /// Where each run ends in the file, in words.
    ends: Vec<u64>,
    file: Option<WordWriter>,
}

impl Sorter {
    pub(super) fn new(options: SpillOptions) -> Self {
        let run_records = (options.memory_limit / 4 / 16).max(MIN_RECORDS) as usize;
        Self { options, run_records, run: Vec::new(), ends: Vec::new(), file: None }
    }

    pub(super) fn push(&mut self, record: Numbered) -> Result<()> {
        self.run.push(record);
        if self.run.len() == self.run_records { self.write_run() } else { Ok(()) }
    }

    /// All records, ascending.
    pub(super) fn finish(mut self) -> Result<Box<dyn Iterator<Item = Result<Numbered>>>> {
        if self.file.is_none() {
            self.run.sort_unstable();
            return Ok(Box::new(self.run.into_iter().map(Ok)));
        }
        self.write_run()?;
        drop(std::mem::take(&mut self.run));
        let Some(file) = self.file else { return Ok(Box::new(std::iter::empty())) };
        Ok(Box::new(Merge::new(file.finish()?, &self.ends, &self.options)?))
    }

    fn write_run(&mut self) -> Result<()> {
        self.options.stop.check()?;
        self.run.sort_unstable();
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(WordWriter::create(self.options.temp_dir.as_deref(), 64 << 10)?),
        };
        self.run.iter().try_for_each(|record| file.write(record))?;
        let start = self.ends.last().copied().unwrap_or(0);
        self.ends.push(start + 2 * self.run.len() as u64);
        self.run.clear();
        Ok(())
    }
}

/// Always the least of the next records of all runs.
struct Merge {
    options: SpillOptions,
    runs: Vec<Run>,
    least: BinaryHeap<Reverse<(Numbered, usize)>>,
}

impl Merge {
    fn new(file: WordFile, ends: &[u64], options: &SpillOptions) -> Result<Self> {
        let file = Arc::new(file);
        let words = (options.memory_limit / 4 / 8 / ends.len().max(1) as u64).clamp(32, MAX_BUFFER_WORDS);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let run = |(start, &end)| Run {
            file: file.clone(),
            words: words / 2 * 2,
            next: start,
            end,
            buffer: Vec::new(),
        };
        let runs: Vec<Run> = starts.zip(ends).map(run).collect();
        let mut merge = Self { options: options.clone(), runs, least: BinaryHeap::new() };
        (0..merge.runs.len()).try_for_each(|at| merge.refill(at))?;
        Ok(merge)
    }

    /// Lets a run compete with its next record.
    fn refill(&mut self, at: usize) -> Result<()> {
        if let Some(run) = self.runs.get_mut(at)
            && let Some(record) = run.pop()?
        {
            self.least.push(Reverse((record, at)));
        }
        Ok(())
    }
}

impl Iterator for Merge {
    type Item = Result<Numbered>;

    fn next(&mut self) -> Option<Self::Item> {
        let Reverse((record, at)) = self.least.pop()?;
        Some(self.options.stop.check().and_then(|()| self.refill(at)).map(|()| record))
    }
}

/// The records of a run that are left.
struct Run {
    file: Arc<WordFile>,
    /// Words that are read at once.
    words: u64,
    next: u64,
    end: u64,
    /// What was read and is left, backwards.
    buffer: Vec<u64>,
}

impl Run {
    fn pop(&mut self) -> Result<Option<Numbered>> {
        if self.buffer.is_empty() {
            let words = self.words.min(self.end - self.next);
            self.buffer.resize(words as usize, 0);
            self.file.read_at(self.next, &mut self.buffer)?;
            self.buffer.reverse();
            self.next += words;
        }
        let row = self.buffer.pop();
        Ok(row.zip(self.buffer.pop()).map(|(row, split)| [row, split]))
    }
}
