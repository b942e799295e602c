//! Which columns are read, and in which form blobs come.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use lance::Dataset;
use lance::dataset::ProjectionRequest;
use lance_core::datatypes::BlobHandling;
use lance_loader_fetch::projection::{checked_columns, projected};
use lance_loader_order::Result;

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
        let columns = checked_columns(columns, &Schema::from(dataset.schema()))?;
        let plan = ProjectionRequest::from_columns(&columns, dataset.schema())
            .into_projection_plan(dataset.clone())
            .map_err(|error| read_failed("projecting the table's columns", error))?;
        let physical = plan.physical_projection.with_blob_handling(blobs.handling());
        let schema = projected(&columns, &Schema::from(&physical.to_bare_schema()))?;
        Ok(Self { columns, blobs, schema })
    }
}
