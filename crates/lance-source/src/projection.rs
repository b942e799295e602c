//! Which columns are read, and in which form blobs come.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use lance::Dataset;
use lance::dataset::ProjectionRequest;
use lance_core::ROW_ID;
use lance_core::datatypes::BlobHandling;
use lance_loader_order::{Code, Error, Result};

use crate::errors::read_failed;

/// The form in which blob-encoded columns come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blobs {
    /// Their bytes.
    #[default]
    Bytes,
    /// Descriptors, to read the bytes later.
    Descriptors,
}

impl Blobs {
    pub(crate) fn handling(self) -> BlobHandling {
        match self {
            Self::Bytes => BlobHandling::AllBinary,
            Self::Descriptors => BlobHandling::BlobsDescriptions,
        }
    }
}

/// The columns to read, in the order in which they are delivered; `_rowid` may be one of them.
#[derive(Clone, Debug)]
pub struct Projection {
    /// The names, in order, without repeats.
    pub(crate) columns: Vec<String>,
    /// The form of blobs.
    pub(crate) blobs: Blobs,
    /// What a read delivers.
    pub(crate) schema: SchemaRef,
}

impl Projection {
    /// Checks `columns` (all of the table's when `None`) against the table.
    ///
    /// Fails with `UnknownColumn`, naming the nearest names, or `InvalidArgument` where a name is repeated or none is given.
    pub(crate) fn new(dataset: &Arc<Dataset>, columns: Option<&[String]>, blobs: Blobs) -> Result<Self> {
        let table: Vec<&str> = dataset.schema().fields.iter().map(|field| field.name.as_str()).collect();
        let columns: Vec<String> = match columns {
            Some(columns) => columns.to_vec(),
            None => table.iter().map(ToString::to_string).collect(),
        };
        check(&columns, &table)?;
        let plan = ProjectionRequest::from_columns(&columns, dataset.schema())
            .into_projection_plan(dataset.clone())
            .map_err(|error| read_failed("projecting the table's columns", error))?;
        let physical = plan.physical_projection.with_blob_handling(blobs.handling());
        let fields = Schema::from(&physical.to_bare_schema());
        let output = plan_output(&columns, &fields)?;
        Ok(Self { columns, blobs, schema: output })
    }
}

fn plan_output(columns: &[String], fields: &Schema) -> Result<SchemaRef> {
    let row_id = Arc::new(arrow_schema::Field::new(ROW_ID, arrow_schema::DataType::UInt64, false));
    let fields: Result<Vec<_>> = columns
        .iter()
        .map(|name| {
            if name == ROW_ID {
                return Ok(row_id.clone());
            }
            let found = fields.fields.iter().find(|field| field.name() == name);
            found.cloned().ok_or_else(|| {
                Error::new(Code::Internal, format!("the column {name:?} was lost in the projection"))
            })
        })
        .collect();
    Ok(Arc::new(Schema::new(fields?)))
}

fn check(columns: &[String], table: &[&str]) -> Result<()> {
    if columns.is_empty() {
        return Err(Error::new(
            Code::InvalidArgument,
            "columns is empty: name at least one column, or leave it out to read all of them",
        ));
    }
    for (index, name) in columns.iter().enumerate() {
        if columns.iter().take(index).any(|earlier| earlier == name) {
            return Err(Error::new(Code::InvalidArgument, format!("columns names {name:?} more than once")));
        }
        if name != ROW_ID && !table.contains(&name.as_str()) {
            return Err(unknown_column(name, table));
        }
    }
    Ok(())
}

fn unknown_column(name: &str, table: &[&str]) -> Error {
    let mut near: Vec<(f64, &str)> =
        table.iter().map(|column| (strsim::jaro_winkler(name, column), *column)).collect();
    near.sort_by(|left, right| right.0.total_cmp(&left.0));
    let names: Vec<String> = near.iter().take(3).map(|(_, column)| format!("{column:?}")).collect();
    Error::new(
        Code::UnknownColumn,
        format!("columns names {name:?}, which the table does not have; nearest: {}", names.join(", ")),
    )
}
