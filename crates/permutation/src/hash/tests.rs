use std::sync::Arc;

use arrow_array::builder::{ListBuilder, ListViewBuilder, StringBuilder};
use arrow_array::types::{Int8Type, Int32Type, UInt64Type};
use arrow_array::*;
use arrow_buffer::{IntervalDayTime, IntervalMonthDayNano, NullBuffer, i256};
use arrow_schema::{DataType, Field, Fields, TimeUnit};
use lance_loader_order::Code;
use proptest::prelude::*;

use super::{HashSplit, hash_rows};

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn hash(array: impl Array + 'static) -> Vec<u64> {
    hash_rows(&batch(vec![("v", Arc::new(array))]), &["v"]).unwrap()
}

fn cast(array: &dyn Array, to: &DataType) -> ArrayRef {
    arrow_cast::cast(array, to).unwrap()
}

#[test]
fn strings_hash_alike_in_every_encoding() {
    let plain = StringArray::from(vec![
        Some("a"),
        None,
        Some(""),
        Some("a longer string, not inlined"),
        Some("a"),
        Some("ü"),
    ]);
    let expected = hash(plain.clone());
    let dictionary = |key| DataType::Dictionary(Box::new(key), Box::new(DataType::Utf8));
    for to in
        [DataType::LargeUtf8, DataType::Utf8View, dictionary(DataType::Int8), dictionary(DataType::UInt64)]
    {
        assert_eq!(hash(cast(&plain, &to)), expected, "{to}");
    }
    assert_eq!(expected[0], expected[4]);
    let binary = hash(cast(&plain, &DataType::Binary));
    for to in [DataType::LargeBinary, DataType::BinaryView] {
        assert_eq!(hash(cast(&plain, &to)), binary, "{to}");
    }
    assert_eq!(hash(FixedSizeBinaryArray::from(vec![b"a", b"b"]))[0], binary[0]);
    assert!(expected[0] != binary[0] && expected[1] == binary[1]);
}

#[test]
fn integers_hash_by_value_whatever_their_width_and_sign() {
    let expected = hash(Int64Array::from(vec![Some(-128), Some(0), Some(127), None]));
    assert_eq!(hash(Int8Array::from(vec![Some(-128), Some(0), Some(127), None])), expected);
    assert_eq!(hash(UInt8Array::from(vec![127]))[0], expected[2]);
    assert_ne!(hash(UInt64Array::from(vec![u64::MAX])), hash(Int64Array::from(vec![-1])));
    assert_ne!(hash(BooleanArray::from(vec![true])), hash(Int8Array::from(vec![1])));
}

#[test]
fn zeros_are_one_and_nan_is_one_in_every_float() {
    let floats = hash(Float64Array::from(vec![
        0.0,
        -0.0,
        f64::NAN,
        -f64::NAN,
        f64::from_bits(0x7ff0_0000_0000_0001),
        1.5,
    ]));
    assert_eq!(floats[0], floats[1]);
    assert!(floats[2] == floats[3] && floats[2] == floats[4]);
    assert_eq!(hash(Float32Array::from(vec![-0.0, f32::NAN, 1.5])), [floats[0], floats[2], floats[5]]);
    let halves = cast(&Float32Array::from(vec![-0.0, f32::NAN, 1.5]), &DataType::Float16);
    assert_eq!(hash(halves), [floats[0], floats[2], floats[5]]);
}

#[test]
fn nulls_share_one_hash_whatever_lies_below_them() {
    let lies_below = Int32Array::new(vec![1, 2].into(), Some(NullBuffer::from(vec![false, false])));
    let expected = hash(NullArray::new(2));
    assert_eq!(hash(lies_below), expected);
    assert_eq!(hash(DictionaryArray::<Int8Type>::from_iter([None::<&str>, None])), expected);
    let null_in_dictionary = DictionaryArray::<Int8Type>::new(
        Int8Array::from(vec![0, 1]),
        Arc::new(StringArray::from(vec![None::<&str>, None])),
    );
    assert_eq!(hash(null_in_dictionary), expected);
    assert_ne!(hash(StringArray::from(vec![""]))[0], expected[0]);
}

