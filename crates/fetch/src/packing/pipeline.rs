//! A running read of packed blocks.

use std::sync::{Arc, Mutex};

use lance_loader_order::Result;
use lance_loader_packing::{PackState, PackStats, Packer, Token};
use tokio::runtime::Handle;

use super::documents::{DocumentPlan, RowNames};
use super::ledger::{Handed, Ledger, lock};
use super::options::BlockColumns;
use super::pending_batch::PendingBatch;
use super::reader::DocumentReader;
use crate::budget::Budget;
use crate::fetcher::Fetcher;
use crate::ready_queue::{Next, ReadyQueue, Waker};
use crate::statistics::Statistics;
use crate::task::OwnedTask;

/// Where the documents of a read come from.
pub struct PackSource {
    /// The documents of the epoch.
    pub plan: DocumentPlan,
    /// Reads them: one column, of lists of integers.
    pub fetcher: Arc<dyn Fetcher>,
    /// Names the rows of bad documents.
    pub names: RowNames,
    /// What windows count against.
    pub budget: Budget,
    /// What the read counts.
    pub statistics: Arc<Statistics>,
}

/// How a read works; nothing here changes which blocks come or in which order.
#[derive(Clone, Copy, Debug)]
pub struct PackReadOptions {
    /// The tensors of a block.
    pub columns: BlockColumns,
    /// Blocks of a batch, at least 1; the last batch may be short.
    pub batch_blocks: u64,
    /// Documents of a window, or `None` to choose by the size of a row.
    pub window_rows: Option<u64>,
    /// Windows that may be under way at one time, at least 1.
    pub io_queue_depth: usize,
    /// Bytes of batches that may wait; one batch always may.
    pub ready_bytes: u64,
}

/// Batches of blocks. Dropping or closing it cancels its reads and frees what waits; its state stays.
pub struct PackPipeline {
    queue: Arc<ReadyQueue>,
    driver: OwnedTask<()>,
    handed: Arc<dyn Handed>,
}

impl PackPipeline {
    /// Starts reading, from where `packer` stands.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a packer of other splits than the plan's.
    pub fn start<T: Token + Send + Sync>(
        runtime: &Handle,
        source: PackSource,
        packer: Packer<T>,
        options: PackReadOptions,
    ) -> Result<Self> {
        let queue = Arc::new(ReadyQueue::new(options.ready_bytes, source.statistics.clone()));
        let reader = DocumentReader::new(runtime, source, &options, &packer)?;
        let length = packer.options().length;
        let ledger = Arc::new(Mutex::new(Ledger::new(packer)));
        let driver = Driver { reader, ledger: ledger.clone(), queue: queue.clone(), length, options };
        let finished = queue.clone();
        let work = OwnedTask::spawn(runtime, driver.run());
        let driver = OwnedTask::spawn(runtime, async move {
            finished.finish(work.join().await);
            Ok(())
        });
        Ok(Self { queue, driver, handed: ledger })
    }

    /// Takes the batches that are ready, up to `max_blocks` blocks but at least one batch. `handed` blocks of this read have gone to the
    /// consumer: the tokens before them are let go.
    ///
    /// An error comes behind the blocks before it, and again at every later call.
    pub fn take(&self, max_blocks: u64, handed: u64) -> Result<Next> {
        self.handed.hand_over(handed)?;
        self.queue.take(max_blocks)
    }

    /// Calls `waker` once, from any thread, as soon as [`Self::take`] would not answer `Pending`.
    pub fn on_ready(&self, waker: Waker) {
        self.queue.on_ready(waker);
    }

    /// The state once `handed` blocks of this read have gone to the consumer; no fewer than said before.
    pub fn state(&self, handed: u64) -> Result<PackState> {
        self.handed.hand_over(handed)?;
        self.handed.state()
    }

    /// The totals of the epoch at the same point.
    pub fn stats(&self, handed: u64) -> Result<PackStats> {
        self.handed.hand_over(handed)?;
        Ok(self.handed.stats())
    }

    /// Cancels the reads and frees what waits. Closing again changes nothing.
    pub fn close(&self) {
        self.driver.cancel();
        self.queue.close();
    }
}

impl Drop for PackPipeline {
    fn drop(&mut self) {
        self.close();
    }
}

struct Driver<T> {
    reader: DocumentReader,
    ledger: Arc<Mutex<Ledger<T>>>,
    queue: Arc<ReadyQueue>,
    length: u64,
    options: PackReadOptions,
}

impl<T: Token + Send + Sync> Driver<T> {
    async fn run(mut self) -> Result<()> {
        loop {
            let left = lock(&self.ledger).packer.blocks_left();
            if left == 0 {
                return Ok(());
            }
            let blocks = self.options.batch_blocks.clamp(1, left);
            let mut batch = PendingBatch::new::<T>(blocks, self.length, self.options.columns)?;
            let filled = self.fill(&mut batch).await;
            // What precedes an error is handed over first.
            if let Some(block) = batch.into_block() {
                self.queue.push(block).await?;
            }
            filled?;
        }
    }

    async fn fill(&mut self, batch: &mut PendingBatch) -> Result<()> {
        while !batch.is_full() {
            let Some(wants) = self.pack(batch)? else { return Ok(()) };
            self.reader.feed(wants, &self.ledger).await?;
        }
        Ok(())
    }

    /// Packs until a split wants documents, and says which; `None` when the batch is full.
    fn pack(&mut self, batch: &mut PendingBatch) -> Result<Option<u32>> {
        let mut ledger = lock(&self.ledger);
        while !batch.is_full() {
            let Some(split) = ledger.packer.next_split() else { break };
            if ledger.packer.needs(split)? {
                return Ok(Some(split));
            }
            batch.write(&mut ledger.packer)?;
            ledger.packed(split)?;
        }
        Ok(None)
    }
}
