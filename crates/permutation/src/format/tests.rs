use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use lance_loader_order::{Code, ORDER_VERSION, Result};
use proptest::prelude::*;

use super::{SplitRun, TableDecoder, TableInfo, encode};
use crate::config::PermutationConfig;
use crate::hash::HASH_VERSION;
use crate::rows::Rows;

fn table(columns: Vec<(&str, ArrayRef)>, metadata: &[(&str, &str)]) -> RecordBatch {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    );
    let metadata: HashMap<_, _> =
        metadata.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let batch = batch.unwrap();
    let schema = Schema::new_with_metadata(batch.schema().fields().clone(), metadata);
    batch.with_schema(Arc::new(schema)).unwrap()
}

fn ids(ids: &[u64]) -> ArrayRef {
    Arc::new(UInt64Array::from(ids.to_vec()))
}

/// All runs and the lengths of the splits.
fn decode(batches: &[RecordBatch]) -> Result<(Vec<SplitRun>, Vec<u64>)> {
    let mut decoder = TableDecoder::new(&batches[0].schema())?;
    let mut runs = Vec::new();
    for batch in batches {
        runs.extend(decoder.decode(batch)?);
    }
    let layout = decoder.finish()?;
    Ok((runs, (0..layout.num_splits()).map(|split| layout.len_of(split)).collect()))
}

fn ours(json: &str, rows: u64) -> (TableInfo, Vec<RecordBatch>) {
    let config = PermutationConfig::from_json(json).unwrap();
    let permutation = config.build(Rows::All(rows)).unwrap();
    let info = TableInfo::new(&permutation, &config, 7, Some("exp".to_owned()));
    let schema = Arc::new(info.schema());
    let chunks = permutation.chunks(3).map(|chunk| chunk.unwrap());
    let batches = chunks.map(|chunk| encode(&schema, chunk.split as u64, chunk.ordinals).unwrap()).collect();
    (info, batches)
}

