//! A plan that is a list.

use lance_loader_fetch::pipeline::RowPlan;
use lance_loader_order::{Code, Error, Result};

/// The rows of a list, one after the other.
#[derive(Clone, Debug)]
pub struct ListedRows {
    rows: Vec<u64>,
    given: usize,
}

impl ListedRows {
    /// A plan of `rows`, in that order, duplicates included.
    pub fn new(rows: impl Into<Vec<u64>>) -> Self {
        Self { rows: rows.into(), given: 0 }
    }
}

impl RowPlan for ListedRows {
    fn remaining(&self) -> u64 {
        (self.rows.len() - self.given) as u64
    }

    fn fill(&mut self, rows: &mut [u64]) -> Result<()> {
        let end = self.given + rows.len();
        let next = self.rows.get(self.given..end).ok_or_else(|| {
            Error::new(
                Code::Internal,
                format!("{} rows were asked for, {} are left", rows.len(), self.remaining()),
            )
        })?;
        rows.copy_from_slice(next);
        self.given = end;
        Ok(())
    }
}
