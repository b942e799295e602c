//! Which way of reading an epoch costs least: a model in numbers, without I/O.
//!
//! Costs are seconds of a table whose files lie in the page cache, or behind a network, on one machine of today. They need not be right, only
//! their ratios near enough: the ways differ by factors.

use crate::memory::FetchMode;
use crate::scratch::{INDEX_ROW_BYTES, INDEX_SHARE};

/// What is known when an epoch begins.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Live rows of the table: what a scan reads.
    pub table_rows: u64,
    /// Rows that may belong to an epoch, of all ranks: what memory holds.
    pub eligible_rows: u64,
    /// Rows that this plan reads.
    pub planned_rows: u64,
    /// Rows next to each other in the table that the plan has in a row: 1 where it is shuffled, the clump's size where it is shuffled in clumps.
    pub run_rows: u64,
    /// Bytes of a row in memory.
    pub row_bytes: u64,
    /// Bytes of the budget that nobody else uses.
    pub budget: u64,
    /// Bytes that scratch may have; 0 where there is none.
    pub scratch_bytes: u64,
    /// Where the table is read from.
    pub place: Place,
    /// Whether a load into memory was tried and did not fit.
    pub overflowed: bool,
}

/// Where a table is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Local files.
    Disk,
    /// An object store, of which local disk keeps all blocks that were read.
    Cache,
    /// An object store, where each read is a request.
    Store,
}

/// A way of reading, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// `Memory`, `Scratch` or `Take`.
    pub mode: FetchMode,
    /// For people: the numbers that decided.
    pub reason: String,
}

/// Epochs that a training reads at least, where nobody says how many: what is kept in memory pays in each. Rows of local files in storage order
/// are mostly read once, to evaluate or to export, and cheap to read again.
const EPOCHS: f64 = 3.0;
const EPOCHS_IN_STORAGE_ORDER: f64 = 1.0;
/// A row of a scan: decoding, and its part in a batch.
const SCAN_ROW: f64 = 0.7e-6;
/// A row that is taken by itself from local files.
const TAKE_ROW: f64 = 8e-6;
/// A row that is a request of its own, a few dozen of which are under way.
const REQUEST: f64 = 1e-3;
/// A read of its own from the cache of an object store: whole blocks, and their checksums.
const CACHED_READ: f64 = 50e-6;
/// Reads of a window of an object store are one request where no more than this lies between them.
const JOINED_BYTES: f64 = 65536.0;
/// The part of the budget that a window has, and the most rows.
const WINDOW_SHARE: f64 = 1.0 / 8.0;
const MOST_WINDOW_ROWS: f64 = 262_144.0;
/// A byte of local files, by a scan or by takes.
const LOCAL_BYTE: f64 = 1.0 / 1.5e9;
/// A byte of memory that was not in use before.
const NEW_BYTE: f64 = 1.0 / 1e9;
/// A byte of an object store, and one of scratch, written and read back.
const REMOTE_BYTE: f64 = 1.0 / 0.3e9;
const SCRATCH_BYTE: f64 = 1.0 / 0.35e9;
/// A row that is dealt into its bucket.
const DEAL_ROW: f64 = 0.3e-6;
/// Scratch holds more than the rows: what lies between buffers, and the layouts of blocks.
const SCRATCH_OVERHEAD: f64 = 1.1;

impl Choice {
    /// Takes, for a reason of the caller's.
    pub const fn take(reason: String) -> Self {
        Self { mode: FetchMode::Take, reason }
    }

    /// A way that the caller asked for.
    pub fn requested(mode: FetchMode) -> Self {
        Self { mode, reason: "asked for".to_string() }
    }

    /// The cheapest of the ways that are possible.
    pub fn of(facts: &Facts) -> Self {
        let Facts { eligible_rows, planned_rows, row_bytes, budget, .. } = *facts;
        let (scratch, take) = (facts.scratch(), facts.take());
        let table_bytes = eligible_rows.saturating_mul(row_bytes);
        let rows = format!("{planned_rows} of {eligible_rows} rows of {row_bytes} bytes, budget {budget}");
        if table_bytes <= budget
            && !facts.overflowed
            && u32::try_from(eligible_rows).is_ok()
            && facts.memory() < facts.epochs() * take
        {
            return Self { mode: FetchMode::Memory, reason: format!("{rows}: they fit, and are read once") };
        }
        let costs = format!("scratch would take {scratch:.2} s an epoch, takes {take:.2} s");
        if facts.scratch_fits() && scratch < take {
            return Self { mode: FetchMode::Scratch, reason: format!("{rows}: {costs}") };
        }
        let scratch = if facts.scratch_fits() { "" } else { ", but scratch has no room" };
        Self { mode: FetchMode::Take, reason: format!("{rows}: {costs}{scratch}") }
    }
}

