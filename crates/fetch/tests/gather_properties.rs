//! What a gathered batch holds, for random tables of random types.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod gather_support;

use std::sync::Arc;

use arrow_array::{RecordBatch, UInt32Array};
use arrow_select::take::take_record_batch;
use gather_support::{Random, any_dictionary, any_schema, random_batch, random_rows, rows, schema_of};
use lance_loader_fetch::column::{ColumnStore, ColumnStoreBuilder};
use lance_loader_fetch::gather::{AlignedBuffer, Block, gather};
use proptest::prelude::*;

/// How many rows a random table has.
const ROWS: std::ops::Range<usize> = 0..60;

/// `batch` appended in random pieces.
fn grown(batch: &RecordBatch, hint: Option<usize>, random: &mut Random) -> ColumnStore {
    let mut builder = ColumnStoreBuilder::new(batch.schema_ref(), hint).unwrap();
    let mut start = 0;
    while start < batch.num_rows() {
        let length = random.below(batch.num_rows() - start + 1);
        builder.append(&batch.slice(start, length)).unwrap();
        start += length;
    }
    builder.finish()
}

fn same_block(left: &Block, right: &Block) -> bool {
    left.layout() == right.layout() && left.data().as_slice() == right.data().as_slice()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn gathered_rows_are_the_rows_asked_for(schema in any_schema(), count in ROWS, seed: u64) {
        let mut random = Random(seed);
        let batch = random_batch(&schema, count, &mut random);
        let wanted = random_rows(count, &mut random);
        let store = ColumnStore::from_batch(&batch).unwrap();
        let gathered = gather(&store, &wanted, None).unwrap().into_record_batch(store.schema()).unwrap();

        let source = rows(&batch);
        let expected: Vec<_> = wanted.iter().map(|row| source[*row as usize].clone()).collect();
        prop_assert_eq!(rows(&gathered), expected);
    }

    #[test]
    fn batches_of_delivered_types_equal_what_take_gives(schema in any_schema(), count in ROWS, seed: u64) {
        let mut random = Random(seed);
        let batch = random_batch(&schema, count, &mut random);
        let all: Vec<u32> = (0..u32::try_from(count).unwrap()).collect();
        let store = ColumnStore::from_batch(&batch).unwrap();
        let delivered = gather(&store, &all, None).unwrap().into_record_batch(store.schema()).unwrap();

        let wanted = random_rows(count, &mut random);
        let store = ColumnStore::from_batch(&delivered).unwrap();
        prop_assert_eq!(store.schema(), delivered.schema_ref());
        let gathered = gather(&store, &wanted, None).unwrap().into_record_batch(store.schema()).unwrap();
        let taken = take_record_batch(&delivered, &UInt32Array::from(wanted)).unwrap();
        prop_assert_eq!(rows(&gathered), rows(&taken));
    }

    #[test]
    fn a_view_and_an_appended_copy_give_the_same_block(schema in any_schema(), count in ROWS, seed: u64) {
        let mut random = Random(seed);
        let batch = random_batch(&schema, count, &mut random);
        let wanted = random_rows(count, &mut random);
        let view = ColumnStore::from_batch(&batch).unwrap();
        let hint = [None, Some(0), Some(count), Some(usize::MAX)][random.below(4)];
        let copy = grown(&batch, hint, &mut random);

        prop_assert_eq!(view.schema(), copy.schema());
        let (view, copy) = (gather(&view, &wanted, None).unwrap(), gather(&copy, &wanted, None).unwrap());
        prop_assert!(same_block(&view, &copy));
    }

    #[test]
    fn dictionaries_that_differ_from_batch_to_batch_are_read_right(
        types in prop::collection::vec(any_dictionary(), 1..4),
        seed: u64,
    ) {
        let schema = schema_of(types);
        let mut random = Random(seed);
        let sizes: Vec<_> = (0..4).map(|_| random.below(12)).collect();
        let batches = sizes.into_iter().map(|size| random_batch(&schema, size, &mut random));
        let batches: Vec<_> = batches.collect();
        let mut builder = ColumnStoreBuilder::new(&schema, None).unwrap();
        for batch in &batches {
            builder.append(batch).unwrap();
        }
        let store = builder.finish();
        let wanted = random_rows(store.rows(), &mut random);
        let gathered = gather(&store, &wanted, None).unwrap().into_record_batch(store.schema()).unwrap();

        let source: Vec<_> = batches.iter().flat_map(rows).collect();
        let expected: Vec<_> = wanted.iter().map(|row| source[*row as usize].clone()).collect();
        prop_assert_eq!(rows(&gathered), expected);
    }

    #[test]
    fn recycled_memory_leaves_no_trace(schema in any_schema(), count in ROWS, seed: u64) {
        let mut random = Random(seed);
        let store = ColumnStore::from_batch(&random_batch(&schema, count, &mut random)).unwrap();
        let wanted = random_rows(count, &mut random);
        let fresh = gather(&store, &wanted, None).unwrap();
        let used = dirty(2 * fresh.data().len() + 64);
        let address = used.as_ptr();
        let recycled = gather(&store, &wanted, Some(used)).unwrap();

        prop_assert_eq!(recycled.data().as_ptr(), address);
        prop_assert!(same_block(&fresh, &recycled));
    }

    #[test]
    fn buffers_are_aligned_gapless_and_padded_with_zeros(schema in any_schema(), count in ROWS, seed: u64) {
        let mut random = Random(seed);
        let store = ColumnStore::from_batch(&random_batch(&schema, count, &mut random)).unwrap();
        let block = gather(&store, &random_rows(count, &mut random), Some(dirty(1 << 16))).unwrap();
        let (data, layout) = (block.data().as_slice(), block.layout());

        prop_assert_eq!(block.data().as_ptr() as usize % 64, 0);
        let mut end = 0;
        for (offset, length) in gather_support::buffers(store.schema(), layout) {
            prop_assert_eq!(offset, end);
            end = (offset + length).next_multiple_of(64);
            prop_assert!(data[offset + length..end].iter().all(|byte| *byte == 0));
        }
        prop_assert_eq!(data.len(), end);
    }
}

/// A buffer of at least `bytes` bytes of which none is zero.
fn dirty(bytes: usize) -> AlignedBuffer {
    let array = Arc::new(arrow_array::UInt8Array::from(vec![0xff; bytes])) as _;
    let store = ColumnStore::from_batch(&RecordBatch::try_from_iter([("v", array)]).unwrap()).unwrap();
    let all: Vec<u32> = (0..u32::try_from(bytes).unwrap()).collect();
    gather(&store, &all, None).unwrap().into_parts().0
}
