use std::sync::Arc;

use arrow_array::types::IntervalMonthDayNanoType;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Float64Array, Int64Array, IntervalMonthDayNanoArray,
    ListArray, RecordBatch, StringArray, StructArray, new_empty_array, new_null_array,
};
use arrow_array::{Decimal128Array, UInt64Array};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};
use lance_loader_permutation::{HASH_VERSION, HashSplit, hash_rows};
use serde_json::Value;

use crate::{golden, list, number};

fn data_type(kind: &str) -> DataType {
    match kind.split_once(':').unwrap_or((kind, "")) {
        ("list", item) => DataType::new_list(data_type(item), true),
        ("struct", fields) => {
            DataType::Struct(fields.split(',').map(|kind| Field::new(kind, data_type(kind), true)).collect())
        }
        ("decimal", scale) => DataType::Decimal128(38, scale.parse().unwrap()),
        ("boolean", _) => DataType::Boolean,
        ("int8", _) => DataType::Int8,
        ("int64", _) => DataType::Int64,
        ("uint64", _) => DataType::UInt64,
        ("float64", _) => DataType::Float64,
        ("utf8", _) => DataType::Utf8,
        ("binary", _) => DataType::Binary,
        ("date32", _) => DataType::Date32,
        ("time32-s", _) => DataType::Time32(TimeUnit::Second),
        ("time64-us", _) => DataType::Time64(TimeUnit::Microsecond),
        ("timestamp-s", _) => DataType::Timestamp(TimeUnit::Second, None),
        ("timestamp-ms", _) => DataType::Timestamp(TimeUnit::Millisecond, None),
        ("timestamp-ns", _) => DataType::Timestamp(TimeUnit::Nanosecond, None),
        ("duration-ms", _) => DataType::Duration(TimeUnit::Millisecond),
        ("interval-month-day-nano", _) => DataType::Interval(IntervalUnit::MonthDayNano),
        other => panic!("{other:?}"),
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// An array of one row.
fn array(kind: &str, value: &Value) -> ArrayRef {
    let data_type = data_type(kind);
    if value.is_null() {
        return new_null_array(&data_type, 1);
    }
    match &data_type {
        DataType::Boolean => Arc::new(BooleanArray::from(vec![value.as_bool().unwrap()])),
        DataType::UInt64 => Arc::new(UInt64Array::from(vec![number::<u64>(value)])),
        DataType::Float64 => Arc::new(Float64Array::from(vec![number::<f64>(value)])),
        DataType::Utf8 => Arc::new(StringArray::from(vec![value.as_str().unwrap()])),
        DataType::Binary => Arc::new(BinaryArray::from_iter_values([bytes(value.as_str().unwrap())])),
        DataType::Decimal128(_, _) => {
            Arc::new(Decimal128Array::from(vec![number::<i128>(value)]).with_data_type(data_type.clone()))
        }
        DataType::Interval(_) => {
            let [months, days, nanoseconds] = value.as_array().unwrap().as_slice() else { panic!("{value}") };
            let value =
                IntervalMonthDayNanoType::make_value(number(months), number(days), number(nanoseconds));
            Arc::new(IntervalMonthDayNanoArray::from(vec![value]))
        }
        DataType::List(item) => {
            let (kind, items) = (kind.split_once(':').unwrap().1, value.as_array().unwrap());
            let arrays: Vec<ArrayRef> = items.iter().map(|item| array(kind, item)).collect();
            let arrays: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
            let empty = || new_empty_array(item.data_type());
            let values =
                if arrays.is_empty() { empty() } else { arrow_select::concat::concat(&arrays).unwrap() };
            Arc::new(ListArray::new(item.clone(), OffsetBuffer::from_lengths([items.len()]), values, None))
        }
        DataType::Struct(fields) => {
            let values = fields.iter().zip(value.as_array().unwrap());
            let columns = values.map(|(field, value)| array(field.name(), value)).collect();
            Arc::new(StructArray::new(fields.clone(), columns, None))
        }
        _ => {
            let number = Int64Array::from(vec![number::<i64>(value)]);
            let narrow = matches!(data_type, DataType::Date32 | DataType::Time32(_));
            let first =
                if narrow { arrow_cast::cast(&number, &DataType::Int32).unwrap() } else { Arc::new(number) };
            arrow_cast::cast(&first, &data_type).unwrap()
        }
    }
}

#[test]
fn the_hash_of_every_kind_of_value_is_pinned() {
    let file = golden("hash.json");
    assert_eq!(file["version"], HASH_VERSION);
    for row in list(&file, "rows") {
        let columns: Vec<ArrayRef> = list(row, "columns")
            .iter()
            .map(|column| array(column["type"].as_str().unwrap(), &column["value"]))
            .collect();
        let names: Vec<String> = (0..columns.len()).map(|at| at.to_string()).collect();
        let batch = RecordBatch::try_from_iter_with_nullable(
            names.iter().zip(columns).map(|(name, column)| (name, column, true)),
        );
        assert_eq!(hash_rows(&batch.unwrap(), &names).unwrap(), [number::<u64>(&row["hash"])], "{row}");
    }
}

#[test]
fn ten_keys_and_null_keep_their_splits() {
    let file = golden("hash-split.json");
    let weights: Vec<u64> =
        list(&file, "splitWeights").iter().map(|weight| weight.as_u64().unwrap()).collect();
    let split = HashSplit::new(&weights, file["discardWeight"].as_u64().unwrap()).unwrap();
    assert_eq!(list(&file, "keys").len(), 11);
    for key in list(&file, "keys") {
        let batch =
            RecordBatch::try_from_iter_with_nullable([("key", array("utf8", &key["key"]), true)]).unwrap();
        let hash = hash_rows(&batch, &["key"]).unwrap()[0];
        assert_eq!((hash, split.split_of(hash)), (number(&key["hash"]), key["split"].as_u64()), "{key}");
    }
}
