//! The tokens of one split that were read and may still be needed, and where their documents start.

use std::collections::VecDeque;
use std::ops::Range;

use crate::token::{Token, TokenSource, append_converted};

/// A log of tokens, addressed by their position in the stream of the split's tokens (counted from where the log began).
///
/// Reading leaves the log as it is; only [`TokenBuffer::release`] forgets. So a position that was read past can still be
/// turned into a state until the consumer is known to have passed it too.
#[derive(Clone, Debug, Default)]
pub(crate) struct TokenBuffer<T> {
    tokens: Vec<T>,
    /// The position of `tokens[0]`.
    origin: u64,
    /// Where each document starts that starts at or after `origin`: ascending; equal where one was dropped.
    starts: VecDeque<u64>,
    /// Documents that start before `starts[0]`.
    earlier_documents: u64,
    /// Up to here the documents count as consumed, since a loaded state said so.
    pinned: u64,
}

/// What is left at a position of the documents that count as consumed there.
pub(crate) struct Tail<'a, T> {
    pub(crate) documents: u64,
    pub(crate) tokens: &'a [T],
    pub(crate) starts: Vec<u64>,
}

impl<T: Token> TokenBuffer<T> {
    /// A log that begins with `tokens` of documents that are among the `documents` consumed ones.
    pub(crate) fn resumed(tokens: Vec<T>, starts: VecDeque<u64>, documents: u64) -> Self {
        let pinned = tokens.len() as u64;
        let earlier_documents = documents.saturating_sub(starts.len() as u64);
        Self { tokens, origin: 0, starts, earlier_documents, pinned }
    }

    /// The position after the last token.
    pub(crate) fn end(&self) -> u64 {
        self.origin + self.tokens.len() as u64
    }

    /// The first position that is still held.
    pub(crate) fn origin(&self) -> u64 {
        self.origin
    }

    /// Documents of the split that were pushed, the ones of a loaded state included.
    pub(crate) fn documents(&self) -> u64 {
        self.earlier_documents + self.starts.len() as u64
    }

    /// Appends a document and its eos. A token that does not fit is returned, and nothing is appended.
    pub(crate) fn push<V: TokenSource>(&mut self, document: &[V], eos: T) -> Result<(), V> {
        let start = self.end();
        append_converted(&mut self.tokens, document)?;
        self.tokens.push(eos);
        self.starts.push_back(start);
        Ok(())
    }

    /// Counts a document without keeping any of it.
    pub(crate) fn push_dropped(&mut self) {
        self.starts.push_back(self.end());
    }

    /// Documents that start before a position.
    pub(crate) fn documents_before(&self, position: u64) -> u64 {
        self.earlier_documents + self.index_at(position) as u64
    }

    /// Where a document starts; the end where it was not pushed yet, the first one that is held where it was released.
    pub(crate) fn start_of(&self, document: u64) -> u64 {
        let index = document.saturating_sub(self.earlier_documents) as usize;
        self.starts.get(index).copied().unwrap_or_else(|| self.end())
    }

    /// The tokens of a range of positions, which must be held.
    pub(crate) fn slice(&self, range: Range<u64>) -> &[T] {
        let from = (range.start - self.origin) as usize;
        &self.tokens[from..from + (range.end - range.start) as usize]
    }

    /// Where documents start in a range of positions, ascending.
    pub(crate) fn starts_in(&self, range: Range<u64>) -> impl Iterator<Item = u64> {
        self.starts.range(self.index_at(range.start)..).copied().take_while(move |&start| start < range.end)
    }

    /// Where the first document starts that does so at or after a position; the end where none does.
    pub(crate) fn next_start(&self, position: u64) -> u64 {
        self.starts.get(self.index_at(position)).copied().unwrap_or_else(|| self.end())
    }

    /// What a state taken at a position holds: the rest of the document that the position cuts.
    pub(crate) fn tail(&self, position: u64) -> Tail<'_, T> {
        let end = if position < self.pinned { self.pinned } else { self.next_start(position) };
        Tail {
            documents: self.documents_before(end),
            tokens: self.slice(position..end),
            starts: self.starts_in(position..end).map(|start| start - position).collect(),
        }
    }

    /// Forgets what lies before a position. Amortized O(1) a token: the rest moves once the forgotten part outweighs it.
    pub(crate) fn release(&mut self, position: u64) {
        let dead = position.min(self.end()).saturating_sub(self.origin) as usize;
        if dead < self.tokens.len() - dead || dead == 0 {
            return;
        }
        let documents = self.index_at(position);
        self.starts.drain(..documents);
        self.earlier_documents += documents as u64;
        self.tokens.drain(..dead);
        self.origin += dead as u64;
    }

    fn index_at(&self, position: u64) -> usize {
        self.starts.partition_point(|&start| start < position)
    }
}
