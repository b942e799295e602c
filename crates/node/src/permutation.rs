//! Permutations: built, stored, read back, and cut into views.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use lance_loader_fetch::permuted::{RowsInOrder, SplitRows};
use lance_loader_lance_source::{Blobs, Location, Snapshot};
use lance_loader_order::{Code, Error, Result};
use lance_loader_permutation::{Permutation, PermutationConfig, SpillOptions, Stop};
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;

use crate::base::Base;
use crate::convert::{count, number, size};
use crate::errors::{ErrorCode, guarded};
use crate::job::Job;
use crate::table::{Table, TableData};

/// Where a table lies.
#[napi(object, object_to_js = false)]
pub struct LocationOptions {
    /// A path or an object-store URI.
    pub uri: String,
    /// Options of the object store.
    pub storage_options: Option<HashMap<String, String>>,
    /// The version; the newest one when absent.
    pub version: Option<f64>,
    /// The branch; main when absent.
    pub branch: Option<String>,
}

impl LocationOptions {
    pub(crate) fn location(self) -> Result<Location> {
        Ok(Location {
            uri: self.uri,
            storage_options: self.storage_options.unwrap_or_default(),
            version: self.version.map(|version| count("version", version)).transpose()?,
            branch: self.branch,
            cache: None,
        })
    }
}

/// The memory and the temporary folder of a build.
#[napi(object, object_to_js = false)]
pub struct SpillLimits {
    /// Bytes that lists of rows may take before they go to disk; 100 MiB when absent.
    pub memory_limit: Option<f64>,
    /// The folder of the temporary files; the system's when absent.
    pub temp_dir: Option<String>,
}

impl SpillLimits {
    pub(crate) fn options(self, stop: &Stop) -> Result<SpillOptions> {
        let default = SpillOptions::default();
        let limit = self.memory_limit.map(|limit| count("memoryLimit", limit)).transpose()?;
        Ok(SpillOptions {
            memory_limit: limit.unwrap_or(default.memory_limit),
            temp_dir: self.temp_dir.map(PathBuf::from),
            stop: stop.clone(),
        })
    }
}

/// A permutation of a snapshot.
#[derive(Clone)]
pub(crate) struct PermutationData {
    base: Base,
    permutation: Arc<Permutation>,
    /// How it was built, where that is known.
    config: Option<PermutationConfig>,
    /// What tells it from others: the text of how it was built, else the digest of the stored table's files.
    text: String,
}

impl PermutationData {
    async fn build(base: Location, config: PermutationConfig, options: SpillOptions) -> Result<Self> {
        let snapshot = Snapshot::open(base).await?;
        let permutation = snapshot.build_permutation(config.clone(), options).await?;
        Ok(Self::built(Base::Files(snapshot), permutation, config))
    }

    pub(crate) fn built(base: Base, permutation: Permutation, config: PermutationConfig) -> Self {
        Self { base, permutation: Arc::new(permutation), text: config.to_json(), config: Some(config) }
    }

    /// On the version and the branch that the stored table names, else on those of `base`.
    async fn load(base: Location, stored: Location, options: SpillOptions) -> Result<Self> {
        let stored = Snapshot::open(stored).await?;
        let info = stored.permutation_info()?;
        let base = match info.base_version {
            Some(version) => Location { version: Some(version), branch: info.base_branch, ..base },
            None => base,
        };
        Self::stored(Base::Files(Snapshot::open(base).await?), &stored, options).await
    }

    /// On the version and the branch of `base`.
    pub(crate) async fn stored(base: Base, stored: &Snapshot, options: SpillOptions) -> Result<Self> {
        let own = stored.permutation_info()?.own;
        let config = own.map(|own| PermutationConfig::from_json(&own.config)).transpose()?;
        let permutation = Arc::new(base.load(stored, options).await?);
        let text = config.as_ref().map_or_else(|| stored.identity().to_string(), PermutationConfig::to_json);
        Ok(Self { base, permutation, config, text })
    }

