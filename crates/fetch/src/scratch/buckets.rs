//! Which rows of a table go into which buckets.

use lance_loader_order::{Code, Error, Result};

use crate::pipeline::RowPlan;

/// A row that no bucket wants.
const NONE: u16 = u16::MAX;
/// Rows of the plan that are looked at together.
const ROWS_AT_ONCE: u64 = 1 << 16;

/// The buckets of every row, by one walk through the plan.
///
/// Memory: 2 bytes a row of the table, and 16 bytes for each further bucket of a row that has several.
#[derive(Debug)]
pub(super) struct Buckets {
    count: usize,
    /// The first bucket that wants a row.
    first: Vec<u16>,
    /// Rows that further buckets want: by row, then bucket.
    further: Vec<(u64, u16)>,
}

impl Buckets {
    /// Leaves out the first `skip` rows of `plan` and deals the others, `bucket_rows` at a time, into buckets. Rows are below `rows`. `None` where
    /// that takes more than `max_bytes` of memory, or more than 65,535 buckets.
    ///
    /// # Errors
    /// Those of the plan; `INTERNAL` for a row outside.
    pub(super) fn of(
        plan: &mut dyn RowPlan,
        skip: u64,
        bucket_rows: u64,
        rows: u64,
        max_bytes: u64,
    ) -> Result<Option<Self>> {
        let Some(left) = max_bytes.checked_sub(rows.saturating_mul(size_of::<u16>() as u64)) else {
            return Ok(None);
        };
        let most_further = left / size_of::<(u64, u16)>() as u64;
        let broken = || Error::new(Code::Internal, "a plan does not fit the buckets that it is dealt into");
        let mut first = Vec::new();
        let size = usize::try_from(rows).map_err(|_| broken())?;
        first.try_reserve_exact(size).map_err(|cause| broken().with_cause(cause))?;
        first.resize(size, NONE);
        let mut buckets = Self { count: 0, first, further: Vec::new() };
        let mut skipped = 0;
        let mut chunk = Vec::new();
        while skipped < skip && plan.remaining() > 0 {
            skipped += fill(plan, &mut chunk, skip - skipped)?;
        }
        while plan.remaining() > 0 {
            let Some(bucket) = u16::try_from(buckets.count).ok().filter(|bucket| *bucket < NONE) else {
                return Ok(None);
            };
            buckets.count += 1;
            let mut left = bucket_rows.max(1);
            while left > 0 && plan.remaining() > 0 {
                left -= fill(plan, &mut chunk, left)?;
                chunk.iter().try_for_each(|row| buckets.want(*row, bucket)).ok_or_else(broken)?;
                if buckets.further.len() as u64 > most_further {
                    return Ok(None);
                }
            }
        }
        buckets.further.sort_unstable();
        buckets.further.dedup();
        Ok(Some(buckets))
    }

    /// The number of buckets.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// The buckets that want `row`, each once.
    pub(super) fn of_row(&self, row: u64) -> impl Iterator<Item = u16> + '_ {
        let first = usize::try_from(row).ok().and_then(|row| self.first.get(row)).copied().unwrap_or(NONE);
        let start = self.further.partition_point(|(further, _)| *further < row);
        let further = self.further.get(start..).unwrap_or_default().iter();
        let further = further.take_while(move |(further, _)| *further == row).map(|(_, bucket)| *bucket);
        std::iter::once(first).filter(|bucket| *bucket != NONE).chain(further)
    }

    fn want(&mut self, row: u64, bucket: u16) -> Option<()> {
        let first = self.first.get_mut(usize::try_from(row).ok()?)?;
        if *first == NONE {
            *first = bucket;
        } else if *first != bucket {
            self.further.push((row, bucket));
        }
        Some(())
    }
}

/// Replaces `chunk` by the next rows of the plan, at most `most`; their number.
fn fill(plan: &mut dyn RowPlan, chunk: &mut Vec<u64>, most: u64) -> Result<u64> {
    let rows = most.min(plan.remaining()).min(ROWS_AT_ONCE);
    chunk.clear();
    chunk.resize(rows as usize, 0);
    plan.fill(chunk)?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_row_is_in_the_buckets_of_its_places(
            plan in prop::collection::vec(0..50u64, 0..300),
            skip in 0..60usize,
            bucket_rows in 1..70usize,
        ) {
            let mut rows = plan_of(&plan);
            let buckets = Buckets::of(&mut rows, skip as u64, bucket_rows as u64, 50, u64::MAX).unwrap().unwrap();
            let rest = &plan[skip.min(plan.len())..];
            prop_assert_eq!(buckets.count(), rest.len().div_ceil(bucket_rows));
            for row in 0..50 {
                let wanted: Vec<u16> = (0..).zip(rest.chunks(bucket_rows)).filter(|(_, rows)| rows.contains(&row)).map(|(bucket, _)| bucket).collect();
                prop_assert_eq!(buckets.of_row(row).collect::<Vec<_>>(), wanted);
            }
            prop_assert_eq!(buckets.of_row(50).count(), 0);
        }
    }

    #[test]
    fn an_index_beyond_its_memory_is_not_made() {
        let plan: Vec<u64> = (0..50).chain(0..50).collect();
        let of = |max_bytes| Buckets::of(&mut plan_of(&plan), 0, 10, 50, max_bytes).unwrap().is_some();
        assert_eq!([99, 100 + 16 * 49, 100 + 16 * 50].map(of), [false, false, true]);
        let many: Vec<u64> = vec![0; 1 << 16];
        assert!(Buckets::of(&mut plan_of(&many), 0, 1, 1, u64::MAX).unwrap().is_none());
        assert!(Buckets::of(&mut plan_of(&many), 1, 1, 1, u64::MAX).unwrap().is_some());
    }

    #[test]
    fn a_row_outside_is_an_error() {
        assert_eq!(Buckets::of(&mut plan_of(&[3]), 0, 1, 3, u64::MAX).unwrap_err().code(), Code::Internal);
    }

    fn plan_of(rows: &[u64]) -> Listed {
        Listed(rows.to_vec().into())
    }

    /// A plan that is a list.
    struct Listed(std::collections::VecDeque<u64>);

    impl RowPlan for Listed {
        fn remaining(&self) -> u64 {
            self.0.len() as u64
        }

        fn fill(&mut self, rows: &mut [u64]) -> Result<()> {
            let next = self.0.drain(..rows.len()).collect::<Vec<_>>();
            rows.copy_from_slice(&next);
            Ok(())
        }
    }
}
