//! The order of an epoch of a mixture.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use lance_loader_order::{Code, Error, Mixture, MixtureCursor, Result};

use crate::epoch::EpochOrder;

/// The orders that one source has, one for each of its epochs.
pub trait EpochOrders: Send + Sync + 'static {
    /// The order of an epoch.
    fn order(&self, epoch: u64) -> Result<Arc<dyn EpochOrder>>;
}

/// One source of a mixture.
#[derive(Clone)]
pub struct MixturePart {
    /// The samples of each of its splits: at least one.
    pub split_len: u64,
    /// Its rows in each epoch, told by their index among its own eligible rows.
    pub orders: Arc<dyn EpochOrders>,
    /// The epoch that it begins with.
    pub first_epoch: u64,
    /// Where its rows start among those of all sources.
    pub first_row: u64,
    /// For each split, the samples that it gave before the mixture's weights were those of now.
    pub given: Vec<u64>,
}

/// Which stretch of each split's endless sequence an epoch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MixtureEpoch {
    /// The samples of each split of the epoch.
    pub split_len: u64,
    /// Samples at the beginning of the epoch that were had under other weights, and are not known here.
    pub unknown: u64,
    /// The place in the sequence of the first sample that is known.
    pub start: u64,
}

/// Maps the positions of a mixture's epoch to rows of its sources. A source that has come to the end of an epoch goes on with
/// its next one.
pub struct MixtureOrder {
    mixture: Mixture,
    parts: Vec<MixturePart>,
    epoch: MixtureEpoch,
    /// Orders of the sources' latest epochs, by source and epoch.
    orders: Mutex<BTreeMap<(usize, u64), Arc<dyn EpochOrder>>>,
}

/// One sample: its place among the positions that are mapped, its epoch of its source, and its position in that epoch.
struct Sample {
    slot: usize,
    epoch: u64,
    position: u64,
}

impl MixtureOrder {
    /// The order of one epoch.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where parts and sources of the mixture differ in number, or a part is empty.
    pub fn new(mixture: Mixture, parts: Vec<MixturePart>, epoch: MixtureEpoch) -> Result<Self> {
        if parts.len() != mixture.num_sources() || parts.iter().any(|part| part.split_len == 0) {
            let message = "a mixture needs a weight for each dataset, and datasets that have rows";
            return Err(Error::new(Code::InvalidArgument, message));
        }
        Ok(Self { mixture, parts, epoch, orders: Mutex::default() })
    }

    /// Which samples of each source stand at the positions. O(n log n + n * sources).
    fn samples(&self, positions: &[u64]) -> Result<Vec<Vec<Sample>>> {
        let length = self.epoch.split_len.max(1);
        let mut slots: Vec<(u64, u64, usize)> =
            positions.iter().zip(0..).map(|(at, slot)| (at / length, at % length, slot)).collect();
        // A walk along a split is cheap, and a jump is not.
        slots.sort_unstable();
        let mut samples: Vec<Vec<Sample>> = self.parts.iter().map(|_| Vec::new()).collect();
        for slots in slots.chunk_by(|left, right| left.0 == right.0) {
            self.samples_of_split(slots, &mut samples)?;
        }
        Ok(samples)
    }

    fn samples_of_split(&self, slots: &[(u64, u64, usize)], samples: &mut [Vec<Sample>]) -> Result<()> {
        let Some(&(split, first, _)) = slots.first() else { return Ok(()) };
        let mut at = self.level(first)?;
        let mut cursor = MixtureCursor::new(&self.mixture, split, at)?;
        for &(_, level, slot) in slots {
            let wanted = self.level(level)?;
            match wanted.checked_sub(at) {
                Some(steps) if steps <= self.parts.len() as u64 * 2 => {
                    for _ in 0..steps {
                        cursor.advance();
                    }
                }
                _ => cursor = MixtureCursor::new(&self.mixture, split, wanted)?,
            }
            let (source, n) = cursor.advance();
            at = wanted + 1;
            if let (Some(part), Some(samples)) = (self.parts.get(source), samples.get_mut(source)) {
                samples.push(part.sample(split, n, slot)?);
            }
        }
        Ok(())
    }

    /// The place in a split's sequence of sample number `level` of the epoch.
    fn level(&self, level: u64) -> Result<u64> {
        let known = level.checked_sub(self.epoch.unknown).ok_or_else(|| {
            Error::new(
                Code::InvalidArgument,
                format!(
                    "sample {level} of a split was had under other weights, up to sample {}: those rows are known to a mixture that \
                     still has these weights",
                    self.epoch.unknown
                ),
            )
        })?;
        self.epoch.start.checked_add(known).ok_or_else(|| overflow("the epochs of the mixture"))
    }

    fn order(&self, source: usize, epoch: u64) -> Result<Arc<dyn EpochOrder>> {
        const KEPT: usize = 64;
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(order) = orders.get(&(source, epoch)) {
            return Ok(order.clone());
        }
        let part = self.parts.get(source).ok_or_else(|| overflow("the datasets of the mixture"))?;
        let order = part.orders.order(epoch)?;
        if orders.len() >= KEPT.max(self.parts.len() * 2) {
            // Epochs ascend, so that those of a source that come first are not asked for again soon.
            orders.clear();
        }
        orders.insert((source, epoch), order.clone());
        drop(orders);
        Ok(order)
    }
}

impl EpochOrder for MixtureOrder {
    fn rows(&self, positions: &mut [u64]) -> Result<()> {
        for (source, mut samples) in self.samples(positions)?.into_iter().enumerate() {
            let first_row = self.parts.get(source).map_or(0, |part| part.first_row);
            samples.sort_unstable_by_key(|sample| (sample.epoch, sample.slot));
            for samples in samples.chunk_by(|left, right| left.epoch == right.epoch) {
                let Some(first) = samples.first() else { continue };
                let mut rows: Vec<u64> = samples.iter().map(|sample| sample.position).collect();
                self.order(source, first.epoch)?.rows(&mut rows)?;
                for (sample, row) in samples.iter().zip(rows) {
                    if let Some(slot) = positions.get_mut(sample.slot) {
                        *slot = first_row + row;
                    }
                }
            }
        }
        Ok(())
    }
}

impl MixturePart {
    /// Sample number `n` of a split, counted from where the weights became those of now.
    fn sample(&self, split: u64, n: u64, slot: usize) -> Result<Sample> {
        let given = usize::try_from(split).ok().and_then(|split| self.given.get(split)).copied().unwrap_or(0);
        let n = given.checked_add(n).ok_or_else(|| overflow("the samples of a dataset"))?;
        let epoch = self.first_epoch.checked_add(n / self.split_len);
        let start = split.checked_mul(self.split_len);
        match (epoch, start) {
            (Some(epoch), Some(start)) => Ok(Sample { slot, epoch, position: start + n % self.split_len }),
            _ => Err(overflow("the epochs of a dataset")),
        }
    }
}

fn overflow(what: &str) -> Error {
    Error::new(Code::InvalidArgument, format!("{what} are more than can be counted: begin a new mixture"))
}