#[test]
fn units_of_time_do_not_matter_and_kinds_do() {
    let seconds = TimestampSecondArray::from(vec![-1, 1_700_000_000]);
    let expected = hash(seconds.clone());
    for unit in [TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond] {
        assert_eq!(
            hash(cast(&seconds, &DataType::Timestamp(unit, Some("+00:00".into())))),
            expected,
            "{unit:?}"
        );
    }
    let days = Date32Array::from(vec![-1, 19_000]);
    assert_eq!(hash(cast(&days, &DataType::Date64)), hash(days));
    let time = hash(Time32SecondArray::from(vec![5]));
    assert_eq!(hash(Time32MillisecondArray::from(vec![5_000])), time);
    assert_eq!(hash(Time64MicrosecondArray::from(vec![5_000_000])), time);
    assert_eq!(hash(Time64NanosecondArray::from(vec![5_000_000_000])), time);
    let duration = hash(DurationSecondArray::from(vec![5]));
    assert_eq!(hash(DurationMillisecondArray::from(vec![5_000])), duration);
    assert_eq!(hash(DurationMicrosecondArray::from(vec![5_000_000])), duration);
    assert_eq!(hash(DurationNanosecondArray::from(vec![5_000_000_000])), duration);
    assert!(time != duration && duration != hash(TimestampSecondArray::from(vec![5])));
    let day = hash(IntervalDayTimeArray::from(vec![IntervalDayTime::new(3, 7)]));
    assert_eq!(hash(IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNano::new(0, 3, 7_000_000)])), day);
    let months = IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNano::new(14, 0, 0)]);
    assert_eq!(hash(IntervalYearMonthArray::from(vec![14])), hash(months));
}

#[test]
fn decimals_hash_alike_in_every_width_of_one_scale() {
    let values = vec![-15, 0, 1_234_567];
    let wide =
        hash(Decimal128Array::from_iter_values(values.clone()).with_precision_and_scale(9, 3).unwrap());
    let narrow = Decimal32Array::from_iter_values(values.iter().map(|&value| value as i32));
    assert_eq!(hash(narrow.with_precision_and_scale(9, 3).unwrap()), wide);
    let middle = Decimal64Array::from_iter_values(values.iter().map(|&value| value as i64));
    assert_eq!(hash(middle.with_precision_and_scale(18, 3).unwrap()), wide);
    let widest = Decimal256Array::from_iter_values(values.iter().map(|&value| i256::from_i128(value)));
    assert_eq!(hash(widest.with_precision_and_scale(50, 3).unwrap()), wide);
    assert_ne!(hash(Decimal128Array::from_iter_values(values).with_precision_and_scale(9, 2).unwrap()), wide);
}

fn lists() -> ListArray {
    let item = |value| Some(value);
    ListArray::from_iter_primitive::<Int32Type, _, _>([
        Some(vec![item(1), item(2)]),
        None,
        Some(vec![None, item(3)]),
        Some(vec![item(1), item(2)]),
    ])
}

#[test]
fn lists_hash_alike_in_every_layout_and_slice() {
    let expected = hash(lists());
    let item = Arc::new(Field::new_list_field(DataType::Int64, true));
    for to in [
        DataType::LargeList(item.clone()),
        DataType::FixedSizeList(item.clone(), 2),
        DataType::ListView(item.clone()),
        DataType::LargeListView(item),
    ] {
        assert_eq!(hash(cast(&lists(), &to)), expected, "{to}");
        assert_eq!(hash(cast(&lists(), &to).slice(2, 2)), expected[2..], "{to}");
    }
    assert_eq!(hash(lists().slice(1, 2)), expected[1..3]);
    assert_eq!(expected[0], expected[3]);
}

#[test]
fn where_values_end_is_part_of_the_hash() {
    let pair = |a: &'static str, b: &'static str| {
        let columns: Vec<(&str, ArrayRef)> =
            vec![("a", Arc::new(StringArray::from(vec![a]))), ("b", Arc::new(StringArray::from(vec![b])))];
        hash_rows(&batch(columns), &["a", "b"]).unwrap()[0]
    };
    assert_ne!(pair("ab", "c"), pair("a", "bc"));
    assert_ne!(pair("a", "b"), pair("b", "a"));
    assert_ne!(hash(StringArray::from(vec!["a"])), hash(StringArray::from(vec!["a\0"])));
    let nested = |lists: &[&[&str]]| {
        let mut builder = ListBuilder::new(ListBuilder::new(StringBuilder::new()));
        for inner in lists {
            inner.iter().for_each(|item| builder.values().values().append_value(item));
            builder.values().append(true);
        }
        builder.append(true);
        hash(builder.finish())
    };
    assert_ne!(nested(&[&["a"], &["b"]]), nested(&[&["a", "b"], &[]]));
}

