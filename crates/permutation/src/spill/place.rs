//! Puts rows at their positions with bounded memory: an external distribution by position.

use std::ops::Range;

use lance_loader_order::{Code, Error, Result};

use super::options::SpillOptions;
use super::temp_file::WordWriter;

/// The most files that one level of the distribution writes at once. Two levels stay below the 256 files that macOS
/// allows.
const MAX_FAN_OUT: u64 = 64;
const MAX_BUFFER_BYTES: u64 = 256 << 10;

/// A position and the row that stands there.
pub(super) type Placed = [u64; 2];

/// Distributes rows into files by ranges of their positions until a range fits in memory, then puts them in place.
///
/// The distribution step of external bucket sort (Knuth, "The Art of Computer Programming", vol. 3, 5.4.9). Each row
/// is written and read once a level; one level is enough for 64 times the rows that fit in half of the limit.
pub(super) struct Placement {
    options: SpillOptions,
    /// Rows that are put in place in memory: half of the limit.
    bucket_rows: u64,
    fan_out: u64,
    /// All buffers of a level together are a quarter of the limit.
    buffer_bytes: usize,
}

impl Placement {
    pub(super) fn new(options: &SpillOptions) -> Self {
        let limit = options.memory_limit;
        let fan_out = (limit / 4 / 4096).clamp(2, MAX_FAN_OUT);
        let buffer_bytes = (limit / 4 / fan_out).clamp(64, MAX_BUFFER_BYTES) as usize;
        Self { options: options.clone(), bucket_rows: (limit / 16).max(8), fan_out, buffer_bytes }
    }

    /// The size of a read or write buffer.
    pub(super) const fn buffer_bytes(&self) -> usize {
        self.buffer_bytes
    }

    /// Gives the rows of `positions` to `sink` in order, in pieces. `rows` must have exactly one row for each
    /// position.
    pub(super) fn place(
        &self,
        positions: Range<u64>,
        rows: &mut dyn Iterator<Item = Result<Placed>>,
        sink: &mut dyn FnMut(u64, &[u64]) -> Result<()>,
    ) -> Result<()> {
        let len = positions.end - positions.start;
        if len <= self.bucket_rows {
            return sink(positions.start, &self.in_place(&positions, rows)?);
        }
        let part = len.div_ceil(self.fan_out).max(self.bucket_rows);
        let mut files = (0..len.div_ceil(part))
            .map(|_| WordWriter::create(self.options.temp_dir.as_deref(), self.buffer_bytes))
            .collect::<Result<Vec<_>>>()?;
        for placed in rows {
            let placed = placed?;
            self.options.stop.check()?;
            let file =
                placed[0].checked_sub(positions.start).and_then(|at| files.get_mut((at / part) as usize));
            file.ok_or_else(misplaced)?.write(&placed)?;
        }
        let files = files.into_iter().map(WordWriter::finish).collect::<Result<Vec<_>>>()?;
        for (file, start) in files.into_iter().zip((positions.start..).step_by(part as usize)) {
            let mut rows = file.records(self.buffer_bytes)?;
            self.place(start..positions.end.min(start + part), &mut rows, sink)?;
        }
        Ok(())
    }

    /// The rows of a few positions, in order.
    fn in_place(
        &self,
        positions: &Range<u64>,
        rows: &mut dyn Iterator<Item = Result<Placed>>,
    ) -> Result<Vec<u64>> {
        let mut places = vec![0; (positions.end - positions.start) as usize];
        let mut filled = 0;
        for placed in rows {
            let [position, row] = placed?;
            self.options.stop.check()?;
            let place = position.checked_sub(positions.start).and_then(|at| places.get_mut(at as usize));
            *place.ok_or_else(misplaced)? = row;
            filled += 1;
        }
        if filled == places.len() { Ok(places) } else { Err(misplaced()) }
    }
}

/// Positions that are not the ones promised: only a defect, or a temporary file that another program changed, gives
/// them.
fn misplaced() -> Error {
    Error::new(Code::Internal, "the rows of a permutation do not fill its positions; please report this")
}
