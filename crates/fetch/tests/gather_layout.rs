//! The contract of a block: which numbers a layout holds and where a batch's buffers lie.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::types::{Float32Type, Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, FixedSizeListArray, Int32Array, Int64Array, ListArray,
    NullArray, RecordBatch, RecordBatchOptions, StringArray, StructArray,
};
use arrow_schema::{DataType, Field, Schema};
use lance_loader_fetch::column::{ColumnStore, ColumnStoreBuilder};
use lance_loader_fetch::gather::{AlignedBuffer, Block, GatherPlan, gather};

fn gathered(array: ArrayRef, rows: &[u32]) -> Block {
    let field = Field::new("v", array.data_type().clone(), true);
    let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![array]).unwrap();
    gather(&ColumnStore::from_batch(&batch).unwrap(), rows, None).unwrap()
}

fn numbers(block: &Block, offset: usize, count: usize) -> Vec<i32> {
    let bytes = &block.data().as_slice()[offset..offset + 4 * count];
    bytes.as_chunks().0.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect()
}

#[test]
fn a_validity_bitmap_is_there_only_if_a_selected_row_is_null() {
    let array: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(3)]));
    assert_eq!(gathered(Arc::clone(&array), &[2, 0]).layout(), [2, 0, 0, 0, 0, 8]);

    let block = gathered(array, &[1, 2, 1]);
    assert_eq!(block.layout(), [3, 2, 0, 1, 64, 12]);
    assert_eq!(block.data().as_slice()[0], 0b010);
    assert_eq!(numbers(&block, 64, 3)[1], 3);
}

#[test]
fn booleans_start_at_their_first_bit() {
    let block = gathered(Arc::new(BooleanArray::from(vec![true, false, true, true]).slice(1, 3)), &[1, 0, 2]);
    assert_eq!(block.layout(), [3, 0, 0, 0, 0, 1]);
    assert_eq!(block.data().as_slice()[0], 0b101);
}

#[test]
fn strings_have_offsets_of_32_bits_from_0() {
    let block = gathered(Arc::new(StringArray::from(vec!["ab", "", "cde"])), &[2, 1, 0, 2]);
    assert_eq!(block.layout(), [4, 0, 0, 0, 0, 20, 64, 8]);
    assert_eq!(numbers(&block, 0, 5), [0, 3, 3, 5, 8]);
    assert_eq!(&block.data().as_slice()[64..72], b"cdeabcde");
}

#[test]
fn no_rows_of_strings_have_one_offset() {
    let block = gathered(Arc::new(StringArray::from(vec!["ab"])), &[]);
    assert_eq!(block.layout(), [0, 0, 0, 0, 0, 4, 0, 0]);
    assert_eq!(numbers(&block, 0, 1), [0]);
}

#[test]
fn the_items_of_a_list_follow_its_offsets() {
    let lists = vec![Some(vec![Some(1), None]), None, Some(vec![Some(3)])];
    let block = gathered(Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)), &[2, 0]);
    assert_eq!(block.layout(), [2, 0, 0, 0, 0, 12, 3, 1, 64, 1, 128, 12]);
    assert_eq!(numbers(&block, 0, 3), [0, 1, 3]);
    assert_eq!(numbers(&block, 128, 2), [3, 1]);
}