#[test]
fn our_table_has_two_columns_that_are_never_null_and_only_its_own_metadata() {
    let json = r#"{"splitSequential":{"counts":[4,2],"splitNames":["train","täst"]}}"#;
    let (info, batches) = ours(json, 8);
    let schema = info.schema();
    let columns: Vec<_> =
        schema.fields().iter().map(|f| (f.name().as_str(), f.data_type(), f.is_nullable())).collect();
    assert_eq!(columns, [("row_id", &DataType::UInt64, false), ("split_id", &DataType::UInt64, false)]);
    let mut metadata: Vec<_> =
        schema.metadata.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    metadata.sort_unstable();
    let version = (ORDER_VERSION.to_string(), HASH_VERSION.to_string());
    let expected = [
        ("base_branch", "exp"),
        ("base_version", "7"),
        ("lance_loader.config", json),
        ("lance_loader.format", "1"),
        ("lance_loader.hash_version", version.1.as_str()),
        ("lance_loader.order_version", version.0.as_str()),
        ("lance_loader.split_lengths", "[4,2]"),
        ("split_names", "[\"train\",\"täst\"]"),
    ];
    assert_eq!(metadata, expected);
    assert_eq!(TableInfo::from_schema(&schema).unwrap(), info);
    let (runs, lengths) = decode(&batches).unwrap();
    assert_eq!(lengths, [4, 2]);
    assert_eq!(runs.into_iter().flat_map(|run| run.row_ids).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn tables_of_python_are_read_as_python_reads_them() {
    let plain = table(vec![("row_id", ids(&[9, 3, 4])), ("split_id", ids(&[0, 0, 2]))], &[]);
    let (runs, lengths) = decode(&[plain]).unwrap();
    assert_eq!(lengths, [2, 0, 1]);
    assert_eq!(runs, [SplitRun { split: 0, row_ids: vec![9, 3] }, SplitRun { split: 2, row_ids: vec![4] }]);

    // A calculated split: its own type, the column first, rows of no split before and after.
    let splits: ArrayRef = Arc::new(Int64Array::from(vec![Some(-1), Some(0), Some(1), None]));
    let calculated = table(
        vec![("split_id", splits), ("row_id", ids(&[8, 5, 6, 7]))],
        &[("split_names", r#"["a","b","c"]"#), ("base_version", "12"), ("huggingface", "{}")],
    );
    let decoder = TableDecoder::new(&calculated.schema()).unwrap();
    assert_eq!((decoder.info().base_version, decoder.info().own.as_ref()), (Some(12), None));
    let (runs, lengths) = decode(&[calculated]).unwrap();
    assert_eq!((runs.len(), lengths), (2, vec![1, 1, 0]));
}

#[test]
fn splits_that_python_stores_interleaved_keep_their_own_order() {
    let batch = |row_ids, splits| table(vec![("row_id", ids(row_ids)), ("split_id", ids(splits))], &[]);
    let (runs, lengths) = decode(&[batch(&[5, 3, 9, 1], &[1, 0, 1, 0]), batch(&[2, 8], &[1, 0])]).unwrap();
    let expected = [(1, vec![5, 9]), (0, vec![3, 1]), (1, vec![2]), (0, vec![8])];
    assert_eq!(runs, expected.map(|(split, row_ids)| SplitRun { split, row_ids }));
    assert_eq!(lengths, [3, 3]);
}

#[test]
fn malformed_tables_are_refused_with_the_reason() {
    let nulls: ArrayRef = Arc::new(UInt64Array::from(vec![Some(1), None]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["1", "2"]));
    let two = ids(&[0, 0]);
    let columns = |row_id: &ArrayRef, split_id: &ArrayRef| {
        vec![("row_id", row_id.clone()), ("split_id", split_id.clone())]
    };
    let good = |metadata: &[(&str, &str)]| table(columns(&two, &two), metadata);
    let own = |key: &str, value: &str| {
        let mut metadata = HashMap::from([
            ("lance_loader.format", "1"),
            ("lance_loader.order_version", "1"),
            ("lance_loader.hash_version", "1"),
            ("lance_loader.split_lengths", "[2]"),
            ("lance_loader.config", "{}"),
        ]);
        metadata.insert(key, value);
        metadata.retain(|_, value| !value.is_empty());
        good(&metadata.into_iter().collect::<Vec<_>>())
    };
    assert!(decode(&[own("x", "y")]).is_ok());
    let cases = [
        (table(vec![("row_id", two.clone())], &[]), "[\"row_id\"]"),
        (
            table(columns(&(Arc::new(UInt32Array::from(vec![1, 2])) as _), &two), &[]),
            "row_id has type UInt32",
        ),
        (table(columns(&two, &text), &[]), "split_id has type Utf8"),
        (table(columns(&nulls, &two), &[]), "row_id of row 1"),
        (table(columns(&two, &ids(&[0, 1 << 60])), &[]), "below 65536"),
        (good(&[("split_names", "train")]), "split_names is \"train\"; it must be a JSON list"),
        (good(&[("base_version", "-1")]), "base_version is \"-1\""),
        (own("lance_loader.format", "2"), "newer than 1"),
        (own("lance_loader.config", ""), "lacks lance_loader.config"),
        (own("lance_loader.split_lengths", "[2,1]"), "2 rows in place of 3"),
        (own("lance_loader.split_lengths", "[1]"), "2 rows in place of 1"),
    ];
    for (batch, words) in cases {
        let error = decode(&[batch]).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains(words), "{error}");
    }
    let mut ours = TableDecoder::new(&own("x", "y").schema()).unwrap();
    let error = ours.decode(&table(columns(&two, &ids(&[1, 0])), &[])).unwrap_err();
    assert!(error.message().contains("goes back from 1 to 0 at row 1"), "{error}");
    let error = ours.decode(&table(columns(&two, &nulls), &[])).unwrap_err();
    assert!(error.message().contains("split_id of row 1"), "{error}");
    let other = Schema::new(vec![Field::new("row_id", DataType::UInt64, false)]);
    assert_eq!(encode(&Arc::new(other), 0, vec![1]).unwrap_err().code(), Code::Internal);
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_from_batches_of_any_size(
        lengths in proptest::collection::vec(1_u64..40, 1..6),
        piece in 1_usize..50,
    ) {
        let counts = serde_json::json!(lengths).to_string();
        let (_, batches) = ours(&format!(r#"{{"splitRandom":{{"counts":{counts}}}}}"#), 300);
        let rows = |at| batches.iter().flat_map(|batch| {
            let column: &UInt64Array = batch.column(at).as_any().downcast_ref().unwrap();
            column.values().to_vec()
        }).collect::<Vec<u64>>();
        let (row_ids, splits) = (rows(0), rows(1));
        let pieces: Vec<_> = row_ids.chunks(piece).zip(splits.chunks(piece)).map(|(row_ids, splits)| {
            RecordBatch::try_new(batches[0].schema(), vec![ids(row_ids), ids(splits)]).unwrap()
        }).collect();
        let (runs, read) = decode(&pieces).unwrap();
        prop_assert_eq!(read, lengths);
        let pairs = |run: SplitRun| run.row_ids.into_iter().map(move |id| (id, run.split));
        let again: Vec<(u64, u64)> = runs.into_iter().flat_map(pairs).collect();
        prop_assert_eq!(again, row_ids.into_iter().zip(splits).collect::<Vec<_>>());
    }
}