    async fn persist(self, target: Location, stop: Stop) -> Result<Self> {
        let config = self.config.clone().ok_or_else(|| {
            Error::new(Code::Internal, "a permutation whose configuration is not known can't be stored")
        })?;
        self.base.persist(self.permutation.clone(), config, target, stop).await?;
        Ok(self)
    }
}

/// The canonical text of a configuration; throws for what is not allowed.
#[napi]
pub fn check_permutation(config: String) -> napi::Result<String, ErrorCode> {
    guarded(|| Ok(PermutationConfig::from_json(&config)?.to_json()))
}

/// A permutation in the making: wait, then finish.
#[napi]
pub struct PermutationWork {
    job: Job<PermutationData>,
    stop: Stop,
    /// Whether it ends by itself once it is stopped, because it has files to remove.
    tidies: bool,
}

impl PermutationWork {
    pub(crate) fn begin<Work>(tidies: bool, work: impl FnOnce(Stop) -> Result<Work>) -> Result<Self>
    where
        Work: Future<Output = Result<PermutationData>> + Send + 'static,
    {
        let stop = Stop::default();
        Ok(Self { job: Job::begin(work(stop.clone())?)?, stop, tidies })
    }
}

/// Begins to build a permutation.
#[napi]
pub fn build_permutation(
    base: LocationOptions,
    config: String,
    limits: SpillLimits,
) -> napi::Result<PermutationWork, ErrorCode> {
    guarded(|| {
        let config = PermutationConfig::from_json(&config)?;
        PermutationWork::begin(false, |stop| {
            Ok(PermutationData::build(base.location()?, config, limits.options(&stop)?))
        })
    })
}

/// Begins to read a stored permutation of `base`.
#[napi]
pub fn load_permutation(
    base: LocationOptions,
    stored: LocationOptions,
    limits: SpillLimits,
) -> napi::Result<PermutationWork, ErrorCode> {
    guarded(|| {
        PermutationWork::begin(false, |stop| {
            Ok(PermutationData::load(base.location()?, stored.location()?, limits.options(&stop)?))
        })
    })
}

#[napi]
impl PermutationWork {
    /// Fulfilled when `finish` has an answer. Waited for once.
    #[napi]
    pub fn wait<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, ()>, ErrorCode> {
        self.job.wait(env)
    }

    /// The permutation, or why there is none. Asked once.
    #[napi]
    pub fn finish(&self) -> napi::Result<PermutationHandle, ErrorCode> {
        guarded(|| Ok(PermutationHandle(self.job.finish()?)))
    }

    /// Ends the work: a build or a read at once, a write once its files are removed. Cancelling again changes nothing.
    #[napi]
    pub fn cancel(&self) {
        self.stop.stop();
        if !self.tidies {
            self.job.cancel("the permutation");
        }
    }
}

/// A permutation of one snapshot of a table.
#[napi]
pub struct PermutationHandle(PermutationData);

impl PermutationHandle {
    pub(crate) const fn permutation(&self) -> &Arc<Permutation> {
        &self.0.permutation
    }

    pub(crate) fn check_table(&self, base: &Base) -> Result<()> {
        self.0.base.check_same_rows(base)
    }
}

#[napi]
impl PermutationHandle {
    /// The names of the splits, where they have names.
    #[napi(getter)]
    pub fn split_names(&self) -> Option<Vec<String>> {
        self.0.permutation.names().map(<[String]>::to_vec)
    }

    /// The number of rows of each split.
    #[napi(getter)]
    pub fn split_lengths(&self) -> napi::Result<Vec<f64>, ErrorCode> {
        let permutation = &self.0.permutation;
        guarded(|| (0..permutation.num_splits()).map(|split| number(permutation.len_of(split))).collect())
    }

    /// The version of the table that the rows are of.
    #[napi(getter)]
    pub fn base_version(&self) -> napi::Result<f64, ErrorCode> {
        guarded(|| number(self.0.base.version()))
    }

    /// The branch of that version; `null` is main.
    #[napi(getter)]
    pub fn base_branch(&self) -> Option<String> {
        self.0.base.branch().map(ToString::to_string)
    }

    /// The digest of the table's data files' names.
    #[napi(getter)]
    pub fn identity(&self) -> String {
        self.0.base.identity().to_string()
    }

