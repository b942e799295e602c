//! The snapshot that rows are of, wherever it lies.

use std::sync::Arc;

use lance_loader_fetch::source::RowSource;
use lance_loader_lance_source::{Blobs, FindRows, Location, RowIds, Snapshot};
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::format::TableInfo;
use lance_loader_permutation::{Permutation, PermutationConfig, SpillOptions, Stop};
use lance_loader_remote_source::RemoteSnapshot;

/// Rows of a table at one version. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) enum Base {
    /// A table whose files this process reads.
    Files(Snapshot),
    /// A table behind a server.
    Remote(RemoteSnapshot),
}

impl Base {
    pub(crate) fn version(&self) -> u64 {
        match self {
            Self::Files(snapshot) => snapshot.version(),
            Self::Remote(snapshot) => snapshot.version(),
        }
    }

    /// The branch that the version counts on; `None` is main.
    pub(crate) fn branch(&self) -> Option<&str> {
        match self {
            Self::Files(snapshot) => snapshot.branch(),
            Self::Remote(snapshot) => snapshot.branch(),
        }
    }

    /// What tells the table from others.
    pub(crate) fn identity(&self) -> &str {
        match self {
            Self::Files(snapshot) => snapshot.identity(),
            Self::Remote(snapshot) => snapshot.identity(),
        }
    }

    /// Whether each read is a request to a server.
    pub(crate) fn is_remote(&self) -> bool {
        match self {
            Self::Files(snapshot) => snapshot.is_remote(),
            Self::Remote(_) => true,
        }
    }

    /// Bytes of the table that local disk keeps once they were read.
    pub(crate) fn cache_bytes(&self) -> u64 {
        match self {
            Self::Files(snapshot) => snapshot.cache_bytes(),
            Self::Remote(_) => 0,
        }
    }

    /// The snapshot of files, which alone has fragments.
    pub(crate) fn files(&self) -> Result<&Snapshot> {
        match self {
            Self::Files(snapshot) => Ok(snapshot),
            Self::Remote(_) => Err(Error::new(
                Code::UnsupportedSource,
                "a remote table's server does not tell its fragments: give a table on disk or in an object store",
            )),
        }
    }

    /// Its rows with the given columns, or all of them.
    pub(crate) fn source(&self, columns: Option<&[String]>, blobs: Blobs) -> Result<Arc<dyn RowSource>> {
        Ok(match self {
            Self::Files(snapshot) => Arc::new(snapshot.source(columns, blobs)?),
            Self::Remote(snapshot) => Arc::new(snapshot.source(columns, blobs == Blobs::Descriptors)?),
        })
    }

    /// Writes a permutation of these rows as a table.
    pub(crate) async fn persist(
        &self,
        permutation: Arc<Permutation>,
        config: PermutationConfig,
        target: Location,
        stop: Stop,
    ) -> Result<()> {
        match self {
            Self::Files(snapshot) => snapshot.persist_permutation(permutation, &config, target, stop).await,
            Self::Remote(snapshot) => {
                let branch = snapshot.branch().map(ToString::to_string);
                let info = TableInfo::new(&permutation, &config, snapshot.version(), branch);
                let rows = snapshot.clone();
                let row_ids: RowIds = Arc::new(move |ordinals| rows.row_ids(ordinals));
                Snapshot::persist_rows(permutation, info, row_ids, target, stop).await
            }
        }
    }

    /// The rows that a permutation table names, as a permutation of these.
    pub(crate) async fn load(&self, stored: &Snapshot, options: SpillOptions) -> Result<Permutation> {
        match self {
            Self::Files(snapshot) => snapshot.load_permutation(stored, options).await,
            Self::Remote(snapshot) => {
                let rows = snapshot.clone();
                let find: FindRows = Arc::new(move |row_ids| Ok(rows.ordinals_of(row_ids)));
                stored.load_rows(find, snapshot.version(), options).await
            }
        }
    }

    /// Fails where ordinals of `other` are other rows than ordinals of these.
    pub(crate) fn check_same_rows(&self, other: &Self) -> Result<()> {
        let place = |base: &Self| (base.version(), base.branch().map(ToString::to_string));
        let same = match (self, other) {
            (Self::Remote(own), Self::Remote(other)) => own.has_rows_of(other),
            _ => self.identity() == other.identity() && place(self) == place(other),
        };
        if same {
            return Ok(());
        }
        Err(Error::new(
            Code::InvalidArgument,
            format!(
                "the permutation is of another table, or of another version of it ({} in place of {}): open the table that it was built on",
                self.version(),
                other.version()
            ),
        ))
    }
}
