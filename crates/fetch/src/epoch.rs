//! The plan of one epoch as a stream of rows.

use std::sync::Arc;

use lance_loader_order::{Code, Cursor, Error, Order, Result};

use crate::pipeline::RowPlan;

/// Which row stands at each position of an epoch. Rows are indices among the eligible rows.
pub trait EpochOrder: Send + Sync + 'static {
    /// Replaces each position of the epoch by its row.
    fn rows(&self, positions: &mut [u64]) -> Result<()>;
}

impl EpochOrder for Order {
    fn rows(&self, positions: &mut [u64]) -> Result<()> {
        self.map_positions(positions)
    }
}

/// The rows of a plan, from where its cursor stands.
pub struct EpochRows {
    cursor: Cursor,
    order: Arc<dyn EpochOrder>,
}

impl EpochRows {
    /// The rows that `cursor` has left, in an order.
    pub fn new(cursor: Cursor, order: Arc<dyn EpochOrder>) -> Self {
        Self { cursor, order }
    }
}

impl RowPlan for EpochRows {
    fn remaining(&self) -> u64 {
        self.cursor.plan().remaining() - self.cursor.position()
    }

    fn fill(&mut self, rows: &mut [u64]) -> Result<()> {
        let filled = self.cursor.fill_positions(rows);
        if filled != rows.len() {
            return Err(Error::new(
                Code::Internal,
                format!("the plan had {filled} samples left, not {}", rows.len()),
            ));
        }
        self.order.rows(rows)
    }
}
