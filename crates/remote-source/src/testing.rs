//! A server in memory that answers in any order.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, UInt64Array};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use lance_loader_fetch::projection::ROW_ID;
use lance_loader_order::Result;
use lance_loader_permutation::SPLIT_COLUMN;

use crate::{RemoteTable, Request, RowService, ScanColumns};

/// What an answer does with the rows of a take before they leave.
pub(crate) type Tamper = fn(&mut Vec<u64>);

/// Rows by id. A row's `value` is its id, its `name` tells it in words.
pub(crate) struct FakeServer {
    rows: BTreeMap<u64, i64>,
    /// Rows come reversed and in batches of this many.
    batch_rows: usize,
    tamper: Tamper,
    /// The requests, in the order in which they came.
    pub(crate) asked: Mutex<Vec<Request>>,
}

impl FakeServer {
    pub(crate) fn new(ids: impl IntoIterator<Item = u64>, batch_rows: usize) -> Self {
        let rows = ids.into_iter().map(|id| (id, id.cast_signed())).collect();
        Self { rows, batch_rows, tamper: |_| {}, asked: Mutex::default() }
    }

    pub(crate) fn tampered(self, tamper: Tamper) -> Self {
        Self { tamper, ..self }
    }

    pub(crate) fn table(self: &Arc<Self>) -> RemoteTable {
        RemoteTable {
            service: self.clone(),
            identity: "shop/items".into(),
            version: 7,
            branch: None,
            schema: schema(),
        }
    }

    fn batch(&self, ids: &[u64], columns: &[String]) -> RecordBatch {
        let values = || ids.iter().map(|id| self.rows[id]);
        let column = |name: &String| -> ArrayRef {
            match name.as_str() {
                "value" | SPLIT_COLUMN => Arc::new(values().collect::<Int64Array>()),
                _ => Arc::new(StringArray::from_iter_values(values().map(|value| format!("row {value}")))),
            }
        };
        let named = columns.iter().map(|name| (name.clone(), column(name)));
        let row_id: ArrayRef = Arc::new(UInt64Array::from(ids.to_vec()));
        RecordBatch::try_from_iter(named.chain([(ROW_ID.to_string(), row_id)])).unwrap()
    }
}

impl RowService for FakeServer {
    fn ask(&self, request: Request) -> BoxStream<'static, Result<Vec<u8>>> {
        self.asked.lock().unwrap().push(request.clone());
        let (mut ids, columns) = match request {
            Request::Take { row_ids, columns } => {
                (row_ids.into_iter().filter(|id| self.rows.contains_key(id)).collect(), columns)
            }
            Request::Scan { columns: ScanColumns::Named(columns), .. } => {
                (self.rows.keys().copied().collect::<Vec<_>>(), columns)
            }
            Request::Scan { columns: ScanColumns::Expression { name, .. }, .. } => {
                (self.rows.keys().copied().collect(), vec![name])
            }
        };
        ids.reverse();
        (self.tamper)(&mut ids);
        let files: Vec<_> =
            ids.chunks(self.batch_rows).map(|ids| Ok(file(&self.batch(ids, &columns)))).collect();
        stream::iter(files).boxed()
    }
}

pub(crate) fn schema() -> SchemaRef {
    let fields = [("name", DataType::Utf8), ("value", DataType::Int64)];
    Arc::new(Schema::new(fields.map(|(name, data_type)| Field::new(name, data_type, true)).to_vec()))
}

pub(crate) fn file(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    writer.into_inner().unwrap()
}
