//! Offsets of variable-length rows.

use arrow_buffer::{ArrowNativeType, ScalarBuffer};

use crate::gather::prefetch;

/// Where each row of strings, bytes, lists or maps starts and ends: `rows + 1` numbers, which never fall and
/// never point past the items. Sliced columns start above 0.
#[derive(Clone, Debug)]
pub(crate) enum Offsets {
    /// As most Arrow types store them.
    Small(ScalarBuffer<i32>),
    /// As the large types store them, and as grown columns do.
    Large(ScalarBuffer<i64>),
}

impl Offsets {
    /// Offsets of 32 bits into `items` items. `None` if they fall, are negative or point past the items.
    ///
    /// The check is one pass over the offsets: readers of damaged files hand over what was never validated.
    pub(crate) fn small(offsets: ScalarBuffer<i32>, items: usize) -> Option<Self> {
        is_sound(&offsets, items).then_some(Self::Small(offsets))
    }

    /// Offsets of 64 bits, with the same check.
    pub(crate) fn large(offsets: ScalarBuffer<i64>, items: usize) -> Option<Self> {
        is_sound(&offsets, items).then_some(Self::Large(offsets))
    }

    /// Where row `row` starts, or where the last row ends.
    pub(crate) fn get(&self, row: usize) -> Option<usize> {
        match self {
            Self::Small(offsets) => offsets.get(row).map(|offset| offset.as_usize()),
            Self::Large(offsets) => offsets.get(row).map(|offset| offset.as_usize()),
        }
    }

    /// Asks memory for where row `row` starts and ends.
    pub(crate) fn prefetch(&self, row: usize) {
        let (bytes, width) = match self {
            Self::Small(offsets) => (offsets.inner(), size_of::<i32>()),
            Self::Large(offsets) => (offsets.inner(), size_of::<i64>()),
        };
        let start = row.saturating_mul(width);
        prefetch(bytes.get(start..start.saturating_add(2 * width)).unwrap_or_default());
    }

    /// The bytes that the offsets take.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Small(offsets) => offsets.inner().len(),
            Self::Large(offsets) => offsets.inner().len(),
        }
    }
}

fn is_sound<O: ArrowNativeType + PartialOrd>(offsets: &[O], items: usize) -> bool {
    let starts = offsets.first().is_some_and(|first| *first >= O::default());
    let ends = offsets.last().and_then(|last| last.to_usize()).is_some_and(|last| last <= items);
    starts && ends && offsets.is_sorted()
}
