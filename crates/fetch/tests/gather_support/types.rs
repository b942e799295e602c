//! Strategies for Arrow types.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, IntervalUnit, TimeUnit};
use proptest::prelude::*;

/// A type that holds no other.
fn plain_type() -> impl Strategy<Value = DataType> {
    prop_oneof![
        prop::sample::select(vec![
            DataType::Null,
            DataType::Boolean,
            DataType::Int8,
            DataType::UInt16,
            DataType::Float16,
            DataType::Float32,
            DataType::Int64,
            DataType::Date32,
            DataType::Time64(TimeUnit::Nanosecond),
            DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            DataType::Duration(TimeUnit::Second),
            DataType::Interval(IntervalUnit::MonthDayNano),
            DataType::Decimal128(38, 3),
            DataType::Decimal256(76, 5),
        ]),
        (0..6_i32).prop_map(DataType::FixedSizeBinary),
        prop::sample::select(vec![
            DataType::Utf8,
            DataType::LargeUtf8,
            DataType::Utf8View,
            DataType::Binary,
            DataType::LargeBinary,
            DataType::BinaryView,
        ]),
    ]
}

/// A dictionary of any supported keys and values.
pub(crate) fn any_dictionary() -> impl Strategy<Value = DataType> {
    let keys =
        prop::sample::select(vec![DataType::Int8, DataType::UInt16, DataType::Int32, DataType::UInt64]);
    (keys, plain_type()).prop_map(|(keys, values)| DataType::Dictionary(keys.into(), values.into()))
}

/// Any supported type, up to three levels deep.
pub(crate) fn any_type() -> impl Strategy<Value = DataType> {
    prop_oneof![3 => plain_type(), 1 => any_dictionary()].prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|item| DataType::List(nullable("item", item))),
            inner.clone().prop_map(|item| DataType::LargeList(nullable("item", item))),
            (inner.clone(), 0..4_i32)
                .prop_map(|(item, size)| DataType::FixedSizeList(nullable("item", item), size)),
            inner.clone().prop_map(map_type),
            prop::collection::vec(inner, 0..3).prop_map(struct_type),
        ]
    })
}

fn nullable(name: &str, data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new(name, data_type, true))
}

fn struct_type(fields: Vec<DataType>) -> DataType {
    let named =
        fields.into_iter().enumerate().map(|(index, data_type)| nullable(&format!("f{index}"), data_type));
    DataType::Struct(named.collect())
}

fn map_type(values: DataType) -> DataType {
    let key = Arc::new(Field::new("key", DataType::Utf8, false));
    let entries = DataType::Struct(Fields::from(vec![key, nullable("value", values)]));
    DataType::Map(Arc::new(Field::new("entries", entries, false)), false)
}
