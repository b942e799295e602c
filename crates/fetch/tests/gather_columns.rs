//! Stores: the types that they take, the schema in which they deliver, and how a scan grows one.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeBinaryArray, Int64Array, RecordBatch, StringArray, make_array,
};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields, Schema, UnionFields, UnionMode};
use lance_loader_fetch::column::{Column, ColumnStore, ColumnStoreBuilder, delivered_schema};
use lance_loader_fetch::gather::gather;
use lance_loader_order::Code;

fn field(name: &str, data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new(name, data_type, true))
}

#[test]
fn large_and_view_types_are_delivered_as_their_plain_twins_at_any_depth() {
    let dictionary = |values| DataType::Dictionary(Box::new(DataType::Int16), Box::new(values));
    let map = |values| {
        let entries = vec![Arc::new(Field::new("key", DataType::Utf8, false)), field("value", values)];
        DataType::Map(Arc::new(Field::new("entries", DataType::Struct(entries.into()), false)), true)
    };
    let pairs = [
        (DataType::LargeUtf8, DataType::Utf8),
        (DataType::Utf8View, DataType::Utf8),
        (DataType::LargeBinary, DataType::Binary),
        (DataType::BinaryView, DataType::Binary),
        (DataType::LargeList(field("x", DataType::Utf8View)), DataType::List(field("x", DataType::Utf8))),
        (
            DataType::FixedSizeList(field("x", DataType::LargeUtf8), 3),
            DataType::FixedSizeList(field("x", DataType::Utf8), 3),
        ),
        (dictionary(DataType::LargeUtf8), dictionary(DataType::Utf8)),
        (map(DataType::LargeBinary), map(DataType::Binary)),
        (
            DataType::Struct(vec![field("y", DataType::LargeList(field("x", DataType::Int8)))].into()),
            DataType::Struct(vec![field("y", DataType::List(field("x", DataType::Int8)))].into()),
        ),
    ];
    for (stored, delivered) in pairs {
        let schema = delivered_schema(&Schema::new(vec![field("v", stored)])).unwrap();
        assert_eq!(schema.field(0).data_type(), &delivered);
    }
}

#[test]
fn names_nullability_and_metadata_are_kept() {
    let metadata = |value: &str| HashMap::from([("key".to_owned(), value.to_owned())]);
    let child = Field::new("child", DataType::LargeUtf8, false).with_metadata(metadata("child"));
    let parent = Field::new("parent", DataType::Struct(Fields::from(vec![child.clone()])), false)
        .with_metadata(metadata("parent"));
    let schema = Schema::new_with_metadata(vec![parent.clone()], metadata("schema"));

    let child = child.with_data_type(DataType::Utf8);
    let parent = parent.with_data_type(DataType::Struct(Fields::from(vec![child])));
    assert_eq!(
        delivered_schema(&schema).unwrap(),
        Schema::new_with_metadata(vec![parent], metadata("schema"))
    );
}

#[test]
fn types_that_cannot_be_delivered_name_the_column_and_the_type() {
    let ends = Arc::new(Field::new("run_ends", DataType::Int32, false));
    let unsupported = [
        (DataType::Union(UnionFields::empty(), UnionMode::Dense), "Union"),
        (DataType::RunEndEncoded(ends, field("values", DataType::Utf8)), "RunEndEncoded"),
        (DataType::ListView(field("item", DataType::Int8)), "ListView"),
        (
            DataType::Dictionary(
                Box::new(DataType::Int8),
                Box::new(DataType::List(field("item", DataType::Int8))),
            ),
            "Dictionary",
        ),
    ];
    for (data_type, name) in unsupported {
        let nested = Schema::new(vec![field("outer", DataType::List(field("inner", data_type)))]);
        let error = delivered_schema(&nested).unwrap_err();
        assert_eq!(error.code(), Code::UnsupportedType);
        assert!(error.message().contains("outer.inner") && error.message().contains(name), "{error}");
        assert_eq!(ColumnStoreBuilder::new(&nested, None).unwrap_err().code(), Code::UnsupportedType);
    }
}

#[test]
fn slices_share_their_memory_and_keep_their_nulls() {
    let ids = (0..40).map(|id| (id % 5 > 0).then_some(id)).collect::<Int64Array>();
    let flags = (0..40).map(|id| (id % 7 > 0).then_some(id % 2 == 0)).collect::<BooleanArray>();
    let batch =
        RecordBatch::try_from_iter([("id", Arc::new(ids) as ArrayRef), ("flag", Arc::new(flags) as _)])
            .unwrap();
    let slice = batch.slice(13, 20);
    let store = ColumnStore::from_batch(&slice).unwrap();
    assert_eq!(store.bytes(), 20 * 8 + 3 + 3 + 3);

    let all: Vec<u32> = (0..20).collect();
    assert_eq!(gather(&store, &all, None).unwrap().into_record_batch(store.schema()).unwrap(), slice);
}

