//! Which splits a process and its workers own.

use crate::{Code, Error, Result};
use std::ops::Range;

/// The place of one consumer: a rank out of `world_size`, and a worker out of the rank's `num_workers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Topology {
    rank: usize,
    world_size: usize,
    worker: usize,
    num_workers: usize,
}

impl Topology {
    /// One process without workers: it owns every split.
    pub const SINGLE: Self = Self { rank: 0, world_size: 1, worker: 0, num_workers: 1 };

    /// A place.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where a count is 0, or `rank` or `worker` is not below its count.
    pub fn new(rank: usize, world_size: usize, worker: usize, num_workers: usize) -> Result<Self> {
        check_place("rank", rank, "worldSize", world_size)?;
        check_place("worker.id", worker, "worker.numWorkers", num_workers)?;
        Ok(Self { rank, world_size, worker, num_workers })
    }

    /// The index of the process.
    pub const fn rank(self) -> usize {
        self.rank
    }

    /// The number of processes.
    pub const fn world_size(self) -> usize {
        self.world_size
    }

    /// The index of the worker inside its process.
    pub const fn worker(self) -> usize {
        self.worker
    }

    /// The number of workers of each process.
    pub const fn num_workers(self) -> usize {
        self.num_workers
    }

    /// The splits that this worker owns: a block of its rank's block, all blocks of one length.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where `num_splits` is 0 or can't be divided evenly among all workers of all ranks.
    pub fn owned(self, num_splits: usize) -> Result<Range<usize>> {
        check_divides(num_splits, Some(self.world_size), "worldSize")?;
        let workers = self.world_size.checked_mul(self.num_workers);
        check_divides(num_splits, workers, "worldSize * worker.numWorkers")?;
        let block = num_splits / self.world_size / self.num_workers;
        let start = (self.rank * self.num_workers + self.worker) * block;
        Ok(start..start + block)
    }
}

fn check_place(name: &str, value: usize, count_name: &str, count: usize) -> Result<()> {
    if count == 0 {
        let message = format!("{count_name} is 0: it must be at least 1");
        return Err(Error::new(Code::InvalidArgument, message));
    }
    if value >= count {
        let last = count - 1;
        let message = format!("{name} is {value}: with {count_name} {count} it must be from 0 to {last}");
        return Err(Error::new(Code::InvalidArgument, message));
    }
    Ok(())
}

/// `consumers` is absent where it passes `usize`: no number of splits can be divided among so many.
fn check_divides(num_splits: usize, consumers: Option<usize>, name: &str) -> Result<()> {
    if num_splits > 0 && consumers.is_some_and(|consumers| num_splits.is_multiple_of(consumers)) {
        return Ok(());
    }
    let consumers =
        consumers.map_or_else(|| "more than can be counted".to_owned(), |count| count.to_string());
    let message = format!(
        "numSplits is {num_splits}: it must be a multiple of {name} ({consumers}), so that each \
         owns as many splits; choose a number of splits that all planned numbers of ranks and workers divide"
    );
    Err(Error::new(Code::InvalidArgument, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_split_has_one_owner_and_ranks_own_blocks(
            world_size in 1_usize..9, num_workers in 1_usize..5, block in 1_usize..6,
        ) {
            let num_splits = world_size * num_workers * block;
            let mut next = 0;
            for rank in 0..world_size {
                for worker in 0..num_workers {
                    let owned = Topology::new(rank, world_size, worker, num_workers)?.owned(num_splits)?;
                    prop_assert_eq!(owned.clone(), next..next + block);
                    next = owned.end;
                }
            }
            prop_assert_eq!(next, num_splits);
        }
    }

    #[test]
    fn a_wrong_place_is_an_error_that_names_it() {
        for (place, expected) in [
            ((2, 2, 0, 1), "rank is 2: with worldSize 2 it must be from 0 to 1"),
            ((0, 0, 0, 1), "worldSize is 0: it must be at least 1"),
            ((0, 1, 3, 2), "worker.id is 3: with worker.numWorkers 2 it must be from 0 to 1"),
            ((0, 1, 0, 0), "worker.numWorkers is 0: it must be at least 1"),
        ] {
            let error = Topology::new(place.0, place.1, place.2, place.3).unwrap_err();
            assert_eq!((error.code(), error.message()), (Code::InvalidArgument, expected));
        }
    }

    #[test]
    fn splits_that_do_not_divide_are_refused() {
        let refused = |world_size, num_workers, num_splits| {
            let topology = Topology::new(0, world_size, 0, num_workers).unwrap();
            topology.owned(num_splits).unwrap_err().message().to_owned()
        };
        assert!(refused(4, 1, 6).starts_with("numSplits is 6: it must be a multiple of worldSize (4)"));
        assert!(
            refused(2, 2, 6)
                .starts_with("numSplits is 6: it must be a multiple of worldSize * worker.numWorkers (4)")
        );
        assert!(refused(1, 1, 0).starts_with("numSplits is 0"));
        assert!(refused(usize::MAX, 1, 1).starts_with("numSplits is 1"));
        assert!(refused(2, usize::MAX, 2).contains("more than can be counted"));
    }
}
