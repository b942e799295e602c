//! Blocks that are on their way.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures::future::{BoxFuture, Shared, WeakShared};
use futures::{FutureExt, TryFutureExt};

/// Consecutive blocks of an object that one request brought.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// The number of the first block.
    pub(super) first: u64,
    pub(super) data: Bytes,
    /// The size of the whole object.
    pub(super) object_bytes: u64,
}

/// A request that everybody waits for who wants one of its blocks. It ends when nobody waits any more.
pub(super) type Flight = Shared<BoxFuture<'static, Result<Run, Arc<object_store::Error>>>>;

type WeakFlight = WeakShared<BoxFuture<'static, Result<Run, Arc<object_store::Error>>>>;

/// Requests by the name of the object and the number of the block, each with a number of its own.
#[derive(Default)]
struct Flying {
    by_block: HashMap<(Arc<str>, u64), (u64, WeakFlight)>,
    begun: u64,
}

/// The requests of one store that are under way, so that readers of the same block ask for it once.
#[derive(Clone, Default)]
pub(super) struct Flights(Arc<Mutex<Flying>>);

impl std::fmt::Debug for Flights {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Flights")
    }
}

impl Flights {
    /// The requests that bring `blocks` (ascending) of the object `name`: those under way, and for the others one for each run of neighbours, begun by `request`.
    pub(super) fn join(
        &self,
        name: &Arc<str>,
        blocks: &[u64],
        request: impl Fn(Range<u64>) -> BoxFuture<'static, Result<Run, object_store::Error>>,
    ) -> Vec<Flight> {
        let mut flying = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut flights: Vec<Flight> = Vec::new();
        let mut wanted: Vec<Range<u64>> = Vec::new();
        for &block in blocks {
            let flight = flying.by_block.get(&(name.clone(), block)).and_then(|(_, flight)| flight.upgrade());
            if let Some(flight) = flight {
                if !flights.iter().any(|known| known.ptr_eq(&flight)) {
                    flights.push(flight);
                }
                continue;
            }
            match wanted.last_mut() {
                Some(run) if run.end == block => run.end += 1,
                _ => wanted.push(block..block + 1),
            }
        }
        for run in wanted {
            flying.begun += 1;
            let number = flying.begun;
            let landing = Landing { flights: self.clone(), name: name.clone(), run: run.clone(), number };
            let flight = request(run.clone()).map_err(Arc::new);
            let flight = async move {
                let _landing = landing;
                flight.await
            };
            let flight = flight.boxed().shared();
            if let Some(weak) = flight.downgrade() {
                let entries = run.map(|block| ((name.clone(), block), (number, weak.clone())));
                flying.by_block.extend(entries);
            }
            flights.push(flight);
        }
        flights
    }
}

/// Forgets a request once it has ended, however it does.
struct Landing {
    flights: Flights,
    name: Arc<str>,
    run: Range<u64>,
    number: u64,
}

impl Drop for Landing {
    fn drop(&mut self) {
        let mut flying = self.flights.0.lock().unwrap_or_else(PoisonError::into_inner);
        for block in self.run.clone() {
            let key = (self.name.clone(), block);
            // A request that nobody waited for may have been followed by another one.
            if flying.by_block.get(&key).is_some_and(|(number, _)| *number == self.number) {
                flying.by_block.remove(&key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::future::{pending, ready};

    use super::*;

    fn run(blocks: &Range<u64>) -> Run {
        Run { first: blocks.start, data: Bytes::new(), object_bytes: 0 }
    }

    fn under_way(flights: &Flights) -> usize {
        flights.0.lock().unwrap().by_block.len()
    }

    #[tokio::test]
    async fn a_block_is_asked_for_once_and_neighbours_together() {
        let (flights, name) = (Flights::default(), Arc::from("a"));
        let asked = AtomicUsize::new(0);
        let request = |blocks: Range<u64>| {
            asked.fetch_add(1, Ordering::Relaxed);
            ready(Ok(run(&blocks))).boxed()
        };
        let first = flights.join(&name, &[1, 2, 3, 7], request);
        let second = flights.join(&name, &[2, 3, 4], request);
        assert_eq!((first.len(), second.len(), asked.load(Ordering::Relaxed)), (2, 2, 3));
        flights.join(&Arc::from("b"), &[2], request);
        assert_eq!(asked.load(Ordering::Relaxed), 4);
        let firsts: Vec<u64> =
            futures::future::try_join_all(second).await.unwrap().iter().map(|run| run.first).collect();
        assert_eq!(firsts, [1, 4]);
        drop(first);
        assert_eq!(under_way(&flights), 0);
    }

    #[tokio::test]
    async fn a_request_that_nobody_waits_for_ends_and_is_made_anew() {
        let (flights, name) = (Flights::default(), Arc::from("a"));
        let hanging = flights.join(&name, &[1], |_| pending().boxed());
        assert_eq!(under_way(&flights), 1);
        drop(hanging);
        assert_eq!(under_way(&flights), 0);
        let again = flights.join(&name, &[1], |blocks| ready(Ok(run(&blocks))).boxed());
        assert_eq!(again[0].clone().await.unwrap().first, 1);
    }
}
