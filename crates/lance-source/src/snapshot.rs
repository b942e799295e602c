//! A table, opened and pinned to one version.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use futures::FutureExt;
use futures::future::BoxFuture;
use lance::Dataset;
use lance::dataset::builder::DatasetBuilder;
use lance_loader_order::Result;
use lance_loader_permutation::RowSet;

use crate::errors::open_failed;
use crate::filter::filtered_rows;
use crate::identity::table_identity;
use crate::projection::{Blobs, Projection};
use crate::source::LanceSource;
use crate::{LiveRows, Location};

/// One version of a table. Cheap to clone; what is committed to the table later does not change it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    dataset: Arc<Dataset>,
    rows: Arc<LiveRows>,
    identity: Arc<str>,
}

impl Snapshot {
    /// Opens the table at its newest or the given version and learns its live rows.
    ///
    /// Fails with `TableNotFound`, `VersionNotFound` or `ReadFailed`. Memory: O(fragments + deleted rows).
    pub fn open(location: Location) -> BoxFuture<'static, Result<Self>> {
        Self::load(location).boxed()
    }

    async fn load(location: Location) -> Result<Self> {
        let mut opened = open_dataset(&location, location.version).await;
        if opened.is_err() && location.version.is_some() {
            // A version is what is missing only where the table and its branch are not.
            let newest = open_dataset(&location, None).await;
            opened = newest.and(opened);
        }
        let dataset = opened?;
        let rows = LiveRows::load(&dataset).await?;
        let identity = table_identity(dataset.iter_fragments()).into();
        Ok(Self { dataset: Arc::new(dataset), rows: Arc::new(rows), identity })
    }

    /// The version that is pinned.
    pub fn version(&self) -> u64 {
        self.dataset.version_id()
    }

    /// The branch that the version counts on; `None` is main.
    pub fn branch(&self) -> Option<&str> {
        self.dataset.manifest().branch.as_deref()
    }

    /// A digest of the data files' names: the same for a table that was moved, another one for every other table.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The live rows.
    pub const fn rows(&self) -> &Arc<LiveRows> {
        &self.rows
    }

    /// The schema of the whole table.
    pub fn schema(&self) -> SchemaRef {
        Arc::new(Schema::from(self.dataset.schema()))
    }

    /// The rows for which an SQL filter is true, as ordinals.
    ///
    /// Fails with `InvalidFilter` where it does not parse or does not fit the schema. One scan of the filter's columns.
    pub fn filter(&self, filter: &str) -> BoxFuture<'static, Result<RowSet>> {
        filtered_rows(self.dataset.clone(), self.rows.clone(), filter.to_string()).boxed()
    }

    /// A source of this snapshot's rows with the given columns, or all of them.
    pub fn source(&self, columns: Option<&[String]>, blobs: Blobs) -> Result<LanceSource> {
        let projection = Projection::new(&self.dataset, columns, blobs)?;
        LanceSource::new(self.dataset.clone(), self.rows.clone(), projection)
    }
}

async fn open_dataset(location: &Location, version: Option<u64>) -> Result<Dataset> {
    let mut builder =
        DatasetBuilder::from_uri(&location.uri).with_storage_options(location.storage_options.clone());
    builder = match (&location.branch, version) {
        (Some(branch), version) => builder.with_branch(branch, version),
        (None, Some(version)) => builder.with_version(version),
        (None, None) => builder,
    };
    let branch = location.branch.as_deref();
    builder.load().await.map_err(|error| open_failed(&location.uri, branch, version, error))
}