/// An array that was never validated, as a reader of a damaged file may make one.
fn unchecked(data_type: DataType, rows: usize, buffers: Vec<Buffer>, children: Vec<ArrayData>) -> ArrayRef {
    let builder = ArrayData::builder(data_type).len(rows).buffers(buffers).child_data(children);
    #[expect(unsafe_code, reason = "only unchecked arrays can be damaged")]
    // SAFETY: nothing reads the array but the code under test, which must not trust it.
    make_array(unsafe { builder.build_unchecked() })
}

#[test]
fn damaged_offsets_and_keys_are_errors_and_no_panic() {
    let bytes = || Buffer::from_vec(b"abcdef".to_vec());
    for offsets in [[0, 4, 2], [0, 3, 7], [-1, 2, 3]] {
        let array = unchecked(DataType::Binary, 2, vec![Buffer::from_vec(offsets.to_vec()), bytes()], vec![]);
        let error = Column::from_array("text", &array).unwrap_err();
        assert_eq!(error.code(), Code::ReadFailed);
        assert!(error.message().contains("\"text\""), "{error}");
    }
    let dictionary = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    for key in [2_i8, -1] {
        let values = StringArray::from(vec!["a", "b"]).to_data();
        let keys = Buffer::from_vec(vec![0, key]);
        let batch =
            RecordBatch::try_from_iter([("v", unchecked(dictionary.clone(), 2, vec![keys], vec![values]))])
                .unwrap();
        let store = ColumnStore::from_batch(&batch).unwrap();
        assert!(gather(&store, &[0], None).is_ok());
        assert_eq!(gather(&store, &[1], None).unwrap_err().code(), Code::ReadFailed);
        let mut builder = ColumnStoreBuilder::new(batch.schema_ref(), None).unwrap();
        assert_eq!(builder.append(&batch).unwrap_err().code(), Code::ReadFailed);
    }
}

#[test]
fn appended_bytes_are_counted_as_they_are_written() {
    let columns = |rows: usize| {
        let texts = StringArray::from_iter_values((0..rows).map(|row| "x".repeat(row)));
        let hashes = FixedSizeBinaryArray::try_from_iter((0..rows).map(|_| [7_u8; 3])).unwrap();
        let columns = [("text", Arc::new(texts) as ArrayRef), ("hash", Arc::new(hashes) as _)];
        RecordBatch::try_from_iter(columns).unwrap()
    };
    let mut builder = ColumnStoreBuilder::new(columns(1).schema_ref(), Some(1000)).unwrap();
    assert_eq!(builder.bytes(), 8);
    builder.append(&columns(10)).unwrap();
    assert_eq!(builder.bytes(), 8 + 10 * 8 + 45 + 10 * 3);
    builder.append(&columns(1).slice(0, 0)).unwrap();
    builder.append(&columns(3)).unwrap();
    assert_eq!(builder.bytes(), 8 + 13 * 8 + 48 + 13 * 3);
    assert_eq!(builder.rows(), 13);
    assert_eq!(builder.finish().bytes(), 8 + 13 * 8 + 48 + 13 * 3);
}

#[test]
fn a_bitmap_costs_nothing_before_the_first_null() {
    let ids = |ids: Vec<Option<i64>>| {
        RecordBatch::try_from_iter_with_nullable([("id", Arc::new(Int64Array::from(ids)) as ArrayRef, true)])
            .unwrap()
    };
    let mut builder = ColumnStoreBuilder::new(ids(vec![]).schema_ref(), None).unwrap();
    builder.append(&ids(vec![Some(1); 20])).unwrap();
    assert_eq!(builder.bytes(), 160);
    builder.append(&ids(vec![None])).unwrap();
    assert_eq!(builder.bytes(), 168 + 3);
}

#[test]
fn a_dictionary_holds_each_value_once_however_often_it_is_appended() {
    let labels = |labels: Vec<&str>| {
        let array: arrow_array::DictionaryArray<arrow_array::types::Int32Type> = labels.into_iter().collect();
        RecordBatch::try_from_iter([("label", Arc::new(array) as ArrayRef)]).unwrap()
    };
    let mut builder = ColumnStoreBuilder::new(labels(vec![]).schema_ref(), None).unwrap();
    for batch in [labels(vec!["a", "b"]), labels(vec!["c"]), labels(vec!["b", "c"])] {
        builder.append(&batch).unwrap();
    }
    // five keys of 4 bytes, four offsets of 8, three letters
    assert_eq!(builder.finish().bytes(), 20 + 32 + 3);
}

#[test]
fn a_batch_of_another_schema_is_refused() {
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let batch = RecordBatch::try_from_iter([("v", Arc::clone(&ids))]).unwrap();
    let mut builder = ColumnStoreBuilder::new(batch.schema_ref(), None).unwrap();
    for other in
        [vec![("v", texts)], vec![("w", Arc::clone(&ids))], vec![("v", Arc::clone(&ids)), ("w", ids)], vec![]]
    {
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(1));
        let fields: Vec<_> =
            other.iter().map(|(name, array)| field(name, array.data_type().clone())).collect();
        let arrays = other.into_iter().map(|(_, array)| array).collect();
        let other =
            RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options).unwrap();
        assert_eq!(builder.append(&other).unwrap_err().code(), Code::Internal);
    }
    builder.append(&batch).unwrap();
    assert_eq!(builder.rows(), 1);
}
