use std::sync::Arc;
use std::time::Duration;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use futures::FutureExt;
use tokio::time::timeout;

use super::*;
use crate::column::ColumnStore;
use crate::gather::gather;

/// A batch of `rows` rows, 64 bytes for every 8.
fn batch(rows: u32) -> Block {
    let column: ArrayRef = Arc::new(Int64Array::from_iter_values(0..i64::from(rows)));
    let store = ColumnStore::from_batch(&RecordBatch::try_from_iter([("id", column)]).unwrap()).unwrap();
    gather(&store, &(0..rows).collect::<Vec<_>>(), None).unwrap()
}

fn queue(max_bytes: u64) -> (ReadyQueue, Arc<Statistics>) {
    let statistics = Arc::new(Statistics::default());
    (ReadyQueue::new(max_bytes, statistics.clone()), statistics)
}

/// Adds batches while there is space, and tells how many.
fn filled(queue: &ReadyQueue, rows: u32) -> usize {
    (0..100)
        .take_while(|_| queue.push(batch(rows)).now_or_never().is_some_and(|pushed| pushed.is_ok()))
        .count()
}

fn taken(queue: &ReadyQueue, max_rows: u64) -> Vec<usize> {
    match queue.take(max_rows).unwrap() {
        Next::Batches(batches) => batches.iter().map(Block::rows).collect(),
        Next::Pending | Next::Finished => Vec::new(),
    }
}

#[test]
fn what_waits_stays_within_its_bytes_but_one_batch_may_always_wait() {
    for (max_bytes, fitting) in [(0, 1), (127, 1), (128, 1), (255, 1), (256, 2), (383, 2), (384, 3)] {
        let (queue, statistics) = queue(max_bytes);
        assert_eq!(filled(&queue, 16), fitting, "{max_bytes}");
        assert_eq!(statistics.read().ready_rows, 16 * fitting as u64);
    }
}

#[test]
fn taking_makes_space_again() {
    let (queue, _) = queue(256);
    assert_eq!(filled(&queue, 16), 2);
    assert_eq!(taken(&queue, 16), [16]);
    assert_eq!(filled(&queue, 16), 1);
}

#[test]
fn batches_are_taken_up_to_the_rows_asked_for_and_at_least_one() {
    let (queue, statistics) = queue(u64::MAX);
    for rows in [8, 16, 24, 8] {
        queue.push(batch(rows)).now_or_never().unwrap().unwrap();
    }
    assert_eq!(taken(&queue, 47), [8, 16]);
    assert_eq!(taken(&queue, 0), [24]);
    assert_eq!(statistics.read().ready_rows, 8);
    assert_eq!(taken(&queue, u64::MAX), [8]);
    assert!(matches!(queue.take(u64::MAX).unwrap(), Next::Pending));
}

#[test]
fn the_end_stands_behind_the_batches_and_is_final() {
    let error = || Error::new(Code::ReadFailed, "the disk is gone");
    for end in [Ok(()), Err(error())] {
        let (queue, _) = queue(u64::MAX);
        assert_eq!(filled(&queue, 8), 100);
        queue.finish(end.clone());
        queue.finish(Err(Error::new(Code::Internal, "too late")));
        assert_eq!(taken(&queue, u64::MAX).len(), 100);
        for _ in 0..2 {
            match (&end, queue.take(1)) {
                (Ok(()), Ok(Next::Finished)) => {}
                (Err(expected), Err(error)) => assert_eq!(error.message(), expected.message()),
                (_, other) => panic!("{other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn a_producer_that_waits_goes_on_when_there_is_space_and_ends_when_the_queue_is_closed() {
    let (queue, statistics) = queue(0);
    let queue = Arc::new(queue);
    let producer = tokio::spawn({
        let queue = queue.clone();
        async move {
            loop {
                queue.push(batch(8)).await?;
            }
        }
    });
    for _ in 0..3 {
        // On one thread, a producer whose batch is there waits for the next one's place.
        while statistics.read().ready_rows == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(taken(&queue, 1), [8]);
    }
    while statistics.read().ready_rows == 0 {
        tokio::task::yield_now().await;
    }
    queue.close();
    let ended: Result<()> = timeout(Duration::from_secs(20), producer).await.unwrap().unwrap();
    assert_eq!(ended.unwrap_err().code(), Code::Closed);
    assert_eq!(queue.take(1).unwrap_err().code(), Code::Closed);
    assert_eq!(statistics.read().ready_rows, 0);
}
