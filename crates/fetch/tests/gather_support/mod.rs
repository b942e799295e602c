//! Random tables of any supported type, and rows as text to compare them by.
#![allow(dead_code, reason = "each test file uses its own part")]

mod arrays;
mod cells;
mod layout;
mod types;

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use proptest::prelude::*;

pub(crate) use arrays::{Random, random_array};
pub(crate) use cells::{cell, rows};
pub(crate) use layout::buffers;
pub(crate) use types::{any_dictionary, any_type};

/// A schema of one to four nullable columns of any supported type.
pub(crate) fn any_schema() -> impl Strategy<Value = SchemaRef> {
    prop::collection::vec(any_type(), 1..=4).prop_map(schema_of)
}

/// A schema of one nullable column for each type.
pub(crate) fn schema_of(types: Vec<DataType>) -> SchemaRef {
    let fields = types
        .into_iter()
        .enumerate()
        .map(|(index, data_type)| Field::new(format!("c{index}"), data_type, true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// A batch of `rows` rows that is a slice of a longer one, so that its arrays have offsets.
pub(crate) fn random_batch(schema: &SchemaRef, rows: usize, random: &mut Random) -> RecordBatch {
    let before = random.below(11);
    let columns =
        schema.fields().iter().map(|field| random_array(field.data_type(), before + rows + 3, random));
    RecordBatch::try_new(Arc::clone(schema), columns.collect()).unwrap().slice(before, rows)
}

/// Up to 40 row numbers below `rows`, in any order, with duplicates; none if there are no rows.
pub(crate) fn random_rows(rows: usize, random: &mut Random) -> Vec<u32> {
    let count = if rows == 0 { 0 } else { random.below(40) };
    (0..count).map(|_| u32::try_from(random.below(rows)).unwrap()).collect()
}
