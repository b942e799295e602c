//! A stored permutation whose table is not open yet.

use lance_loader_lance_source::Snapshot;
use lance_loader_permutation::format::TableInfo;
use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;

use crate::convert::number;
use crate::errors::{ErrorCode, guarded};
use crate::job::Job;
use crate::permutation::LocationOptions;

/// A permutation table that is being opened: wait, then finish.
#[napi]
pub struct StoredOpening(Job<StoredPermutation>);

/// Begins to open a permutation table.
#[napi]
pub fn open_stored_permutation(stored: LocationOptions) -> napi::Result<StoredOpening, ErrorCode> {
    guarded(|| {
        let stored = stored.location()?;
        Ok(StoredOpening(Job::begin(async move {
            let snapshot = Snapshot::open(stored).await?;
            let info = snapshot.permutation_info()?;
            Ok(StoredPermutation { snapshot, info })
        })?))
    })
}

#[napi]
impl StoredOpening {
    /// Fulfilled when `finish` has an answer. Waited for once.
    #[napi]
    pub fn wait<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, ()>, ErrorCode> {
        self.0.wait(env)
    }

    /// The permutation table, or why it could not be opened. Asked once.
    #[napi]
    pub fn finish(&self) -> napi::Result<StoredPermutation, ErrorCode> {
        guarded(|| self.0.finish())
    }
}

/// A permutation table, and which version of its table it was built on.
#[napi]
pub struct StoredPermutation {
    snapshot: Snapshot,
    info: TableInfo,
}

impl StoredPermutation {
    pub(crate) const fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }
}

#[napi]
impl StoredPermutation {
    /// The version of the table that the rows are of; `null` where the permutation does not tell.
    #[napi(getter)]
    pub fn base_version(&self) -> napi::Result<Option<f64>, ErrorCode> {
        guarded(|| self.info.base_version.map(number).transpose())
    }

    /// The branch of that version; `null` is main.
    #[napi(getter)]
    pub fn base_branch(&self) -> Option<String> {
        self.info.base_branch.clone()
    }
}