    /// What tells the permutation from others of the same snapshot.
    #[napi(getter)]
    pub fn text(&self) -> String {
        self.0.text.clone()
    }

    /// Begins to store the permutation as a table of its own.
    #[napi]
    pub fn persist(&self, target: LocationOptions) -> napi::Result<PermutationWork, ErrorCode> {
        guarded(|| PermutationWork::begin(true, |stop| Ok(self.0.clone().persist(target.location()?, stop))))
    }

    /// The table's rows with the given columns, or all of them, under the shared budget or one of its own. Reads nothing. Blobs come as bytes,
    /// of a remote table as descriptors, where nobody says.
    #[napi]
    pub fn table(
        &self,
        columns: Option<Vec<String>>,
        memory_budget: f64,
        shared_budget: bool,
        blob_descriptors: Option<bool>,
    ) -> napi::Result<Table, ErrorCode> {
        guarded(|| {
            let descriptors = blob_descriptors.unwrap_or(matches!(self.0.base, Base::Remote(_)));
            let blobs = if descriptors { Blobs::Descriptors } else { Blobs::Bytes };
            let source = self.0.base.source(columns.as_deref(), blobs)?;
            let budget = count("memoryBudget", memory_budget)?;
            Ok(Table::new(TableData::new(self.0.base.clone(), source, None, budget, shared_budget)?))
        })
    }

    /// The rows of a split.
    #[napi]
    pub fn rows(&self, split: f64) -> napi::Result<PermutationRows, ErrorCode> {
        guarded(|| {
            let rows = SplitRows::new(self.0.permutation.clone(), size("split", split)?);
            Ok(PermutationRows { base: self.0.base.clone(), rows })
        })
    }
}

/// Rows of a split under a view. Never changes.
#[napi]
pub struct PermutationRows {
    base: Base,
    rows: SplitRows,
}

impl PermutationRows {
    pub(crate) const fn rows(&self) -> &SplitRows {
        &self.rows
    }

    pub(crate) fn check_table(&self, base: &Base) -> Result<()> {
        self.base.check_same_rows(base)
    }

    /// All rows in order, or those at some offsets.
    pub(crate) fn plan(&self, offsets: Option<Vec<f64>>) -> Result<RowsInOrder> {
        let rows = self.rows.clone();
        Ok(match offsets {
            None => RowsInOrder::all(rows),
            Some(offsets) => {
                let offsets: Result<_> = offsets.into_iter().map(|offset| count("offset", offset)).collect();
                RowsInOrder::at(rows, offsets?)
            }
        })
    }

    fn with(&self, rows: SplitRows) -> Self {
        Self { base: self.base.clone(), rows }
    }
}

#[napi]
impl PermutationRows {
    /// The number of rows, repeats counted.
    #[napi(getter)]
    pub fn num_rows(&self) -> napi::Result<f64, ErrorCode> {
        guarded(|| number(self.rows.view().len()))
    }

    /// The starts and lengths that identify the view.
    #[napi(getter)]
    pub fn view(&self) -> napi::Result<Vec<f64>, ErrorCode> {
        guarded(|| self.rows.view().windows().flat_map(|(start, len)| [number(start), number(len)]).collect())
    }

    /// Without the first rows.
    #[napi]
    pub fn skip(&self, rows: f64) -> napi::Result<PermutationRows, ErrorCode> {
        guarded(|| Ok(self.with(self.rows.with_view(self.rows.view().clone().skip(count("skip", rows)?)))))
    }

    /// The first rows.
    #[napi]
    pub fn take(&self, rows: f64) -> napi::Result<PermutationRows, ErrorCode> {
        guarded(|| Ok(self.with(self.rows.with_view(self.rows.view().clone().take(count("limit", rows)?)))))
    }

    /// All rows several times over.
    #[napi]
    pub fn repeat(&self, times: f64) -> napi::Result<PermutationRows, ErrorCode> {
        guarded(|| {
            Ok(self.with(self.rows.with_view(self.rows.view().clone().repeat(count("times", times)?)?)))
        })
    }
}
