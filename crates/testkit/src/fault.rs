//! What goes wrong in a fake source, and when.

use lance_loader_order::Code;

/// What happens to a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It fails with this code.
    Error(Code),
    /// It panics.
    Panic,
    /// It comes back with this many rows fewer than it should, without a word.
    Lose(usize),
    /// It never comes back.
    Hang,
}

/// Which reads a fault happens to. Takes and scans are numbered from 0, each over the life of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// The take of this number.
    Take(u64),
    /// The first batch of the scan of this number.
    Scan(u64),
    /// Every take and every batch of a scan that holds this ordinal.
    Ordinal(u64),
}

/// Faults with their triggers; where several apply, the first one happens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults(Vec<(Trigger, Fault)>);

impl Faults {
    pub(crate) fn add(&mut self, trigger: Trigger, fault: Fault) {
        self.0.push((trigger, fault));
    }

    /// What happens to a read of `ordinals` that is `read`, if anything.
    pub(crate) fn of(&self, read: Option<Trigger>, ordinals: &[u64]) -> Option<Fault> {
        let applies = |trigger: &Trigger| match trigger {
            Trigger::Ordinal(ordinal) => ordinals.contains(ordinal),
            trigger => Some(*trigger) == read,
        };
        self.0.iter().find(|(trigger, _)| applies(trigger)).map(|(_, fault)| *fault)
    }
}
