//! What a fake source served.

use tokio::sync::watch;

use crate::delivery::PATIENCE;

/// Counters of a fake source. Takes and scans count from when they are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Takes that were asked for.
    pub takes: u64,
    /// Scans that were asked for.
    pub scans: u64,
    /// Rows that takes delivered.
    pub taken_rows: u64,
    /// Rows that scans delivered.
    pub scanned_rows: u64,
    /// Takes and scans that were dropped before they ended.
    pub cancelled: u64,
    /// Takes and scans that ended, well or badly.
    pub ended: u64,
    /// Takes under way.
    pub taking: u64,
    /// The most takes that were under way at one time.
    pub most_taking: u64,
    /// Rows of the takes under way.
    pub rows_taking: u64,
    /// The most rows that were being taken at one time.
    pub most_rows_taking: u64,
}

/// The counters of a source, which tests can wait for.
#[derive(Clone, Debug)]
pub(crate) struct Counter(watch::Sender<Counts>);

impl Counter {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(Counts::default()))
    }

    pub(crate) fn read(&self) -> Counts {
        *self.0.borrow()
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Counts)) {
        self.0.send_modify(change);
    }

    pub(crate) async fn until(&self, reached: impl FnMut(&Counts) -> bool) -> Counts {
        let mut counts = self.0.subscribe();
        let changed = tokio::time::timeout(PATIENCE, counts.wait_for(reached)).await;
        let reached = changed.is_ok_and(|changed| changed.is_ok());
        assert!(reached, "what was waited for did not come to pass: {:?}", self.read());
        self.read()
    }
}

/// A take or a scan under way: counted as cancelled if it is dropped before it ended.
pub(crate) struct UnderWay {
    counter: Counter,
    /// The rows of a take.
    taking: Option<u64>,
    ended: bool,
}

impl UnderWay {
    /// Begins a take of `rows` rows and tells its number.
    pub(crate) fn take(counter: &Counter, rows: u64) -> (Self, u64) {
        let mut number = 0;
        counter.change(|counts| {
            number = counts.takes;
            counts.takes += 1;
            counts.taking += 1;
            counts.most_taking = counts.most_taking.max(counts.taking);
            counts.rows_taking += rows;
            counts.most_rows_taking = counts.most_rows_taking.max(counts.rows_taking);
        });
        (Self { counter: counter.clone(), taking: Some(rows), ended: false }, number)
    }

    /// Begins a scan and tells its number.
    pub(crate) fn scan(counter: &Counter) -> (Self, u64) {
        let mut number = 0;
        counter.change(|counts| {
            number = counts.scans;
            counts.scans += 1;
        });
        (Self { counter: counter.clone(), taking: None, ended: false }, number)
    }

    /// Counts rows that are delivered.
    pub(crate) fn deliver(&self, rows: u64) {
        self.counter.change(|counts| match self.taking {
            Some(_) => counts.taken_rows += rows,
            None => counts.scanned_rows += rows,
        });
    }

    /// Says that what follows is no cancellation.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let ended = self.ended || std::thread::panicking();
        self.counter.change(|counts| {
            *(if ended { &mut counts.ended } else { &mut counts.cancelled }) += 1;
            if let Some(rows) = self.taking {
                counts.taking -= 1;
                counts.rows_taking -= rows;
            }
        });
    }
}
