//! A source of rows that does what a test wants.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt, stream};
use lance_loader_fetch::source::RowSource;
use lance_loader_order::{Code, Error, Result};

use crate::counts::{Counter, Counts, UnderWay};
use crate::fault::{Fault, Faults, Trigger};
use crate::gate::Gate;
use crate::source_builder::{FakeSourceBuilder, Latency};
use crate::table::TestTable;

/// A [`RowSource`] over a [`TestTable`], with latency, faults, and counters that can be waited for.
///
/// It holds its caller to the contract: ordinals that do not ascend or that do not exist are `Internal` errors. Row ids are those of a
/// table with deletions: they ascend with gaps, and none equals its ordinal.
pub struct FakeSource {
    inner: Arc<Inner>,
}

struct Inner {
    table: TestTable,
    latency: Option<Latency>,
    faults: Faults,
    gate: Gate,
    scan_rows: usize,
    counter: Counter,
}

impl FakeSource {
    /// Begins to set up a source over `table`.
    pub fn builder(table: TestTable) -> FakeSourceBuilder {
        FakeSourceBuilder::new(table)
    }

    pub(crate) fn new(builder: FakeSourceBuilder) -> Self {
        let FakeSourceBuilder { table, latency, faults, held, scan_rows } = builder;
        let inner =
            Inner { table, latency, faults, gate: Gate::new(!held), scan_rows, counter: Counter::new() };
        Self { inner: Arc::new(inner) }
    }

    /// What it served so far.
    pub fn counts(&self) -> Counts {
        self.inner.counter.read()
    }

    /// Waits until the counters are as `reached` wants them.
    ///
    /// # Panics
    /// If they are not within [`PATIENCE`](crate::PATIENCE).
    pub async fn until(&self, reached: impl FnMut(&Counts) -> bool) -> Counts {
        self.inner.counter.until(reached).await
    }

    /// Lets the take of this number end, now or when it comes.
    pub fn release(&self, take: u64) {
        self.inner.gate.release(take);
    }

    /// Lets all takes end from now on.
    pub fn release_all(&self) {
        self.inner.gate.release_all();
    }

    /// The table.
    pub fn table(&self) -> &TestTable {
        &self.inner.table
    }
}

impl RowSource for FakeSource {
    fn schema(&self) -> SchemaRef {
        self.inner.table.schema()
    }

    fn num_rows(&self) -> u64 {
        self.inner.table.num_rows()
    }

    fn take(&self, ordinals: Vec<u64>) -> BoxFuture<'static, Result<RecordBatch>> {
        let (mut take, number) = UnderWay::take(&self.inner.counter, ordinals.len() as u64);
        let inner = self.inner.clone();
        async move {
            let result = inner.take(number, &ordinals).await;
            take.end();
            let batch = result?;
            take.deliver(batch.num_rows() as u64);
            Ok(batch)
        }
        .boxed()
    }

    fn scan(&self, _batch_bytes: u64) -> BoxStream<'static, Result<RecordBatch>> {
        let (scan, number) = UnderWay::scan(&self.inner.counter);
        stream::unfold((self.inner.clone(), scan, 0), move |(inner, mut scan, start)| async move {
            let end = inner.table.num_rows().min(start + inner.scan_rows as u64);
            if start == end {
                scan.end();
                return None;
            }
            let ordinals: Vec<u64> = (start..end).collect();
            let read = (start == 0).then_some(Trigger::Scan(number));
            let batch = inner.read(read, &ordinals).await;
            match &batch {
                Ok(batch) => scan.deliver(batch.num_rows() as u64),
                Err(_) => scan.end(),
            }
            let next = if batch.is_ok() { end } else { inner.table.num_rows() };
            Some((batch, (inner, scan, next)))
        })
        .boxed()
    }

    fn row_ids(&self, ordinals: &mut [u64]) -> Result<()> {
        for ordinal in ordinals {
            if *ordinal >= self.num_rows() {
                return Err(Error::new(Code::Internal, format!("row {ordinal} has no id")));
            }
            // Fragments of 4 rows, of which the first row was deleted.
            *ordinal = ((*ordinal / 3) << 32) + *ordinal % 3 + 1;
        }
        Ok(())
    }
}

impl Inner {
    async fn take(&self, number: u64, ordinals: &[u64]) -> Result<RecordBatch> {
        if !ordinals.is_sorted_by(|left, right| left < right) {
            return Err(Error::new(Code::Internal, "the ordinals of a take must ascend and be distinct"));
        }
        if let Some(latency) = &self.latency {
            tokio::time::sleep(latency(number)).await;
        }
        self.gate.pass(number).await;
        self.read(Some(Trigger::Take(number)), ordinals).await
    }

    async fn read(&self, read: Option<Trigger>, ordinals: &[u64]) -> Result<RecordBatch> {
        let lost = match self.faults.of(read, ordinals) {
            None => 0,
            Some(Fault::Lose(rows)) => rows.min(ordinals.len()),
            Some(Fault::Error(code)) => return Err(Error::new(code, format!("{read:?} was made to fail"))),
            Some(Fault::Hang) => std::future::pending().await,
            Some(Fault::Panic) => panic!("{read:?} was made to panic"),
        };
        let (kept, _) = ordinals.split_at(ordinals.len() - lost);
        self.table.batch(kept)
    }
}

#[cfg(test)]
mod tests;
