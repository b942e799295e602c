//! Tables of which every value is a function of the column and the ordinal.

use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Float32Builder, Int32Builder, ListBuilder};
use arrow_array::{
    ArrayRef, BinaryArray, Int32Array, Int64Array, RecordBatch, RecordBatchOptions, StringArray,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use lance_loader_order::{Code, Error, Result};

/// A column of a [`TestTable`], which has at most one of each kind.
#[derive(Clone, Copy, Debug)]
pub enum TestColumn {
    /// `id`, int64, no nulls: the ordinal.
    Id,
    /// `label`, int32, nullable: a null in every eighth row, on average.
    Label,
    /// `vector`, a list of this many float32, no nulls; all values are whole numbers.
    Vector(i32),
    /// `text`, strings of 0 to 23 characters, nullable.
    Text,
    /// `document`, strings whose length is a function of the ordinal, no nulls.
    Document(fn(u64) -> usize),
    /// `tokens`, lists of int32 whose lengths are a function of the ordinal, no nulls: 1000 times the ordinal, and the place.
    Tokens(fn(u64) -> usize),
    /// `bytes`, binary of 0 to 23 bytes, nullable.
    Bytes,
}

/// The rows of a table, which exist only when they are asked for.
#[derive(Clone, Debug)]
pub struct TestTable {
    rows: u64,
    columns: Vec<TestColumn>,
    schema: SchemaRef,
}

impl TestTable {
    /// A table of `rows` rows.
    pub fn new(rows: u64, columns: &[TestColumn]) -> Self {
        let fields: Vec<Field> = columns.iter().map(TestColumn::field).collect();
        Self { rows, columns: columns.to_vec(), schema: Arc::new(Schema::new(fields)) }
    }

    /// The schema of its batches.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The number of rows.
    pub fn num_rows(&self) -> u64 {
        self.rows
    }

    /// The rows `ordinals`, in that order, duplicates included.
    ///
    /// # Errors
    /// `Internal` for an ordinal that the table does not have.
    pub fn batch(&self, ordinals: &[u64]) -> Result<RecordBatch> {
        if let Some(ordinal) = ordinals.iter().find(|&&ordinal| ordinal >= self.rows) {
            return Err(Error::new(Code::Internal, format!("row {ordinal} of {} was asked for", self.rows)));
        }
        let columns: Vec<ArrayRef> = self.columns.iter().map(|column| column.array(ordinals)).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(ordinals.len()));
        RecordBatch::try_new_with_options(self.schema(), columns, &options).map_err(|error| {
            Error::new(Code::Internal, format!("a test table does not fit its schema: {error}"))
        })
    }
}

impl TestColumn {
    fn field(&self) -> Field {
        match self {
            Self::Id => Field::new("id", DataType::Int64, false),
            Self::Label => Field::new("label", DataType::Int32, true),
            Self::Vector(size) => {
                let item = Field::new_list_field(DataType::Float32, true);
                Field::new("vector", DataType::FixedSizeList(Arc::new(item), *size), false)
            }
            Self::Text => Field::new("text", DataType::Utf8, true),
            Self::Document(_) => Field::new("document", DataType::Utf8, false),
            Self::Tokens(_) => Field::new_list("tokens", Field::new_list_field(DataType::Int32, true), false),
            Self::Bytes => Field::new("bytes", DataType::Binary, true),
        }
    }

    fn array(&self, ordinals: &[u64]) -> ArrayRef {
        let ordinals = ordinals.iter().copied();
        match self {
            Self::Id => Arc::new(ordinals.map(u64::cast_signed).collect::<Int64Array>()),
            Self::Label => Arc::new(ordinals.map(label).collect::<Int32Array>()),
            Self::Vector(size) => vectors(ordinals, *size),
            Self::Text => Arc::new(ordinals.map(text).collect::<StringArray>()),
            Self::Document(length) => {
                let document = |ordinal| Some(letters(ordinal, length(ordinal)));
                Arc::new(ordinals.map(document).collect::<StringArray>())
            }
            Self::Tokens(length) => tokens(ordinals, *length),
            Self::Bytes => Arc::new(ordinals.map(bytes).collect::<BinaryArray>()),
        }
    }
}

/// A number without a pattern: the finalizer of `SplitMix64` (Steele, Lea and Flood 2014).
fn mixed(ordinal: u64, salt: u64) -> u64 {
    let mut number = ordinal.wrapping_add(salt.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

fn label(ordinal: u64) -> Option<i32> {
    let number = mixed(ordinal, 1);
    (!number.is_multiple_of(8)).then_some((number as u32).cast_signed())
}

fn vectors(ordinals: impl Iterator<Item = u64>, size: i32) -> ArrayRef {
    let mut vectors = FixedSizeListBuilder::new(Float32Builder::new(), size);
    for ordinal in ordinals {
        let first = mixed(ordinal, 2) % (1 << 20);
        (0..u64::from(size.unsigned_abs())).for_each(|at| vectors.values().append_value((first + at) as f32));
        vectors.append(true);
    }
    Arc::new(vectors.finish())
}

fn tokens(ordinals: impl Iterator<Item = u64>, length: fn(u64) -> usize) -> ArrayRef {
    let mut lists = ListBuilder::new(Int32Builder::new());
    for ordinal in ordinals {
        let first = (ordinal as u32).wrapping_mul(1000);
        let tokens = (0..length(ordinal) as u32).map(|place| Some(first.wrapping_add(place).cast_signed()));
        lists.append_value(tokens);
    }
    Arc::new(lists.finish())
}

fn text(ordinal: u64) -> Option<String> {
    let number = mixed(ordinal, 3);
    (!number.is_multiple_of(8)).then(|| letters(ordinal, (number / 8 % 24) as usize))
}

fn bytes(ordinal: u64) -> Option<Vec<u8>> {
    let number = mixed(ordinal, 4);
    (!number.is_multiple_of(8)).then(|| number.to_le_bytes().repeat(3)[..(number / 8 % 24) as usize].to_vec())
}

/// The ordinal in digits, then letters, cut or filled up to `length`.
fn letters(ordinal: u64, length: usize) -> String {
    ordinal.to_string().chars().chain(std::iter::repeat('x')).take(length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [TestColumn; 7] = [
        TestColumn::Id,
        TestColumn::Label,
        TestColumn::Vector(3),
        TestColumn::Text,
        TestColumn::Document(|ordinal| ordinal as usize % 40),
        TestColumn::Tokens(|ordinal| ordinal as usize % 5),
        TestColumn::Bytes,
    ];

    #[test]
    fn a_row_is_the_same_wherever_it_is_read() {
        let table = TestTable::new(100, &ALL);
        let all = table.batch(&(0..100).collect::<Vec<_>>()).unwrap();
        let some = table.batch(&[99, 3, 3]).unwrap();
        assert_eq!(some.slice(0, 1), all.slice(99, 1));
        assert_eq!(some.slice(1, 1), all.slice(3, 1));
        assert_eq!(some.slice(2, 1), all.slice(3, 1));
    }

    #[test]
    fn nullable_columns_have_nulls_and_values() {
        let batch = TestTable::new(100, &ALL).batch(&(0..100).collect::<Vec<_>>()).unwrap();
        for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
            assert_eq!(field.is_nullable(), (1..100).contains(&column.null_count()), "{}", field.name());
        }
    }

    #[test]
    fn a_row_past_the_end_is_an_error() {
        assert_eq!(TestTable::new(3, &ALL).batch(&[3]).unwrap_err().code(), Code::Internal);
    }
}
