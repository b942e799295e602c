//! Tables whose rows are a function of their id, made in a folder that vanishes with the test.

#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part of this")]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Int64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::{DataType, Field, Schema};
use lance::Dataset;
use lance::dataset::{WriteMode, WriteParams};
use lance_loader_lance_source::{Location, Snapshot};

/// A table in a temporary folder.
pub struct TestTable {
    folder: tempfile::TempDir,
    pub dataset: Dataset,
}

/// What the table is like.
#[derive(Clone, Copy)]
pub struct Shape {
    pub rows_per_file: usize,
    pub stable_row_ids: bool,
}

/// One file and many, without and with stable row ids.
pub const SHAPES: [Shape; 4] = [
    Shape { rows_per_file: 1000, stable_row_ids: false },
    Shape { rows_per_file: 7, stable_row_ids: false },
    Shape { rows_per_file: 1000, stable_row_ids: true },
    Shape { rows_per_file: 7, stable_row_ids: true },
];

pub fn text_of(id: i64) -> String {
    format!("row {id}: {}", "x".repeat(usize::try_from(id % 7).unwrap()))
}

fn batch(ids: std::ops::Range<i64>) -> RecordBatch {
    let schema =
        Schema::new(vec![Field::new("id", DataType::Int64, false), Field::new("text", DataType::Utf8, true)]);
    let texts: StringArray = ids.clone().map(|id| (id % 5 != 3).then(|| text_of(id))).collect();
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(Int64Array::from_iter_values(ids)), Arc::new(texts)])
        .unwrap()
}

impl TestTable {
    /// Rows with the ids of a range.
    pub async fn new(ids: std::ops::Range<i64>, shape: Shape) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let uri = folder.path().join("t.lance");
        let dataset = write(uri.to_str().unwrap(), ids, WriteMode::Create, shape).await;
        Self { folder, dataset }
    }

    pub async fn append(&mut self, ids: std::ops::Range<i64>, shape: Shape) {
        self.dataset = write(&self.uri(), ids, WriteMode::Append, shape).await;
    }

    pub fn uri(&self) -> String {
        self.folder.path().join("t.lance").to_str().unwrap().to_string()
    }

    pub fn location(&self) -> Location {
        Location { uri: self.uri(), ..Location::default() }
    }

    pub async fn snapshot(&self) -> Snapshot {
        Snapshot::open(self.location()).await.unwrap()
    }
}

async fn write(uri: &str, ids: std::ops::Range<i64>, mode: WriteMode, shape: Shape) -> Dataset {
    let batch = batch(ids);
    let schema = batch.schema();
    let params = WriteParams {
        max_rows_per_file: shape.rows_per_file,
        mode,
        enable_stable_row_ids: shape.stable_row_ids,
        ..WriteParams::default()
    };
    Dataset::write(RecordBatchIterator::new([Ok(batch)], schema), uri, Some(params)).await.unwrap()
}

/// The ids in a batch, which must agree with its texts where it has them.
pub fn ids_of(batch: &RecordBatch) -> Vec<i64> {
    let ids: Vec<i64> = batch.column_by_name("id").unwrap().as_primitive::<Int64Type>().values().to_vec();
    if let Some(texts) = batch.column_by_name("text") {
        let texts: Vec<Option<String>> =
            texts.as_string::<i32>().iter().map(|text| text.map(String::from)).collect();
        let expected: Vec<_> = ids.iter().map(|&id| (id % 5 != 3).then(|| text_of(id))).collect();
        assert_eq!(texts, expected);
    }
    ids
}
