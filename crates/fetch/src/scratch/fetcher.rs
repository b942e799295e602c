//! Windows out of buckets.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::RowSet;
use tokio::sync::OnceCell;

use super::buckets::Buckets;
use super::deal::{Deal, Dealt};
use crate::budget::Budget;
use crate::choice::Choice;
use crate::fetcher::{FetchedRows, Fetcher, TakeFetcher};
use crate::pipeline::RowPlan;
use crate::source::RowSource;
use crate::statistics::Statistics;
use crate::task::blocking;
use crate::window::Window;

/// The part of the budget that the index of rows may have while they are dealt.
pub(crate) const INDEX_SHARE: u64 = 8;
/// Bytes of a row in that index.
pub(crate) const INDEX_ROW_BYTES: u64 = 2;
/// The part of the budget that a batch of the scan has: a few of them are under way in the scan and in the deal.
const BATCH_SHARE: u64 = 8;
/// Larger batches of the scan gain nothing.
const MOST_BATCH_BYTES: u64 = 32 << 20;

/// Where scratch files may be, and whether they must.
#[derive(Clone, Debug)]
pub struct ScratchOptions {
    /// A folder on a local disk.
    pub folder: PathBuf,
    /// The most that the file of one epoch may have, in bytes.
    pub max_bytes: u64,
    /// Whether a deal that fails for want of memory or disk is an error, instead of being replaced by takes.
    pub required: bool,
}

/// Reads the windows of one plan from buckets, which are dealt when the first of them is asked for. Cheap to clone.
#[derive(Clone)]
pub struct ScratchFetcher {
    inner: Arc<Inner>,
}

struct Inner {
    source: Arc<dyn RowSource>,
    eligible: Option<Arc<RowSet>>,
    budget: Budget,
    statistics: Arc<Statistics>,
    options: ScratchOptions,
    /// Reads where scratch can't be had.
    take: TakeFetcher,
    /// The same plan as the pipeline's, until it is dealt.
    plan: Mutex<Option<Box<dyn RowPlan>>>,
    /// Windows that were asked for.
    windows: AtomicU64,
    /// The buckets, `None` where takes replace them, or why there are none; whichever window asks first, all learn the same.
    dealt: OnceCell<Result<Option<Dealt>>>,
}

impl ScratchFetcher {
    /// For `plan`, whose rows are indices among the eligible rows of `source`. Where scratch can't be had and is not required, windows come by takes.
    pub fn new(
        source: Arc<dyn RowSource>,
        eligible: Option<Arc<RowSet>>,
        budget: Budget,
        statistics: Arc<Statistics>,
        options: ScratchOptions,
        plan: Box<dyn RowPlan>,
    ) -> Self {
        let take = TakeFetcher::new(source.clone(), eligible.clone(), statistics.clone());
        let (plan, windows) = (Mutex::new(Some(plan)), AtomicU64::new(0));
        let dealt = OnceCell::new();
        Self {
            inner: Arc::new(Inner {
                source,
                eligible,
                budget,
                statistics,
                options,
                take,
                plan,
                windows,
                dealt,
            }),
        }
    }

    /// The next window: its rows, of which there are `bucket_rows` in every window but the last. The first `skip` rows of the plan were read otherwise.
    pub fn fetch(
        &self,
        rows: Vec<u64>,
        skip: u64,
        bucket_rows: u64,
    ) -> BoxFuture<'static, Result<FetchedRows>> {
        let window = self.inner.windows.fetch_add(1, Ordering::Relaxed);
        self.inner.clone().fetch(window, rows, skip, bucket_rows).boxed()
    }
}

impl Inner {
    async fn fetch(
        self: Arc<Self>,
        window: u64,
        rows: Vec<u64>,
        skip: u64,
        bucket_rows: u64,
    ) -> Result<FetchedRows> {
        let dealt = self.dealt.get_or_init(|| self.deal_or_refuse(skip, bucket_rows)).await;
        let Some(dealt) = dealt.as_ref().map_err(Error::clone)? else { return self.take.fetch(rows).await };
        let store = dealt.read(usize::try_from(window).unwrap_or(usize::MAX)).await?;
        let Window { ordinals, indices } = Window::new(&rows);
        if ordinals.len() != store.rows() {
            let message = format!(
                "a window of {} rows came back from scratch with {}: please report it",
                ordinals.len(),
                store.rows()
            );
            return Err(Error::new(Code::RowsMissing, message));
        }
        let bytes = store.bytes() as u64;
        Ok(FetchedRows { store: Arc::new(store), indices, bytes })
    }

    /// The deal; `None` where it can't be done and takes are allowed instead.
    async fn deal_or_refuse(&self, skip: u64, bucket_rows: u64) -> Result<Option<Dealt>> {
        match self.deal(skip, bucket_rows).await {
            Err(error) if !self.options.required && error.code() == Code::WriteFailed => {
                self.statistics.set_choice(Choice::take(format!("scratch failed: {error}")));
                Ok(None)
            }
            other => other.map(Some),
        }
    }

    async fn deal(&self, skip: u64, bucket_rows: u64) -> Result<Dealt> {
        let plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut plan = plan.ok_or_else(|| Error::new(Code::Aborted, "the deal of an epoch was cancelled"))?;
        let rows = self.eligible.as_ref().map_or_else(|| self.source.num_rows(), |eligible| eligible.len());
        let index_bytes = self.budget.limit() / INDEX_SHARE;
        let permit = self.budget.force(index_bytes.min(rows.saturating_mul(INDEX_ROW_BYTES)));
        let buckets =
            blocking(move || Buckets::of(plan.as_mut(), skip, bucket_rows, rows, index_bytes)).await?;
        let buckets = buckets.ok_or_else(|| no_room(rows, &self.budget))?;
        let deal = Deal {
            source: self.source.clone(),
            eligible: self.eligible.clone(),
            statistics: self.statistics.clone(),
            buckets: Arc::new(buckets),
            folder: self.options.folder.clone(),
            max_bytes: self.options.max_bytes,
            batch_bytes: (self.budget.limit() / BATCH_SHARE).clamp(1, MOST_BATCH_BYTES),
        };
        let dealt = deal.run().await;
        drop(permit);
        dealt
    }
}

fn no_room(rows: u64, budget: &Budget) -> Error {
    Error::new(
        Code::WriteFailed,
        format!(
            "scratch needs an eighth of memoryBudget, which is {}, for 2 bytes for each of {rows} rows and 16 for each repeat of one: give a larger \
             memoryBudget, or use fetch: \"take\"",
            budget.limit()
        ),
    )
}
