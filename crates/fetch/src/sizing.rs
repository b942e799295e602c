//! How many rows a window has.

/// Windows grow from a small first one, which the consumer waits for, to as many rows as the budget carries. As long as nothing is known
/// of the rows, the first one is a single batch: a batch of large rows may be all that the budget carries.
///
/// A large window is what makes takes cheap: sorted, its random rows become a near-sequential read, and the work that a read
/// does once is shared by more rows.
#[derive(Clone, Copy, Debug)]
pub struct WindowSizing {
    /// The rows of a batch: every window but the last is a multiple of it.
    pub batch_rows: u64,
    /// The rows of every window, where the user said so.
    pub fixed_rows: Option<u64>,
    /// The bytes that one window may have.
    pub window_bytes: u64,
}

/// The first window of rows of known size, and every later one of rows that have none.
const FIRST_ROWS: u64 = 1024;
/// A window never has more rows: its sort and its indices would no longer fit the processor's caches.
const MAX_ROWS: u64 = 1 << 18;
/// How much larger than the one before it a window may be.
const GROWTH: u64 = 4;

impl WindowSizing {
    /// The rows of the window after one of `previous` rows (0 for the first), for rows of `row_bytes`.
    pub fn next_rows(&self, previous: u64, row_bytes: Option<u64>) -> u64 {
        let rows = self.fixed_rows.unwrap_or_else(|| self.automatic_rows(previous, row_bytes));
        self.whole_batches(rows)
    }

    fn automatic_rows(&self, previous: u64, row_bytes: Option<u64>) -> u64 {
        let Some(row_bytes) = row_bytes else { return if previous == 0 { 1 } else { FIRST_ROWS } };
        let carried = (self.window_bytes / row_bytes.max(1)).clamp(1, MAX_ROWS);
        carried.min(previous.saturating_mul(GROWTH).max(FIRST_ROWS))
    }

    fn whole_batches(&self, rows: u64) -> u64 {
        let batch = self.batch_rows.clamp(1, u64::from(u32::MAX));
        (rows / batch).max(1).saturating_mul(batch).min(u64::from(u32::MAX) / batch * batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZING: WindowSizing = WindowSizing { batch_rows: 256, fixed_rows: None, window_bytes: 1 << 20 };

    #[test]
    fn windows_are_whole_batches_and_at_least_one() {
        assert_eq!(SIZING.next_rows(256, None), 1024);
        assert_eq!(WindowSizing { batch_rows: 3000, ..SIZING }.next_rows(0, None), 3000);
        assert_eq!(WindowSizing { fixed_rows: Some(1000), ..SIZING }.next_rows(0, None), 768);
        assert_eq!(WindowSizing { fixed_rows: Some(1), ..SIZING }.next_rows(0, None), 256);
    }

    #[test]
    fn windows_grow_to_what_their_bytes_allow() {
        let mut rows = SIZING.next_rows(0, None);
        assert_eq!(rows, 256);
        let sizes: Vec<u64> = std::iter::repeat_with(|| {
            rows = SIZING.next_rows(rows, Some(64));
            rows
        })
        .take(4)
        .collect();
        assert_eq!(sizes, [1024, 4096, 16384, 16384]);
    }

    #[test]
    fn rows_larger_than_a_window_still_make_one_batch() {
        assert_eq!(SIZING.next_rows(1024, Some(1 << 30)), 256);
        assert_eq!(SIZING.next_rows(1024, Some(u64::MAX)), 256);
    }

    #[test]
    fn huge_batches_do_not_overflow() {
        let sizing =
            WindowSizing { batch_rows: u64::MAX, fixed_rows: Some(u64::MAX), window_bytes: u64::MAX };
        assert_eq!(sizing.next_rows(u64::MAX, Some(0)), u64::from(u32::MAX));
    }
}