impl Facts {
    fn scan(&self) -> f64 {
        self.table_rows as f64 * (SCAN_ROW + self.row_bytes as f64 * self.byte())
    }

    fn memory(&self) -> f64 {
        self.scan() + self.eligible_rows as f64 * self.row_bytes as f64 * NEW_BYTE
    }

    const fn epochs(&self) -> f64 {
        if self.run_rows == u64::MAX && matches!(self.place, Place::Disk) {
            EPOCHS_IN_STORAGE_ORDER
        } else {
            EPOCHS
        }
    }

    fn scratch(&self) -> f64 {
        let dealt = self.planned_rows as f64 * (DEAL_ROW + self.row_bytes as f64 * SCRATCH_BYTE);
        self.scan() + dealt
    }

    /// Runs of neighbours are one read each, and cost what a scan costs beside.
    fn take(&self) -> f64 {
        let runs = self.planned_rows as f64 / self.run_rows.max(1) as f64;
        let (apart, between) = if self.place == Place::Disk { (1.0, 0.0) } else { self.apart() };
        let read = match self.place {
            Place::Disk => TAKE_ROW,
            Place::Cache => CACHED_READ,
            Place::Store => REQUEST,
        };
        let bytes = self.planned_rows as f64 * self.row_bytes as f64 + runs * between;
        runs * apart * read + self.planned_rows as f64 * SCAN_ROW + bytes * self.byte()
    }

    /// Of the gaps between the runs of a window: the part that is too wide to be read over, and the bytes that are read over, by run.
    ///
    /// Runs lie as chance puts them, so that the gaps are distributed exponentially.
    fn apart(&self) -> (f64, f64) {
        let carried = self.budget as f64 * WINDOW_SHARE / self.row_bytes.max(1) as f64;
        let window_rows = carried.clamp(1.0, MOST_WINDOW_ROWS).min(self.planned_rows as f64);
        let window_runs = (window_rows / self.run_rows.max(1) as f64).max(1.0);
        let gap = (self.table_rows as f64 * self.row_bytes as f64 / window_runs).max(1.0);
        let joined = JOINED_BYTES / gap;
        let wide = (-joined).exp();
        (wide, gap * (1.0 - (1.0 + joined) * wide))
    }

    const fn byte(&self) -> f64 {
        match self.place {
            Place::Store => REMOTE_BYTE,
            Place::Disk | Place::Cache => LOCAL_BYTE,
        }
    }

