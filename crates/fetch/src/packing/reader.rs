//! Documents on their way from the table to the packer.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use lance_loader_order::{Error, Result};
use lance_loader_packing::{Packer, Token};
use tokio::runtime::Handle;

use super::documents::{DocumentPlan, RowNames, SplitDemand, deal, deal_to_one, no_documents};
use super::ledger::{Ledger, lock};
use super::pipeline::{PackReadOptions, PackSource};
use super::token_column::TokenColumn;
use crate::budget::{Budget, Permit};
use crate::fetcher::{FetchedRows, Fetcher};
use crate::gather::ROWS_AHEAD;
use crate::pipeline::window_bytes;
use crate::sizing::WindowSizing;
use crate::statistics::{Stage, StageRows};
use crate::task::OwnedTask;

/// How many documents ahead the places of their tokens are asked for: well before the tokens are.
const PLACES_AHEAD: usize = 4 * ROWS_AHEAD;

/// Documents that were read by one fetch. Its memory is free again once all of them are pushed.
struct Window {
    column: TokenColumn,
    /// For each document, its row in the column.
    indices: Vec<u32>,
    /// For each document, its row among the eligible ones.
    rows: Vec<u64>,
    _permit: Permit,
}

/// Documents of a window that are next in one split.
struct Run {
    window: Arc<Window>,
    documents: Range<usize>,
}

/// One owned split.
struct Lane {
    split: u32,
    documents: u64,
    /// The next document to read.
    next: u64,
    runs: VecDeque<Run>,
    /// Documents that are being read, or are read and not pushed.
    waiting: u64,
    pushed_documents: u64,
    pushed_tokens: u64,
}

struct Read {
    rows: Vec<u64>,
    /// The lanes and how many documents of each, in order.
    dealt: Vec<(usize, Range<u64>)>,
    fetched: OwnedTask<FetchedRows>,
    permit: Permit,
}

/// Reads documents ahead of the packer, several windows at a time.
pub(super) struct DocumentReader {
    runtime: Handle,
    fetcher: Arc<dyn Fetcher>,
    budget: Budget,
    plan: DocumentPlan,
    names: RowNames,
    io_queue_depth: usize,
    sizing: WindowSizing,
    last_rows: u64,
    reads: VecDeque<Read>,
    lanes: Vec<Lane>,
    unscanned: StageRows,
    raw: StageRows,
}

impl DocumentReader {
    /// A reader that goes on where `packer` stands.
    pub(super) fn new<T: Token>(
        runtime: &Handle,
        source: PackSource,
        options: &PackReadOptions,
        packer: &Packer<T>,
    ) -> Result<Self> {
        let PackSource { plan, fetcher, names, budget, statistics } = source;
        let documents = plan.documents_per_split();
        let lanes = plan.owned().map(|split| {
            Ok(Lane {
                split,
                documents: documents.get(split as usize).copied().unwrap_or_default(),
                next: packer.documents_pushed(split)?,
                runs: VecDeque::new(),
                waiting: 0,
                pushed_documents: 0,
                pushed_tokens: 0,
            })
        });
        let sizing = WindowSizing {
            batch_rows: 1,
            fixed_rows: options.window_rows,
            window_bytes: window_bytes(&budget, options.io_queue_depth),
        };
        let mut reader = Self {
            runtime: runtime.clone(),
            fetcher,
            budget,
            names,
            io_queue_depth: options.io_queue_depth.max(1),
            sizing,
            last_rows: 0,
            reads: VecDeque::new(),
            lanes: lanes.collect::<Result<_>>()?,
            plan,
            unscanned: StageRows::new(statistics.clone(), Stage::Unscanned),
            raw: StageRows::new(statistics, Stage::Raw),
        };
        reader.count();
        Ok(reader)
    }

    /// Pushes documents of `split` until it can give a block.
    pub(super) async fn feed<T: Token>(&mut self, split: u32, ledger: &Mutex<Ledger<T>>) -> Result<()> {
        let place = (split - self.plan.owned().start) as usize;
        while !self.push_waiting(place, &mut lock(ledger).packer)? {
            self.admit(true, ledger)?;
            let read = self.reads.pop_front().ok_or_else(|| no_documents(split))?;
            self.receive(read).await?;
            self.admit(false, ledger)?;
        }
        Ok(())
    }

    /// Pushes documents that are read; whether they are enough for a block.
    fn push_waiting<T: Token>(&mut self, place: usize, packer: &mut Packer<T>) -> Result<bool> {
        let Some(lane) = self.lanes.get_mut(place) else { return Ok(false) };
        while packer.needs(lane.split)? {
            let Some(run) = lane.runs.front_mut() else { return Ok(false) };
            let Some(document) = run.documents.next() else {
                lane.runs.pop_front();
                continue;
            };
            let Window { column, indices, rows, .. } = run.window.as_ref();
            if let Some(&later) = indices.get(document + PLACES_AHEAD) {
                column.prefetch_place(later);
            }
            if let Some(&soon) = indices.get(document + ROWS_AHEAD) {
                column.prefetch(soon);
            }
            let (index, row) = (indices.get(document).copied(), rows.get(document).copied());
            let index = index.unwrap_or(u32::MAX);
            let pushed = column.push(index, packer, lane.split).and_then(|()| column.len_of(index));
            let tokens = pushed.map_err(|error| named(&error, row, &self.names))?;
            lane.pushed_documents += 1;
            lane.pushed_tokens += tokens as u64;
            lane.waiting -= 1;
        }
        Ok(true)
    }