#[test]
fn structs_hash_their_fields_in_order() {
    let fields =
        Fields::from(vec![Field::new("x", DataType::Int32, true), Field::new("y", DataType::Utf8, true)]);
    let of = |nulls: Option<NullBuffer>| {
        let x: ArrayRef = Arc::new(Int32Array::from(vec![1, 1, 2]));
        let y: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), Some("a"), None]));
        hash(StructArray::new(fields.clone(), vec![x, y], nulls))
    };
    let all = of(None);
    assert!(all[0] == all[1] && all[0] != all[2]);
    let with_null = of(Some(NullBuffer::from(vec![true, false, true])));
    assert_eq!((with_null[0], with_null[1]), (all[0], hash(NullArray::new(1))[0]));
}

#[test]
fn unknown_columns_and_types_without_a_hash_are_refused_by_name() {
    let error = hash_rows(&batch(vec![("v", Arc::new(NullArray::new(1)))]), &["w"]).unwrap_err();
    assert_eq!((error.code(), error.message().contains("\"w\"")), (Code::UnknownColumn, true));
    let runs =
        RunArray::<Int32Type>::try_new(&Int32Array::from(vec![2]), &UInt64Array::from(vec![7])).unwrap();
    let error = hash_rows(&batch(vec![("v", Arc::new(runs))]), &["v"]).unwrap_err();
    assert_eq!((error.code(), error.message().contains("\"v\"")), (Code::UnsupportedType, true));
    let deep = (0..70).fold(Arc::new(NullArray::new(1)) as ArrayRef, |inner, _| {
        let field = Arc::new(Field::new("inner", inner.data_type().clone(), true));
        Arc::new(StructArray::new(vec![field].into(), vec![inner], None))
    });
    assert_eq!(hash_rows(&batch(vec![("v", deep)]), &["v"]).unwrap_err().code(), Code::UnsupportedType);
}

#[test]
fn wrong_weights_are_refused_by_name() {
    let cases: [(&[u64], u64, &str); 4] = [
        (&[], 0, "splitWeights has 0 weights"),
        (&[1, 0], 0, "splitWeights[1] is 0"),
        (&[u64::MAX, 1], 0, "sum to more than"),
        (&[1], u64::MAX, "sum to more than"),
    ];
    for (weights, discard, words) in cases {
        let error = HashSplit::new(weights, discard).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains(words), "{error}");
    }
}

#[test]
fn splits_get_their_share_and_the_rest_is_discarded() {
    let split = HashSplit::new(&[70, 20], 10).unwrap();
    let mut counts = [0_u64; 3];
    for hash in hash(UInt64Array::from_iter_values(0..100_000)) {
        counts[split.split_of(hash).map_or(2, |split| split as usize)] += 1;
    }
    for (count, expected) in counts.into_iter().zip([70_000, 20_000, 10_000]) {
        assert!(count.abs_diff(expected) < 600, "{counts:?}");
    }
    assert_eq!((split.split_of(0), split.split_of(u64::MAX)), (Some(0), None));
    let all = HashSplit::new(&[1, u64::MAX - 1], 0).unwrap();
    assert_eq!((all.split_of(0), all.split_of(u64::MAX)), (Some(0), Some(1)));
}

proptest! {
    #[test]
    fn a_row_hashes_the_same_wherever_it_stands(
        rows in proptest::collection::vec((any::<Option<i64>>(), proptest::option::of(".{0,12}")), 1..40),
        at in any::<proptest::sample::Index>(),
    ) {
        let of = |rows: &[(Option<i64>, Option<String>)]| {
            let keys: ArrayRef = Arc::new(rows.iter().map(|row| row.0).collect::<Int64Array>());
            let names: ArrayRef = Arc::new(rows.iter().map(|row| row.1.as_deref()).collect::<StringArray>());
            hash_rows(&batch(vec![("k", keys), ("n", names)]), &["k", "n"]).unwrap()
        };
        let all = of(&rows);
        let at = at.index(rows.len());
        prop_assert_eq!(of(&rows[at..=at])[0], all[at]);
        for (row, hash) in rows.iter().zip(&all) {
            prop_assert_eq!(*row == rows[at], *hash == all[at]);
        }
    }

    #[test]
    fn lists_and_their_views_hash_by_their_items(
        rows in proptest::collection::vec(proptest::collection::vec(any::<Option<u64>>(), 0..6), 1..20),
    ) {
        let plain = ListArray::from_iter_primitive::<UInt64Type, _, _>(rows.iter().cloned().map(Some));
        let mut views = ListViewBuilder::new(arrow_array::builder::UInt64Builder::new());
        for row in &rows {
            views.append_value(row.iter().copied());
        }
        let hashes = hash(plain);
        prop_assert_eq!(&hash(views.finish()), &hashes);
        for (a, x) in rows.iter().zip(&hashes) {
            prop_assert!(rows.iter().zip(&hashes).all(|(b, y)| (a == b) == (x == y)));
        }
    }
}
