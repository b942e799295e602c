//! A read of packed blocks over a fake source, and the same blocks from a packer that is fed by hand.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use lance_loader_fetch::budget::Budget;
use lance_loader_fetch::fetcher::{Fetcher, TakeFetcher};
use lance_loader_fetch::gather::Block;
use lance_loader_fetch::memory::{FetchMode, MemoryFirstFetcher, MemoryTable};
use lance_loader_fetch::packing::{
    BlockColumns, DocumentPlan, PackPipeline, PackReadOptions, PackSource, TokenDtype, packed_schema,
};
use lance_loader_fetch::ready_queue::Next;
use lance_loader_fetch::statistics::Statistics;
use lance_loader_order::{Error, Order, Remainder, Result, SplitLayout};
use lance_loader_packing::{PackMode, PackOptions, PackState, Packer};
use lance_loader_testkit::{FakeSource, PATIENCE};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Splits over a source in storage order, and how they are packed and read.
#[derive(Clone)]
pub(crate) struct Corpus {
    pub(crate) source: Arc<FakeSource>,
    pub(crate) splits: usize,
    pub(crate) pack: PackOptions,
    pub(crate) read: PackReadOptions,
    pub(crate) budget: Budget,
    pub(crate) statistics: Arc<Statistics>,
}

impl Corpus {
    /// `blocks` blocks of 8 tokens for each of `splits` splits, in batches of 3, windows of 5 documents, two at a time.
    pub(crate) fn new(source: Arc<FakeSource>, splits: usize, blocks: u64) -> Self {
        let blocks_per_epoch = blocks * splits as u64;
        Self {
            source,
            splits,
            pack: PackOptions { length: 8, eos_id: -1, pad_id: -2, blocks_per_epoch, mode: PackMode::Concat },
            read: PackReadOptions {
                columns: BlockColumns { position_ids: true, loss_mask: true, attention_lengths: true },
                batch_blocks: 3,
                window_rows: Some(5),
                io_queue_depth: 2,
                ready_bytes: u64::MAX,
            },
            budget: Budget::new(u64::MAX),
            statistics: Arc::default(),
        }
    }

    fn rows(&self) -> u64 {
        self.source.table().num_rows()
    }

    fn layout(&self) -> SplitLayout {
        SplitLayout::new(self.rows(), self.splits, Remainder::Drop).unwrap()
    }

    fn plan(&self) -> DocumentPlan {
        let order = Arc::new(Order::Storage { rows: self.rows() });
        DocumentPlan::new(order, self.layout(), 0..self.splits as u32)
    }

    fn packer(&self, state: Option<&PackState>) -> Packer<i32> {
        let (documents, owned) = (self.plan().documents_per_split(), self.plan().owned());
        match state {
            Some(state) => Packer::resume(self.pack, &documents, owned, state).unwrap(),
            None => Packer::new(self.pack, &documents, owned).unwrap(),
        }
    }

    /// Starts a read by takes, from a state on.
    pub(crate) fn take(&self, state: Option<&PackState>) -> PackPipeline {
        self.start(Arc::new(TakeFetcher::new(self.source.clone(), None, self.statistics.clone())), state)
    }

    /// Starts a read from memory.
    pub(crate) fn memory(&self) -> PackPipeline {
        let (source, budget) = (self.source.clone(), self.budget.clone());
        let table = Arc::new(MemoryTable::new(source, None, budget, self.statistics.clone()));
        self.start(Arc::new(MemoryFirstFetcher::new(FetchMode::Memory, table)), None)
    }

    fn start(&self, fetcher: Arc<dyn Fetcher>, state: Option<&PackState>) -> PackPipeline {
        let source = PackSource {
            plan: self.plan(),
            fetcher,
            names: Arc::new(Ok),
            budget: self.budget.clone(),
            statistics: self.statistics.clone(),
        };
        PackPipeline::start(&Handle::current(), source, self.packer(state), self.read).unwrap()
    }

    /// The blocks in words: cycle by cycle, each split's stream of tokens in pieces of a block's length.
    pub(crate) fn expected(&self) -> Vec<Vec<i32>> {
        let length = self.pack.length as usize;
        let cycles = self.pack.blocks_per_epoch as usize / self.splits;
        let layout = self.layout();
        let mut streams: Vec<_> = (0..self.splits)
            .map(|split| {
                let documents = layout.start_of(split)..layout.start_of(split + 1);
                documents.flat_map(|row| self.document(row)).chain(std::iter::repeat(-2))
            })
            .collect();
        let block = |stream: &mut dyn Iterator<Item = i32>| stream.take(length).collect();
        (0..cycles).flat_map(|_| streams.iter_mut().map(|stream| block(stream)).collect::<Vec<_>>()).collect()
    }

    fn document(&self, row: u64) -> Vec<i32> {
        let batch = self.source.table().batch(&[row]).unwrap();
        let mut tokens =
            batch.column(0).as_list::<i32>().values().as_primitive::<Int32Type>().values().to_vec();
        tokens.push(-1);
        tokens
    }

    /// The batches as Arrow arrays, which checks their layout.
    pub(crate) fn arrays(&self, blocks: Vec<Block>) -> Vec<RecordBatch> {
        let schema = packed_schema(self.pack.length, TokenDtype::Int32, self.read.columns).unwrap();
        blocks.into_iter().map(|block| block.into_record_batch(&schema).unwrap()).collect()
    }

    /// The input ids of the batches, block by block.
    pub(crate) fn input_ids(&self, blocks: Vec<Block>) -> Vec<Vec<i32>> {
        let rows = |batch: RecordBatch| {
            let ids =
                batch.column(0).as_fixed_size_list().values().as_primitive::<Int32Type>().values().to_vec();
            ids.chunks(self.pack.length as usize).map(<[i32]>::to_vec).collect::<Vec<_>>()
        };
        self.arrays(blocks).into_iter().flat_map(rows).collect()
    }
}

/// The next batch of `pipeline`, `None` at the end, with `handed` blocks handed over before.
pub(crate) async fn next(pipeline: &PackPipeline, handed: u64) -> Result<Option<Vec<Block>>> {
    loop {
        match pipeline.take(1, handed)? {
            Next::Batches(blocks) => return Ok(Some(blocks)),
            Next::Finished => return Ok(None),
            Next::Pending => {}
        }
        let (sender, receiver) = oneshot::channel();
        pipeline.on_ready(Box::new(move || sender.send(()).unwrap_or_default()));
        tokio::time::timeout(PATIENCE, receiver).await.expect("nothing came").expect("the waker was dropped");
    }
}

/// All that is left, and the error that ended it.
pub(crate) async fn drain(pipeline: &PackPipeline) -> (Vec<Block>, Option<Error>) {
    let (mut blocks, mut handed) = (Vec::new(), 0);
    loop {
        match next(pipeline, handed).await {
            Ok(Some(more)) => {
                handed += more.iter().map(|block| block.rows() as u64).sum::<u64>();
                blocks.extend(more);
            }
            Ok(None) => return (blocks, None),
            Err(error) => return (blocks, Some(error)),
        }
    }
}
