//! What can't be gathered is an error that says why, and never a panic or wrong rows.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::sync::Arc;

use arrow_array::types::{ArrowDictionaryKeyType, Int8Type, UInt8Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, ListArray, NullArray, PrimitiveArray, RecordBatch,
    StringArray, make_array,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};
use lance_loader_fetch::column::{ColumnStore, ColumnStoreBuilder};
use lance_loader_fetch::gather::{GatherPlan, gather};
use lance_loader_order::{Code, Error};

fn batch(array: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter([("v", array)]).unwrap()
}

fn store(array: ArrayRef) -> ColumnStore {
    ColumnStore::from_batch(&batch(array)).unwrap()
}

fn plan_error(store: &ColumnStore, rows: &[u32]) -> Error {
    GatherPlan::new(store, rows).err().unwrap()
}

#[test]
fn strings_past_2_gib_ask_for_fewer_rows() {
    let store = store(Arc::new(StringArray::from(vec!["x".repeat(1 << 20)])));
    assert!(GatherPlan::new(&store, &[0; 2047]).is_ok());
    let error = plan_error(&store, &[0; 2048]);
    assert_eq!(error.code(), Code::BatchTooLarge);
    let message = "column \"v\": a batch of 2048 rows holds 2147483648 bytes, more than 2147483647: \
                   ask for fewer rows in a batch";
    assert_eq!(error.message(), message);
}

#[test]
fn list_items_past_2_to_31_ask_for_fewer_rows() {
    let item = Arc::new(Field::new("item", DataType::Null, true));
    let offsets = OffsetBuffer::new(ScalarBuffer::from(vec![0, 1 << 30]));
    let lists = ListArray::new(item, offsets, Arc::new(NullArray::new(1 << 30)), None);
    let error = plan_error(&store(Arc::new(lists)), &[0, 0]);
    assert_eq!(error.code(), Code::BatchTooLarge);
    assert!(error.message().contains("2147483648 items"), "{error}");
}

#[test]
fn fixed_size_lists_of_fixed_size_lists_do_not_overflow() {
    let nested = |items: ArrayData| {
        let item = Arc::new(Field::new("item", items.data_type().clone(), true));
        let (size, rows) = (1 << 30, items.len() >> 30);
        ArrayData::builder(DataType::FixedSizeList(item, size))
            .len(rows)
            .add_child_data(items)
            .build()
            .unwrap()
    };
    let outer = make_array(nested(nested(NullArray::new(1 << 62).to_data())));
    assert_eq!(outer.len(), 4);
    let error = plan_error(&store(outer), &[0, 1, 2, 3, 3, 3, 3, 3, 3]);
    assert_eq!(error.code(), Code::BatchTooLarge);
    assert!(error.message().contains("items"), "{error}");
}

#[test]
fn a_row_that_is_not_there_is_a_defect_and_no_panic() {
    let store = store(Arc::new(Int32Array::from(vec![1, 2])));
    for rows in [&[2][..], &[0, u32::MAX], &[1, 7, 0]] {
        let error = gather(&store, rows, None).unwrap_err();
        assert_eq!(error.code(), Code::Internal);
        assert!(error.message().contains("a store of 2 rows"), "{error}");
    }
}

/// Three batches of 100 values, no value twice.
fn three_dictionaries<K: ArrowDictionaryKeyType>() -> ColumnStore
where
    K::Native: TryFrom<u8, Error: std::fmt::Debug>,
{
    let dictionary = |part: usize| {
        let keys = PrimitiveArray::<K>::from_iter_values((0..100_u8).map(|key| key.try_into().unwrap()));
        let values = StringArray::from_iter_values((0..100).map(|value| format!("{part}/{value}")));
        batch(Arc::new(DictionaryArray::new(keys, Arc::new(values))))
    };
    let mut builder = ColumnStoreBuilder::new(dictionary(0).schema_ref(), None).unwrap();
    (0..3).for_each(|part| builder.append(&dictionary(part)).unwrap());
    builder.finish()
}

#[test]
fn more_dictionary_values_than_keys_ask_for_fewer_rows() {
    let rows: Vec<u32> = (0..300).collect();
    let store = three_dictionaries::<Int8Type>();
    let error = plan_error(&store, &rows[..129]);
    assert_eq!(error.code(), Code::BatchTooLarge);
    assert!(
        error.message().contains("129 dictionary values") && error.message().contains("(128)"),
        "{error}"
    );
    assert!(GatherPlan::new(&store, &rows[172..]).is_ok());

    let store = three_dictionaries::<UInt8Type>();
    assert!(GatherPlan::new(&store, &rows[..256]).is_ok());
    assert_eq!(plan_error(&store, &rows[..257]).code(), Code::BatchTooLarge);
}

#[test]
fn every_value_of_many_dictionaries_can_be_read() {
    let store = three_dictionaries::<Int8Type>();
    for start in (0..300).step_by(100) {
        let rows: Vec<u32> = (start..start + 100).rev().collect();
        let batch = gather(&store, &rows, None).unwrap().into_record_batch(store.schema()).unwrap();
        let expected =
            StringArray::from_iter_values((0..100).rev().map(|value| format!("{}/{value}", start / 100)));
        let values = arrow_cast::cast(batch.column(0), &DataType::Utf8).unwrap();
        assert_eq!(values.as_ref(), &expected as &dyn Array);
    }
}

#[test]
fn a_block_read_with_another_schema_is_a_defect_and_no_panic() {
    let ints = store(Arc::new(Int32Array::from(vec![1, 2])));
    let strings = store(Arc::new(StringArray::from(vec!["a", "b"])));
    let error = gather(&ints, &[0, 1], None).unwrap().into_record_batch(strings.schema()).unwrap_err();
    assert_eq!(error.code(), Code::Internal);
}
