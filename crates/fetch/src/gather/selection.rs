//! Which rows of a column go into a batch.

use std::ops::Range;
use std::sync::Arc;

use arrow_buffer::NullBuffer;

/// Spans of consecutive rows of one column, in output order.
///
/// The rows that a user asks for are spans of one row; the items of their lists are spans of any length; each
/// step down into fixed-size lists multiplies `run`. So a list of fixed-size lists of floats ends up as one
/// copy for each outer list.
#[derive(Clone)]
pub(super) struct Selection<'a> {
    spans: Spans<'a>,
    /// Every row that the spans name stands for this many rows of the column.
    run: usize,
    /// The number of rows selected: the sum of the spans' lengths, times `run`.
    len: usize,
}

/// The spans of a [`Selection`], before `run` is applied.
#[derive(Clone)]
pub(super) enum Spans<'a> {
    /// Single rows.
    Rows(&'a [u32]),
    /// Ranges of rows.
    Ranges(Arc<Vec<Range<usize>>>),
}

impl<'a> Selection<'a> {
    /// Single rows, duplicates allowed.
    pub(super) fn rows(rows: &'a [u32]) -> Self {
        Self { spans: Spans::Rows(rows), run: 1, len: rows.len() }
    }

    /// Ranges of rows that are `len` rows in all.
    pub(super) fn ranges(ranges: Vec<Range<usize>>, len: usize) -> Self {
        Self { spans: Spans::Ranges(Arc::new(ranges)), run: 1, len }
    }

    /// The same rows of a column that has `size` rows for each row of this one. `None` if there are too many
    /// to count.
    pub(super) fn scaled(&self, size: usize) -> Option<Self> {
        let (run, len) = (self.run.checked_mul(size)?, self.len.checked_mul(size)?);
        Some(Self { spans: self.spans.clone(), run, len })
    }

    /// The number of rows selected.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The spans, each row of which stands for [`run`](Self::run) rows.
    pub(super) fn spans(&self) -> &Spans<'a> {
        &self.spans
    }

    /// How many rows each row of the spans stands for.
    pub(super) fn run(&self) -> usize {
        self.run
    }

    /// The number of spans.
    pub(super) fn span_count(&self) -> usize {
        match &self.spans {
            Spans::Rows(rows) => rows.len(),
            Spans::Ranges(ranges) => ranges.len(),
        }
    }

    /// Calls `visit` with every range of rows of the column, until one call gives `None`.
    pub(super) fn try_for_each(&self, mut visit: impl FnMut(Range<usize>) -> Option<()>) -> Option<()> {
        let run = self.run;
        match &self.spans {
            Spans::Rows(rows) => rows.iter().try_for_each(|row| {
                let start = *row as usize * run;
                visit(start..start + run)
            }),
            Spans::Ranges(ranges) => {
                ranges.iter().try_for_each(|range| visit(range.start * run..range.end * run))
            }
        }
    }

    /// The number of selected rows that are null.
    pub(super) fn count_nulls(&self, nulls: &NullBuffer) -> usize {
        if let (Spans::Rows(rows), 1) = (&self.spans, self.run) {
            return rows.iter().filter(|row| nulls.is_null(**row as usize)).count();
        }
        let mut valid = 0;
        let bits = nulls.inner();
        self.try_for_each(|range| {
            valid += bits.inner().count_set_bits_offset(bits.offset() + range.start, range.len());
            Some(())
        });
        self.len - valid
    }
}
