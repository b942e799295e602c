//! A table behind a server, and its rows at one version.

use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use futures::FutureExt;
use futures::future::BoxFuture;
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::{Needs, Permutation, PermutationConfig, RowSet, Rows, SpillOptions};

use crate::scanning::{assigned, scan_row_ids, scan_splits};
use crate::{RemoteSource, RowService};

/// A table at one version, before its rows are known.
#[derive(Clone)]
pub struct RemoteTable {
    /// Who asks the server, for this version only.
    pub service: Arc<dyn RowService>,
    /// The database and the name of the table.
    pub identity: Arc<str>,
    /// The version.
    pub version: u64,
    /// The branch that the version counts on; `None` is main.
    pub branch: Option<String>,
    /// The columns, as an answer has them, without the row id.
    pub schema: SchemaRef,
}

/// Rows of a table at one version, sorted by row id. Cheap to clone.
///
/// Memory: the row ids as a compressed set.
#[derive(Clone)]
pub struct RemoteSnapshot {
    table: Arc<RemoteTable>,
    rows: Arc<RowSet>,
}

impl fmt::Debug for RemoteSnapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RemoteTable { identity, version, .. } = &*self.table;
        write!(formatter, "RemoteSnapshot({identity}, version {version}, {} rows)", self.rows.len())
    }
}

impl RemoteSnapshot {
    /// The rows that a filter keeps, or all of them: one scan of row ids.
    ///
    /// Fails with `ReadFailed`, and with what the service says.
    pub fn open(table: RemoteTable, filter: Option<String>) -> BoxFuture<'static, Result<Self>> {
        async move {
            let rows = scan_row_ids(&table, filter).await?;
            Ok(Self { table: Arc::new(table), rows: Arc::new(rows) })
        }
        .boxed()
    }

    /// The rows of a permutation's filter and the permutation: one scan, of row ids and what decides the splits.
    ///
    /// Memory: 24 bytes a row while a hash or a calculation decides, the row ids as a compressed set, and `options.memory_limit`.
    ///
    /// Fails with `InvalidArgument`, `UnknownColumn`, `ReadFailed`, `WriteFailed` or `Aborted`, and with what the service says.
    pub fn build(
        table: RemoteTable,
        config: PermutationConfig,
        options: SpillOptions,
    ) -> BoxFuture<'static, Result<(Self, Permutation)>> {
        async move {
            config.validate()?;
            if config.needs() == Needs::Rows {
                let snapshot = Self::open(table, config.filter.clone()).await?;
                let permutation = config.build(Rows::All(snapshot.num_rows()))?;
                return Ok((snapshot, permutation));
            }
            let mut assigner = config.assigner(options.clone())?;
            let rows = scan_splits(&table, &config, &options.stop).await?;
            let rows = assigned(&rows, &mut assigner)?;
            let permutation = assigner.finish()?;
            Ok((Self { table: Arc::new(table), rows: Arc::new(rows) }, permutation))
        }
        .boxed()
    }

    /// The version.
    pub fn version(&self) -> u64 {
        self.table.version
    }

    /// The branch that the version counts on; `None` is main.
    pub fn branch(&self) -> Option<&str> {
        self.table.branch.as_deref()
    }

    /// The database and the name of the table.
    pub fn identity(&self) -> &str {
        &self.table.identity
    }

    /// The number of rows.
    pub fn num_rows(&self) -> u64 {
        self.rows.len()
    }

    /// Whether ordinals of both are of the same rows.
    pub fn has_rows_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.rows, &other.rows)
    }

    /// Replaces each ordinal by its row id.
    pub fn row_ids(&self, ordinals: &mut [u64]) -> Result<()> {
        self.rows.select_many(ordinals).map_err(|ordinal| {
            Error::new(Code::Internal, format!("row {ordinal} of {} was asked for", self.rows.len()))
        })
    }

    /// The ordinals of row ids; `None` for a row that is not among these.
    pub fn ordinals_of(&self, row_ids: &[u64]) -> Vec<Option<u64>> {
        row_ids.iter().map(|&id| self.rows.contains(id).then(|| self.rows.rank(id))).collect()
    }

    /// A source of these rows with the given columns, or all of them; blobs come as descriptors only.
    ///
    /// Fails as [`RemoteTable::projection`].
    pub fn source(&self, columns: Option<&[String]>, blob_descriptors: bool) -> Result<RemoteSource> {
        let projection = self.table.projection(columns, blob_descriptors)?;
        Ok(RemoteSource::new(self.clone(), projection))
    }

    pub(crate) fn table(&self) -> &RemoteTable {
        &self.table
    }
}

#[cfg(test)]
mod tests;