    /// Waits for a window and hands its documents to their splits.
    async fn receive(&mut self, read: Read) -> Result<()> {
        let Read { rows, dealt, fetched, mut permit } = read;
        let fetched = fetched.join().await?;
        permit.resize(fetched.bytes);
        let column = TokenColumn::new(fetched.store)?;
        let window = Arc::new(Window { column, indices: fetched.indices, rows, _permit: permit });
        let mut start = 0;
        for (place, documents) in dealt {
            let end = start + (documents.end - documents.start) as usize;
            if let Some(lane) = self.lanes.get_mut(place) {
                lane.runs.push_back(Run { window: window.clone(), documents: start..end });
            }
            start = end;
        }
        self.count();
        Ok(())
    }

    /// Starts reads while depth and budget allow; with `needed`, one even above the budget if none is under way.
    fn admit<T: Token>(&mut self, needed: bool, ledger: &Mutex<Ledger<T>>) -> Result<()> {
        while self.reads.len() < self.io_queue_depth {
            let (row_bytes, holds_windows) = (self.fetcher.row_bytes(), self.fetcher.holds_windows());
            if holds_windows && row_bytes.is_none() && !self.reads.is_empty() {
                break;
            }
            let demands = self.demands(&lock(ledger).packer)?;
            let run_rows = self.fetcher.run_rows().filter(|_| self.sizing.fixed_rows.is_none());
            let dealt = match run_rows {
                Some(rows) => deal_to_one(&demands, rows).into_iter().collect(),
                None => deal(&demands, self.sizing.next_rows(self.last_rows, row_bytes)),
            };
            let rows: u64 = dealt.iter().map(|(_, run)| run.end - run.start).sum();
            if rows == 0 {
                break;
            }
            let bytes = if holds_windows { rows.saturating_mul(row_bytes.unwrap_or(0)) } else { 0 };
            let permit = match self.budget.try_acquire(bytes) {
                Some(permit) => permit,
                None if needed && self.reads.is_empty() => self.budget.force(bytes),
                None => break,
            };
            self.last_rows = rows;
            self.start(dealt, permit)?;
        }
        Ok(())
    }

    fn start(&mut self, dealt: Vec<(usize, Range<u64>)>, permit: Permit) -> Result<()> {
        let first = self.plan.owned().start;
        let documents = dealt.iter().flat_map(|(place, run)| {
            let split = first + *place as u32;
            run.clone().map(move |document| (split, document))
        });
        let rows = self.plan.rows(documents)?;
        for (place, run) in &dealt {
            if let Some(lane) = self.lanes.get_mut(*place) {
                lane.next = run.end;
                lane.waiting += run.end - run.start;
            }
        }
        let fetched = OwnedTask::spawn(&self.runtime, self.fetcher.fetch(rows.clone()));
        self.reads.push_back(Read { rows, dealt, fetched, permit });
        self.count();
        Ok(())
    }

    fn demands<T: Token>(&self, packer: &Packer<T>) -> Result<Vec<SplitDemand>> {
        let pushed = |of: fn(&Lane) -> u64| self.lanes.iter().map(of).sum::<u64>();
        let (documents, tokens) = (pushed(|lane| lane.pushed_documents), pushed(|lane| lane.pushed_tokens));
        let everywhere = tokens.checked_div(documents).unwrap_or_default();
        let demand = |lane: &Lane| {
            let here = lane.pushed_tokens.checked_div(lane.pushed_documents).unwrap_or(everywhere);
            // Each document has an eos behind it.
            let tokens_each = here.saturating_add(1);
            let waiting = lane.waiting.saturating_mul(tokens_each);
            Ok(SplitDemand {
                next: lane.next,
                left: lane.documents - lane.next,
                tokens_ahead: packer.tokens_ahead(lane.split)?.saturating_add(waiting),
                tokens_usable: packer.tokens_usable(lane.split)?,
                tokens_each,
            })
        };
        self.lanes.iter().map(demand).collect()
    }

    fn count(&mut self) {
        self.unscanned.set(self.lanes.iter().map(|lane| lane.documents - lane.next).sum());
        self.raw.set(self.lanes.iter().map(|lane| lane.waiting).sum());
    }
}

/// The error with the row that it is about.
fn named(error: &Error, row: Option<u64>, names: &RowNames) -> Error {
    let name = row.and_then(|row| names(row).ok()).map_or_else(|| "unknown".to_owned(), |id| id.to_string());
    Error::new(error.code(), format!("{} (the row with _rowid {name})", error.message()))
}