    fn scratch_fits(&self) -> bool {
        let bytes = self.planned_rows.saturating_mul(self.row_bytes) as f64 * SCRATCH_OVERHEAD;
        let index = self.eligible_rows.saturating_mul(INDEX_ROW_BYTES);
        bytes <= self.scratch_bytes as f64 && self.scratch_bytes > 0 && index <= self.budget / INDEX_SHARE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GB: u64 = 1 << 30;
    /// Ten gigabytes of shuffled vectors, a tenth of which fits.
    const VECTORS: Facts = Facts {
        table_rows: 10_000_000,
        eligible_rows: 10_000_000,
        planned_rows: 10_000_000,
        run_rows: 1,
        row_bytes: 1024,
        budget: GB,
        scratch_bytes: 100 * GB,
        place: Place::Disk,
        overflowed: false,
    };

    fn mode(facts: Facts) -> FetchMode {
        Choice::of(&facts).mode
    }

    #[test]
    fn what_fits_is_kept_in_memory_and_what_does_not_is_dealt() {
        assert_eq!(mode(Facts { budget: 20 * GB, ..VECTORS }), FetchMode::Memory);
        assert_eq!(mode(VECTORS), FetchMode::Scratch);
        assert_eq!(mode(Facts { budget: 20 * GB, overflowed: true, ..VECTORS }), FetchMode::Scratch);
        assert_eq!(
            mode(Facts { budget: 100 * GB, eligible_rows: u64::from(u32::MAX) + 1, row_bytes: 1, ..VECTORS }),
            FetchMode::Scratch
        );
    }

    #[test]
    fn without_room_on_disk_rows_are_taken() {
        assert_eq!(mode(Facts { scratch_bytes: 0, ..VECTORS }), FetchMode::Take);
        assert_eq!(mode(Facts { scratch_bytes: 10 * GB, ..VECTORS }), FetchMode::Take);
        assert!(Choice::of(&Facts { scratch_bytes: 0, ..VECTORS }).reason.ends_with("no room"));
    }

    #[test]
    fn scratch_whose_index_of_rows_has_no_room_in_memory_is_not_begun() {
        let rows = GB / 8 / 2;
        let tiny = |rows| Facts {
            table_rows: rows,
            eligible_rows: rows,
            planned_rows: rows,
            row_bytes: 100,
            ..VECTORS
        };
        assert_eq!([rows, rows + 1].map(|rows| mode(tiny(rows))), [FetchMode::Scratch, FetchMode::Take]);
    }

    #[test]
    fn rows_in_storage_order_or_in_clumps_need_no_scratch() {
        assert_eq!(
            [1, 64, u64::MAX].map(|run_rows| mode(Facts { run_rows, ..VECTORS })),
            [FetchMode::Scratch, FetchMode::Take, FetchMode::Take]
        );
    }

    #[test]
    fn rows_in_storage_order_are_read_in_constant_memory_even_where_they_fit() {
        let fits = Facts { budget: 20 * GB, ..VECTORS };
        assert_eq!(
            [64, u64::MAX].map(|run_rows| mode(Facts { run_rows, ..fits })),
            [FetchMode::Memory, FetchMode::Take]
        );
    }

    #[test]
    fn large_rows_are_taken_since_copying_them_costs_more_than_finding_them() {
        let sizes = [16, 1024, 64 << 10];
        assert_eq!(
            sizes.map(|row_bytes| mode(Facts {
                row_bytes,
                overflowed: true,
                scratch_bytes: u64::MAX,
                ..VECTORS
            })),
            [FetchMode::Scratch, FetchMode::Scratch, FetchMode::Take]
        );
    }

    #[test]
    fn a_rank_that_reads_a_small_part_does_not_scan_the_whole() {
        let world =
            |world, place| mode(Facts { planned_rows: VECTORS.eligible_rows / world, place, ..VECTORS });
        assert_eq!(
            [1, 2, 64].map(|ranks| world(ranks, Place::Disk)),
            [FetchMode::Scratch, FetchMode::Scratch, FetchMode::Take]
        );
        // A request a row is dearer, so that more ranks scan.
        assert_eq!(
            [1, 64, 1024].map(|ranks| world(ranks, Place::Store)),
            [FetchMode::Scratch, FetchMode::Scratch, FetchMode::Take]
        );
        let fits = Facts { budget: 20 * GB, ..VECTORS };
        assert_eq!(
            [10, 1000].map(|ranks| mode(Facts { planned_rows: fits.eligible_rows / ranks, ..fits })),
            [FetchMode::Memory, FetchMode::Take]
        );
    }

    #[test]
    fn requests_of_an_object_store_are_counted_as_they_are_joined() {
        // Measured on S3: 17,705 requests and 681 MB for 40,000 rows in windows of 512.
        let facts = Facts {
            table_rows: 40_000,
            eligible_rows: 40_000,
            planned_rows: 40_000,
            row_bytes: 1028,
            budget: 4 << 20,
            place: Place::Store,
            ..VECTORS
        };
        let (apart, between) = facts.apart();
        assert!((apart * 40_000.0 / 17_705.0 - 1.0).abs() < 0.1, "{apart}");
        assert!(((between + 1028.0) * 40_000.0 / 681e6 - 1.0).abs() < 0.1, "{between}");
        let cached = Facts { place: Place::Cache, ..facts };
        assert!(cached.take() < facts.take() / 5.0 && cached.scan() < facts.scan());
        let all = Facts { budget: 4 * GB, ..facts };
        assert!(all.apart().0 < 1e-9 && all.take() < facts.take() / 10.0);
    }

    #[test]
    fn no_facts_are_too_large_or_too_small_for_the_model() {
        for number in [0, u64::MAX] {
            let facts = Facts {
                table_rows: number,
                eligible_rows: number,
                planned_rows: number,
                run_rows: number,
                row_bytes: number,
                budget: number,
                scratch_bytes: number,
                place: Place::Store,
                overflowed: false,
            };
            assert!(!Choice::of(&facts).reason.is_empty());
        }
    }
}
