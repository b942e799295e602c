//! Several sources as one, and the order in which a mixture takes their rows, against plain lists.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_select::concat::concat_batches;
use futures::TryStreamExt;
use lance_loader_fetch::epoch::EpochOrder;
use lance_loader_fetch::mixture::{EpochOrders, MixtureEpoch, MixtureOrder, MixturePart, UnionSource};
use lance_loader_fetch::source::RowSource;
use lance_loader_order::{Code, Domain, Key, Mixture, MixtureCursor, Order, Result, Shuffle};
use lance_loader_testkit::{FakeSource, TestColumn, TestTable};

fn source(rows: u64) -> Arc<dyn RowSource> {
    FakeSource::builder(TestTable::new(rows, &[TestColumn::Id])).scan_rows(7).build()
}

fn union(rows: &[u64]) -> UnionSource {
    UnionSource::new(rows.iter().map(|rows| source(*rows)).collect()).unwrap()
}

fn first_column(batch: &RecordBatch) -> Vec<u64> {
    let column = batch.column(0);
    column.as_primitive_opt::<UInt64Type>().map_or_else(
        || column.as_primitive::<Int64Type>().values().iter().map(|id| id.unsigned_abs()).collect(),
        |ids| ids.values().to_vec(),
    )
}

#[tokio::test]
async fn takes_and_scans_give_the_rows_of_every_source_in_turn() {
    let union = union(&[10, 1, 20]);
    let scanned: Vec<RecordBatch> = union.scan(1 << 20).try_collect().await.unwrap();
    let scanned = first_column(&concat_batches(&union.schema(), &scanned).unwrap());
    let of = |rows: u64| (0..rows).collect::<Vec<u64>>();
    assert_eq!((scanned.len(), union.num_rows(), union.starts()), (31, 31, &[0, 10, 11, 31][..]));
    let alone = source(20);
    let alone: Vec<RecordBatch> = alone.scan(1 << 20).try_collect().await.unwrap();
    assert_eq!(scanned[11..], alone.iter().flat_map(first_column).collect::<Vec<_>>());
    for ordinals in [of(31), vec![], vec![3], vec![9, 10, 11, 30], vec![12, 20]] {
        let taken = first_column(&union.take(ordinals.clone()).await.unwrap());
        let expected: Vec<u64> =
            ordinals.iter().map(|ordinal| scanned[usize::try_from(*ordinal).unwrap()]).collect();
        assert_eq!(taken, expected);
    }
}

#[test]
fn row_ids_are_those_of_the_source_that_has_the_row() {
    let union = union(&[10, 1, 20]);
    let mut ids = vec![30, 0, 10, 9, 11, 9];
    union.row_ids(&mut ids).unwrap();
    let of = |rows, ordinal| {
        let mut id = [ordinal];
        source(rows).row_ids(&mut id).unwrap();
        id[0]
    };
    assert_eq!(ids, [of(20, 19), of(10, 0), of(1, 0), of(10, 9), of(20, 0), of(10, 9)]);
}

#[test]
fn sources_of_other_columns_are_refused() {
    assert_eq!(UnionSource::new(Vec::new()).err().map(|error| error.code()), Some(Code::InvalidArgument));
    let other = FakeSource::builder(TestTable::new(3, &[TestColumn::Vector(2)])).build();
    let error = UnionSource::new(vec![source(2), other]).err().unwrap();
    assert!(error.message().contains("the columns of dataset 1"), "{}", error.message());
}

/// A source whose epochs are shuffled.
struct Shuffled {
    rows: u64,
    seed: u64,
}

impl Shuffled {
    fn epoch(&self, epoch: u64) -> Order {
        Order::Shuffled(Shuffle::new(self.rows, 1, Key::derive(self.seed, epoch, Domain::Epoch)).unwrap())
    }
}

impl EpochOrders for Shuffled {
    fn order(&self, epoch: u64) -> Result<Arc<dyn EpochOrder>> {
        Ok(Arc::new(self.epoch(epoch)))
    }
}

const SPLITS: u64 = 4;
const LENGTHS: [u64; 3] = [1, 5, 40];

fn parts(given: u64) -> Vec<MixturePart> {
    let mut first_row = 0;
    let part = |split_len: u64| {
        let rows = split_len * SPLITS;
        first_row += rows;
        MixturePart {
            split_len,
            orders: Arc::new(Shuffled { rows, seed: split_len }),
            first_epoch: split_len,
            first_row: first_row - rows,
            given: vec![given; usize::try_from(SPLITS).unwrap()],
        }
    };
    LENGTHS.map(part).to_vec()
}

/// The rows of an epoch in plain words: walk along each split and take each source's next sample, epoch by epoch.
fn model(mixture: &Mixture, given: u64, start: u64, split_len: u64) -> Vec<u64> {
    let mut rows = Vec::new();
    for split in 0..SPLITS {
        let mut cursor = MixtureCursor::new(mixture, split, 0).unwrap();
        for _ in 0..start {
            cursor.advance();
        }
        for _ in 0..split_len {
            let (source, n) = cursor.advance();
            let (length, n) = (LENGTHS[source], n + given);
            let order = Shuffled { rows: length * SPLITS, seed: length }.epoch(length + n / length);
            let first: u64 = LENGTHS[..source].iter().map(|length| length * SPLITS).sum();
            let mut row = [split * length + n % length];
            order.map_positions(&mut row).unwrap();
            rows.push(first + row[0]);
        }
    }
    rows
}

#[test]
fn an_epoch_takes_the_samples_of_each_source_in_turn_epoch_after_epoch() {
    let mixture = Mixture::new(3, 0, &[2, 1, 5], SPLITS).unwrap();
    for (given, start, split_len) in [(0, 0, 90), (0, 90, 60), (7, 13, 30)] {
        let epoch = MixtureEpoch { split_len, unknown: 0, start };
        let order = MixtureOrder::new(mixture.clone(), parts(given), epoch).unwrap();
        let expected = model(&mixture, given, start, split_len);
        let mut rows: Vec<u64> = (0..split_len * SPLITS).collect();
        order.rows(&mut rows).unwrap();
        assert_eq!(rows, expected);
        // In any order and with repeats.
        let mut some = [5, 3, split_len * SPLITS - 1, 3, split_len + 2, 0, split_len - 1];
        let expected: Vec<u64> =
            some.iter().map(|position| expected[usize::try_from(*position).unwrap()]).collect();
        order.rows(&mut some).unwrap();
        assert_eq!(some[..], expected);
    }
}

#[test]
fn samples_that_were_had_under_other_weights_are_not_known() {
    let mixture = Mixture::new(3, 1, &[2, 1, 5], SPLITS).unwrap();
    let epoch = MixtureEpoch { split_len: 20, unknown: 6, start: 0 };
    let order = MixtureOrder::new(mixture.clone(), parts(2), epoch).unwrap();
    let mut rows = [6, 19];
    order.rows(&mut rows).unwrap();
    let expected = model(&mixture, 2, 0, 14);
    assert_eq!(rows, [expected[0], expected[13]]);
    let error = order.rows(&mut [5]).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
}

#[test]
fn a_mixture_without_a_weight_for_each_source_is_refused() {
    let mixture = Mixture::new(3, 0, &[2, 1], SPLITS).unwrap();
    let epoch = MixtureEpoch { split_len: 20, unknown: 0, start: 0 };
    assert!(MixtureOrder::new(mixture, parts(0), epoch).is_err());
}
