//! A pipeline with all that it needs.

use std::sync::Arc;

use arrow_array::RecordBatch;
use lance_loader_fetch::budget::Budget;
use lance_loader_fetch::column::delivered_schema;
use lance_loader_fetch::fetcher::{Fetcher, TakeFetcher};
use lance_loader_fetch::gather::Block;
use lance_loader_fetch::memory::{FetchMode, MemoryFirstFetcher, MemoryTable};
use lance_loader_fetch::pipeline::{Pipeline, PipelineOptions};
use lance_loader_fetch::source::RowSource;
use lance_loader_fetch::statistics::Statistics;
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::RowSet;
use tokio::runtime::Handle;

use crate::delivery::drain;
use crate::rows::ListedRows;
use crate::source::FakeSource;
use crate::table::TestTable;

/// A source, a budget, counters and options, from which any number of pipelines start. Needs a Tokio runtime.
pub struct Bench {
    /// Where the rows come from.
    pub source: Arc<FakeSource>,
    /// The rows that a filter kept, if there is one.
    pub eligible: Option<Arc<RowSet>>,
    /// What all pipelines share; without a limit at first.
    pub budget: Budget,
    /// What all pipelines count.
    pub statistics: Arc<Statistics>,
    /// How pipelines work: at first in batches of 10 rows, windows of 20, two reads in flight, and room for all batches.
    pub options: PipelineOptions,
}

impl Bench {
    /// A bench with `source`.
    pub fn new(source: Arc<FakeSource>) -> Self {
        let options = PipelineOptions {
            batch_rows: 10,
            window_rows: Some(20),
            io_queue_depth: 2,
            ready_bytes: u64::MAX,
        };
        Self { source, eligible: None, budget: Budget::new(u64::MAX), statistics: Arc::default(), options }
    }

    /// A bench over `table`, whose source has neither latency nor faults.
    pub fn over(table: TestTable) -> Self {
        Self::new(FakeSource::builder(table).build())
    }

    /// Starts a pipeline of takes that reads `rows`.
    pub fn take(&self, rows: &[u64]) -> Pipeline {
        let fetcher = TakeFetcher::new(self.source.clone(), self.eligible.clone(), self.statistics.clone());
        self.start(rows, Arc::new(fetcher))
    }

    /// A table in memory, not loaded yet.
    pub fn memory_table(&self) -> Arc<MemoryTable> {
        let (source, eligible) = (self.source.clone(), self.eligible.clone());
        Arc::new(MemoryTable::new(source, eligible, self.budget.clone(), self.statistics.clone()))
    }

    /// Starts a pipeline that reads `rows` from `table` where it can.
    pub fn memory_first(&self, rows: &[u64], mode: FetchMode, table: &Arc<MemoryTable>) -> Pipeline {
        self.start(rows, Arc::new(MemoryFirstFetcher::new(mode, table.clone())))
    }

    /// Starts a pipeline that reads `rows` by `fetcher`.
    pub fn start(&self, rows: &[u64], fetcher: Arc<dyn Fetcher>) -> Pipeline {
        let plan = Box::new(ListedRows::new(rows));
        Pipeline::start(&Handle::current(), plan, fetcher, &self.budget, &self.statistics, self.options)
    }

    /// All batches of `pipeline`, as Arrow arrays.
    ///
    /// # Errors
    /// The error that ended the pipeline.
    pub async fn read(&self, pipeline: &Pipeline) -> Result<Vec<RecordBatch>> {
        let (blocks, error) = drain(pipeline).await;
        error.map_or_else(|| self.arrays(blocks), Err)
    }

    /// Batches as Arrow arrays.
    ///
    /// # Errors
    /// `Internal` where a batch does not fit the schema.
    pub fn arrays(&self, blocks: Vec<Block>) -> Result<Vec<RecordBatch>> {
        let schema = Arc::new(delivered_schema(&self.source.schema())?);
        blocks.into_iter().map(|block| block.into_record_batch(&schema)).collect()
    }

    /// What the batches of a plan must be: its rows in its order, cut into batches.
    ///
    /// # Errors
    /// `Internal` for a row that the table does not have.
    pub fn expected(&self, rows: &[u64]) -> Result<Vec<RecordBatch>> {
        let mut ordinals = rows.to_vec();
        if let Some(eligible) = &self.eligible {
            let outside = |row| Error::new(Code::Internal, format!("row {row} is not eligible"));
            eligible.select_many(&mut ordinals).map_err(outside)?;
        }
        let batch_rows = usize::try_from(self.options.batch_rows).unwrap_or(usize::MAX);
        ordinals.chunks(batch_rows.max(1)).map(|rows| self.source.table().batch(rows)).collect()
    }
}
