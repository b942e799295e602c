//! What a table is made of.

use lance_loader_lance_source::FragmentInfo;
use lance_loader_order::Result;
use napi_derive::napi;

use crate::convert::number;
use crate::errors::{ErrorCode, guarded};
use crate::table::Table;

/// One fragment of a table.
#[napi(object, object_from_js = false)]
pub struct TableFragment {
    /// Its number.
    pub id: f64,
    /// The rows that are not deleted.
    pub rows: f64,
    /// The rows that are deleted, and still in its files.
    pub deleted: f64,
    /// The number of data files.
    pub files: f64,
    /// Bytes of the data files; absent where the writer did not note them.
    pub bytes: Option<f64>,
}

impl TableFragment {
    fn new(info: FragmentInfo) -> Result<Self> {
        Ok(Self {
            id: number(info.id)?,
            rows: number(info.live_rows)?,
            deleted: number(info.deleted_rows)?,
            files: number(info.files)?,
            bytes: info.bytes.map(number).transpose()?,
        })
    }
}

#[napi]
impl Table {
    /// The fragments, in storage order. Reads nothing.
    #[napi(getter)]
    pub fn fragments(&self) -> napi::Result<Vec<TableFragment>, ErrorCode> {
        guarded(|| self.data()?.base()?.files()?.fragments().into_iter().map(TableFragment::new).collect())
    }

    /// Whether rows keep their ids when they are moved.
    #[napi(getter)]
    pub fn stable_row_ids(&self) -> napi::Result<bool, ErrorCode> {
        guarded(|| Ok(self.data()?.base()?.files()?.has_stable_row_ids()))
    }
}
