//! What was packed, and how much of it the consumer was handed.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lance_loader_order::{Code, Error, Result};
use lance_loader_packing::{PackState, PackStats, Packer, Progress, SplitProgress, Token};

/// A packer and where its consumer stands behind it, block by block.
///
/// The packer keeps the tokens from where the consumer stands, so that a state can be taken there at any time.
pub(super) struct Ledger<T> {
    pub(super) packer: Packer<T>,
    /// What was handed over.
    handed: Progress,
    handed_blocks: u64,
    /// The blocks behind: each one's split, counted from the first owned one, and how far that split is after it.
    ahead: VecDeque<(usize, SplitProgress)>,
}

/// The same for tokens of any type, from the consumer's thread.
pub(super) trait Handed: Send + Sync {
    /// Counts blocks as handed over: `blocks` since the start of the read.
    fn hand_over(&self, blocks: u64) -> Result<()>;
    /// The state of what was handed over.
    fn state(&self) -> Result<PackState>;
    /// The totals of what was handed over.
    fn stats(&self) -> PackStats;
}

impl<T: Token> Ledger<T> {
    /// A consumer that stands where the packer does.
    pub(super) fn new(packer: Packer<T>) -> Self {
        let handed = packer.progress();
        Self { packer, handed, handed_blocks: 0, ahead: VecDeque::new() }
    }

    /// Notes that a block of `split` was packed.
    pub(super) fn packed(&mut self, split: u32) -> Result<()> {
        let offset = (split - self.packer.owned().start) as usize;
        self.ahead.push_back((offset, self.packer.split_progress(split)?));
        Ok(())
    }

    fn hand_over(&mut self, blocks: u64) -> Result<()> {
        let Some(newly) = blocks.checked_sub(self.handed_blocks).filter(|&newly| newly > 0) else {
            return Ok(());
        };
        let known = usize::try_from(newly).ok().filter(|&newly| newly <= self.ahead.len());
        let known = known.ok_or_else(|| {
            Error::new(Code::Internal, format!("{newly} blocks were handed over of {}", self.ahead.len()))
        })?;
        for (offset, split) in self.ahead.drain(..known) {
            self.handed.advance(offset, split);
        }
        self.handed_blocks = blocks;
        self.packer.release(&self.handed)
    }
}

/// The ledger, for the time that the guard lives.
pub(super) fn lock<T>(ledger: &Mutex<Ledger<T>>) -> MutexGuard<'_, Ledger<T>> {
    // A panic while it is held is an error that ends the read, and nothing is packed behind it.
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Token + Send> Handed for Mutex<Ledger<T>> {
    fn hand_over(&self, blocks: u64) -> Result<()> {
        lock(self).hand_over(blocks)
    }

    fn state(&self) -> Result<PackState> {
        let ledger = lock(self);
        ledger.packer.state(&ledger.handed)
    }

    fn stats(&self) -> PackStats {
        let ledger = lock(self);
        ledger.packer.stats(&ledger.handed)
    }
}
