//! A table, opened and pinned to one version.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use futures::FutureExt;
use futures::future::BoxFuture;
use lance::Dataset;
use lance::dataset::builder::DatasetBuilder;
use lance::dataset::mem_wal::DatasetMemWalExt;
use lance::io::ObjectStoreParams;
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::format::TableInfo;
use lance_loader_permutation::{Permutation, PermutationConfig, RowSet, SpillOptions, Stop};

use crate::cache::Cached;
use crate::errors::{open_failed, read_failed};
use crate::filter::filtered_rows;
use crate::identity::table_identity;
use crate::permutation::{FindRows, RowIds, build, load, persist, rows_of};
use crate::projection::{Blobs, Projection};
use crate::queued_reads::QueuedReads;
use crate::source::LanceSource;
use crate::{LiveRows, Location};

/// One version of a table. Cheap to clone; what is committed to the table later does not change it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    dataset: Arc<Dataset>,
    rows: Arc<LiveRows>,
    queued: Arc<QueuedReads>,
    identity: Arc<str>,
    is_remote: bool,
    cache_bytes: u64,
}

impl Snapshot {
    /// Opens the table at its newest or the given version and learns its live rows.
    ///
    /// Fails with `TableNotFound`, `VersionNotFound` or `ReadFailed`, and with `UnsupportedSource` for a table with an LSM write spec. Memory: O(fragments + deleted rows).
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
        refuse_lsm(&dataset, &location.uri).await?;
        let rows = LiveRows::load(&dataset).await?;
        let identity = table_identity(dataset.iter_fragments()).into();
        let queued = Arc::new(QueuedReads::new(&location, dataset.version_id()));
        let is_remote = location.is_remote();
        let cache_bytes = location.cache.filter(|_| is_remote).map_or(0, |cache| cache.max_bytes());
        let (dataset, rows) = (Arc::new(dataset), Arc::new(rows));
        Ok(Self { dataset, rows, queued, identity, is_remote, cache_bytes })
    }

    /// The version that is pinned.
    pub fn version(&self) -> u64 {
        self.dataset.version_id()
    }

    /// The branch that the version counts on; `None` is main.
    pub fn branch(&self) -> Option<&str> {
        self.dataset.manifest().branch.as_deref()
    }

    /// Whether each read of the table is a request to a server.
    pub const fn is_remote(&self) -> bool {
        self.is_remote
    }

    /// Bytes of the table that local disk keeps once they were read.
    pub const fn cache_bytes(&self) -> u64 {
        self.cache_bytes
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

    /// The permutation of this snapshot's rows that `config` describes.
    ///
    /// Reads nothing but the filter's columns, and for a hash or a calculated split what it needs of each row, in one scan. Memory: what
    /// the filter keeps as a compressed set, and `options.memory_limit`; what passes that goes to temporary files.
    ///
    /// Fails with `InvalidArgument`, `InvalidFilter`, `UnknownColumn`, `ReadFailed`, `RowsMissing`, `WriteFailed` or `Aborted`.
    pub fn build_permutation(
        &self,
        config: PermutationConfig,
        options: SpillOptions,
    ) -> BoxFuture<'static, Result<Permutation>> {
        build(self.clone(), config, options).boxed()
    }

    /// Writes a permutation of this snapshot that `config` describes as a new Lance table at `target`, batch by batch, until `stop` is
    /// thrown.
    ///
    /// Fails with `AlreadyExists`, `WriteFailed` or `Aborted`; nothing of the table is there then.
    pub fn persist_permutation(
        &self,
        permutation: Arc<Permutation>,
        config: &PermutationConfig,
        target: Location,
        stop: Stop,
    ) -> BoxFuture<'static, Result<()>> {
        let branch = self.branch().map(ToString::to_string);
        let info = TableInfo::new(&permutation, config, self.version(), branch);
        let rows = self.rows.clone();
        let row_ids: RowIds = Arc::new(move |ordinals| rows.row_ids(ordinals));
        Self::persist_rows(permutation, info, row_ids, target, stop)
    }

    /// The same for a table that is no Lance table of this process, but has row ids.
    pub fn persist_rows(
        permutation: Arc<Permutation>,
        info: TableInfo,
        row_ids: RowIds,
        target: Location,
        stop: Stop,
    ) -> BoxFuture<'static, Result<()>> {
        persist(permutation, info, row_ids, target, stop).boxed()
    }

    /// What this table says about itself as a permutation table.
    ///
    /// Fails with `InvalidArgument` where its metadata can't be read.
    pub fn permutation_info(&self) -> Result<TableInfo> {
        TableInfo::from_schema(&self.schema())
    }

    /// The rows that `stored`, a permutation table, names, as a permutation of this snapshot.
    ///
    /// Fails with `InvalidArgument` for a table that is none, `RowsMissing` where this snapshot lacks a row, `ReadFailed`. Memory: 8 bytes a
    /// row up to `options.memory_limit`, then temporary files.
    pub fn load_permutation(
        &self,
        stored: &Self,
        options: SpillOptions,
    ) -> BoxFuture<'static, Result<Permutation>> {
        let (base, stored) = (self.clone(), stored.clone());
        async move {
            let version = base.version();
            load(rows_of(base).await?, version, stored, options).await
        }
        .boxed()
    }

    /// The rows that this permutation table names, as a permutation of another table's `version`, in which `find` finds rows.
    ///
    /// Fails as `load_permutation`.
    pub fn load_rows(
        &self,
        find: FindRows,
        version: u64,
        options: SpillOptions,
    ) -> BoxFuture<'static, Result<Permutation>> {
        load(find, version, self.clone(), options).boxed()
    }

    pub(crate) const fn dataset(&self) -> &Arc<Dataset> {
        &self.dataset
    }

    /// A source of this snapshot's rows with the given columns, or all of them.
    pub fn source(&self, columns: Option<&[String]>, blobs: Blobs) -> Result<LanceSource> {
        let projection = Projection::new(&self.dataset, columns, blobs)?;
        LanceSource::new(
            self.dataset.clone(),
            self.rows.clone(),
            self.queued.clone(),
            self.is_remote,
            projection,
        )
    }
}

pub(crate) async fn open_dataset(location: &Location, version: Option<u64>) -> Result<Dataset> {
    let cache = location.cache.as_ref().filter(|_| location.is_remote());
    let params = ObjectStoreParams {
        object_store_wrapper: cache.map(|folder| Arc::new(Cached::new(folder.clone())) as _),
        ..ObjectStoreParams::default()
    };
    let mut builder = DatasetBuilder::from_uri(&location.uri)
        .with_store_params(params)
        .with_storage_options(location.storage_options.clone());
    builder = match (&location.branch, version) {
        (Some(branch), version) => builder.with_branch(branch, version),
        (None, Some(version)) => builder.with_version(version),
        (None, None) => builder,
    };
    let branch = location.branch.as_deref();
    builder.load().await.map_err(|error| open_failed(&location.uri, branch, version, error))
}

/// Refuses a table whose writes go through a log-structured merge tree (Lance's `MemWAL`): rows that are not flushed have no row id.
async fn refuse_lsm(dataset: &Dataset, uri: &str) -> Result<()> {
    let details = dataset.mem_wal_index_details().await;
    if details.map_err(|error| read_failed("reading the table's indices", error))?.is_none() {
        return Ok(());
    }
    Err(Error::new(
        Code::UnsupportedSource,
        format!(
            "the table {uri:?} has an LSM write spec: its rows that are not flushed have no row id, so that they would be left out in \
             silence. Copy it into a table without one"
        ),
    ))
}
