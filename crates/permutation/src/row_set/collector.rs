//! Collects a [`RowSet`] from values in any order.

use lance_loader_order::Result;
use roaring::RoaringTreemap;

use super::{RowSet, RowSetBuilder};

/// Takes values in any order and gives their set. Memory: a compressed bitmap.
#[derive(Clone, Debug, Default)]
pub struct RowCollector(RoaringTreemap);

impl RowCollector {
    /// Adds a value; one that is there already changes nothing.
    pub fn insert(&mut self, value: u64) {
        self.0.insert(value);
    }

    /// The set of all values.
    pub fn finish(self) -> Result<RowSet> {
        let mut set = RowSetBuilder::new();
        for value in self.0 {
            set.push(value)?;
        }
        Ok(set.finish())
    }
}
