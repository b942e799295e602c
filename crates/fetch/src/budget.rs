//! The byte budget: everything that waits or is kept counts against it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A limit on bytes that several pipelines share. Cheap to clone.
///
/// Admission never waits: a pipeline that is refused goes on with what it has and asks again. What its consumer waits for is
/// admitted above the limit, so that limits never deadlock.
#[derive(Clone, Debug)]
pub struct Budget {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    limit: u64,
    used: AtomicU64,
}

impl Budget {
    /// A budget of `limit` bytes.
    pub fn new(limit: u64) -> Self {
        Self { inner: Arc::new(Inner { limit, used: AtomicU64::new(0) }) }
    }

    /// The limit in bytes.
    pub fn limit(&self) -> u64 {
        self.inner.limit
    }

    /// The bytes that are admitted now; above the limit only by what was forced.
    pub fn used(&self) -> u64 {
        self.inner.used.load(Ordering::Relaxed)
    }

    /// Admits `bytes` if they fit.
    pub fn try_acquire(&self, bytes: u64) -> Option<Permit> {
        let fits = |used: u64| used.checked_add(bytes).filter(|&sum| sum <= self.inner.limit);
        self.inner.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).ok()?;
        Some(Permit { budget: self.clone(), bytes })
    }

    /// Admits `bytes` whether they fit or not: for what the consumer waits for.
    pub fn force(&self, bytes: u64) -> Permit {
        self.add(bytes);
        Permit { budget: self.clone(), bytes }
    }

    fn add(&self, bytes: u64) {
        let saturating = |used: u64| Some(used.saturating_add(bytes));
        // The closure always answers, so that the update can't fail.
        let _ = self.inner.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, saturating);
    }

    fn release(&self, bytes: u64) {
        let saturating = |used: u64| Some(used.saturating_sub(bytes));
        let _ = self.inner.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, saturating);
    }
}

/// Bytes that were admitted; given back when dropped.
#[derive(Debug)]
pub struct Permit {
    budget: Budget,
    bytes: u64,
}

impl Permit {
    /// The bytes that this permit holds.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Sets what is held to `bytes`, once the true size is known.
    pub fn resize(&mut self, bytes: u64) {
        if bytes > self.bytes {
            self.budget.add(bytes - self.bytes);
        } else {
            self.budget.release(self.bytes - bytes);
        }
        self.bytes = bytes;
    }

    /// Grows to `bytes` if that fits; `false` and unchanged otherwise.
    pub fn try_grow(&mut self, bytes: u64) -> bool {
        let Some(more) = bytes.checked_sub(self.bytes) else { return true };
        let Some(mut extra) = self.budget.try_acquire(more) else { return false };
        extra.bytes = 0;
        self.bytes = bytes;
        true
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_is_given_back() {
        let budget = Budget::new(100);
        let first = budget.try_acquire(60).unwrap();
        assert!(budget.try_acquire(41).is_none());
        let second = budget.try_acquire(40).unwrap();
        assert_eq!((budget.used(), first.bytes(), second.bytes()), (100, 60, 40));
        drop(first);
        assert_eq!(budget.used(), 40);
        drop(second);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn a_permit_grows_within_the_limit_and_shrinks() {
        let budget = Budget::new(100);
        let mut permit = budget.try_acquire(10).unwrap();
        assert!(permit.try_grow(100));
        assert!(!permit.try_grow(101));
        assert_eq!((permit.bytes(), budget.used()), (100, 100));
        permit.resize(30);
        assert_eq!(budget.used(), 30);
        drop(permit);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn what_the_consumer_waits_for_is_admitted_above_the_limit() {
        let budget = Budget::new(10);
        let forced = budget.force(50);
        assert_eq!(budget.used(), 50);
        assert!(budget.try_acquire(1).is_none());
        drop(forced);
        assert!(budget.try_acquire(10).is_some());
    }
}
