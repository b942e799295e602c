//! Reads that wait until the test lets them go.

use std::collections::BTreeSet;

use tokio::sync::watch;

/// What was let go so far.
#[derive(Clone, Debug, Default)]
struct Released {
    all: bool,
    takes: BTreeSet<u64>,
}

/// A gate that takes pass one by one, in any order, or all at once.
#[derive(Debug)]
pub(crate) struct Gate(watch::Sender<Released>);

impl Gate {
    /// A gate that is open, or closed for all.
    pub(crate) fn new(open: bool) -> Self {
        Self(watch::Sender::new(Released { all: open, takes: BTreeSet::new() }))
    }

    /// Lets the take of this number pass, now or when it comes.
    pub(crate) fn release(&self, take: u64) {
        self.0.send_modify(|released| {
            released.takes.insert(take);
        });
    }

    /// Lets all takes pass from now on.
    pub(crate) fn release_all(&self) {
        self.0.send_modify(|released| released.all = true);
    }

    /// Waits until this take may pass.
    pub(crate) async fn pass(&self, take: u64) {
        let mut released = self.0.subscribe();
        // The sender lives as long as this, so that the wait can't fail.
        let _ = released.wait_for(|released| released.all || released.takes.contains(&take)).await;
    }
}