#[test]
fn a_vector_column_is_one_run_of_floats() {
    let vectors = vec![Some(vec![Some(1.0), Some(2.0)]), Some(vec![Some(3.0), Some(4.0)])];
    let block = gathered(
        Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(vectors, 2)),
        &[1, 0, 1],
    );
    assert_eq!(block.layout(), [3, 0, 0, 0, 6, 0, 0, 0, 0, 24]);
    let floats: Vec<_> =
        numbers(&block, 0, 6).into_iter().map(|bits| f32::from_bits(bits.cast_unsigned())).collect();
    assert_eq!(floats, [3.0, 4.0, 1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn a_map_is_a_list_of_structs() {
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    map.keys().append_value("k");
    map.values().append_value(7);
    map.append(true).unwrap();
    let block = gathered(Arc::new(map.finish()), &[0]);
    // the map, its entries, their keys, their values
    assert_eq!(block.layout(), [1, 0, 0, 0, 0, 8, 1, 0, 0, 0, 1, 0, 0, 0, 64, 8, 128, 1, 1, 0, 0, 0, 192, 4]);
}

#[test]
fn a_struct_has_its_fields_behind_its_validity() {
    let fields = vec![(
        Arc::new(Field::new("a", DataType::Int32, true)),
        Arc::new(Int32Array::from(vec![1, 2])) as ArrayRef,
    )];
    let block = gathered(Arc::new(StructArray::from(fields)), &[1]);
    assert_eq!(block.layout(), [1, 0, 0, 0, 1, 0, 0, 0, 0, 4]);
}

#[test]
fn a_null_column_is_its_length_alone() {
    let block = gathered(Arc::new(NullArray::new(3)), &[0, 2]);
    assert_eq!(block.layout(), [2, 2]);
    assert!(block.data().is_empty());
}

#[test]
fn a_dictionary_holds_only_the_values_that_the_batch_uses_in_first_use_order() {
    let keys = arrow_array::Int8Array::from(vec![Some(0), Some(1), None, Some(2)]);
    let array = DictionaryArray::<Int8Type>::new(keys, Arc::new(StringArray::from(vec!["a", "b", "c"])));
    let block = gathered(Arc::new(array), &[3, 2, 1, 3]);
    assert_eq!(block.layout(), [4, 1, 0, 1, 64, 4, 2, 0, 0, 0, 128, 12, 192, 2]);
    assert_eq!(&block.data().as_slice()[64..68], [0, 0, 1, 0]);
    assert_eq!(&block.data().as_slice()[192..194], b"cb");
}

#[test]
fn a_few_rows_of_a_large_dictionary_are_read_right() {
    let values = Arc::new(Int32Array::from_iter_values(0..10_000));
    let array: ArrayRef =
        Arc::new(DictionaryArray::<Int32Type>::new(Int32Array::from_iter_values(0..10_000), values));
    let block = gathered(Arc::clone(&array), &[9_999, 5, 9_999]);
    assert_eq!(block.layout(), [3, 0, 0, 0, 0, 12, 2, 0, 0, 0, 64, 8]);
    assert_eq!((numbers(&block, 0, 3), numbers(&block, 64, 2)), (vec![0, 1, 0], vec![9_999, 5]));

    let batch = RecordBatch::try_from_iter([("v", array)]).unwrap();
    let mut builder = ColumnStoreBuilder::new(batch.schema_ref(), None).unwrap();
    for start in [7, 9_000, 7] {
        builder.append(&batch.slice(start, 2)).unwrap();
    }
    // six keys of 4 bytes, four values of 4
    let store = builder.finish();
    assert_eq!(store.bytes(), 24 + 16);
    let block = gather(&store, &[5, 2, 1], None).unwrap();
    assert_eq!((numbers(&block, 0, 3), numbers(&block, 64, 2)), (vec![0, 1, 0], vec![8, 9_000]));
}

#[test]
fn lists_of_lists_keep_their_nesting() {
    let mut lists = ListBuilder::new(ListBuilder::new(Int32Builder::new()));
    for inner in [vec![1, 2], vec![], vec![3]] {
        for item in inner {
            lists.values().values().append_value(item);
        }
        lists.values().append(true);
    }
    lists.append(true);
    lists.append(true);
    let block = gathered(Arc::new(lists.finish()), &[1, 0, 0]);
    assert_eq!(block.layout()[..6], [3, 0, 0, 0, 0, 16]);
    assert_eq!(numbers(&block, 0, 4), [0, 0, 3, 6]);
    assert_eq!(numbers(&block, 64, 7), [0, 2, 2, 3, 5, 5, 6]);
}

#[test]
fn a_batch_without_columns_still_counts_its_rows() {
    let options = RecordBatchOptions::new().with_row_count(Some(5));
    let batch = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), vec![], &options).unwrap();
    let store = ColumnStore::from_batch(&batch).unwrap();
    let block = gather(&store, &[4, 0], None).unwrap();
    assert_eq!((block.rows(), block.layout()), (2, &[][..]));
    assert_eq!(block.into_record_batch(store.schema()).unwrap().num_rows(), 2);
}

#[test]
fn a_plan_knows_the_size_of_its_block() {
    let columns = [("a", Arc::new(Int64Array::from(vec![1, 2, 3])) as ArrayRef)];
    let store = ColumnStore::from_batch(&RecordBatch::try_from_iter(columns).unwrap()).unwrap();
    let plan = GatherPlan::new(&store, &[0, 0, 1, 2, 2, 2, 1, 1, 0]).unwrap();
    assert_eq!(plan.bytes(), 128);
    assert_eq!(plan.gather(None).unwrap().data().len(), 128);
}

#[test]
fn lent_memory_comes_back_as_it_was() {
    fn can_be_sent<T: Send + Sync>(_: &T) {}
    let (buffer, _) = gathered(Arc::new(Int32Array::from(vec![5; 40])), &[1; 20]).into_parts();
    can_be_sent(&buffer);
    let bytes = buffer.as_slice().to_vec();
    let (start, length, capacity) = buffer.into_raw();
    assert_eq!((length, start.as_ptr() as usize % AlignedBuffer::ALIGNMENT), (bytes.len(), 0));
    #[expect(unsafe_code, reason = "the way back of lent memory is under test")]
    // SAFETY: the three values are what `into_raw` gave just now.
    let buffer = unsafe { AlignedBuffer::from_raw(start, length, capacity) };
    assert_eq!(buffer.as_slice(), bytes);
}
