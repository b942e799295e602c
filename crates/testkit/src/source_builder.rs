//! How a fake source behaves.

use std::sync::Arc;
use std::time::Duration;

use crate::fault::{Fault, Faults, Trigger};
use crate::source::FakeSource;
use crate::table::TestTable;

/// The time that a take needs, by its number.
pub(crate) type Latency = Box<dyn Fn(u64) -> Duration + Send + Sync>;

/// Sets up a [`FakeSource`].
pub struct FakeSourceBuilder {
    pub(crate) table: TestTable,
    pub(crate) latency: Option<Latency>,
    pub(crate) faults: Faults,
    pub(crate) held: bool,
    pub(crate) scan_rows: usize,
}

impl FakeSourceBuilder {
    /// A source that answers at once, without faults, whose scans come in batches of 1000 rows.
    pub(crate) fn new(table: TestTable) -> Self {
        Self { table, latency: None, faults: Faults::default(), held: false, scan_rows: 1000 }
    }

    /// Lets every take last as long as `latency` says for its number, by the runtime's clock.
    #[must_use]
    pub fn latency(mut self, latency: impl Fn(u64) -> Duration + Send + Sync + 'static) -> Self {
        self.latency = Some(Box::new(latency));
        self
    }

    /// Adds a fault; where several apply to a read, the one that was added first happens.
    #[must_use]
    pub fn fault(mut self, trigger: Trigger, fault: Fault) -> Self {
        self.faults.add(trigger, fault);
        self
    }

    /// Lets no take end before [`FakeSource::release`].
    #[must_use]
    pub fn held(mut self) -> Self {
        self.held = true;
        self
    }

    /// The rows of a scan's batches, whatever bytes are asked for; at least 1.
    #[must_use]
    pub fn scan_rows(mut self, rows: usize) -> Self {
        self.scan_rows = rows.max(1);
        self
    }

    /// The source.
    pub fn build(self) -> Arc<FakeSource> {
        Arc::new(FakeSource::new(self))
    }
}
