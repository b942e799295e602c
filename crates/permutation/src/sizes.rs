//! How many rows each split gets.

use lance_loader_order::Result;

use crate::error::invalid;
use crate::names::MAX_SPLITS;

/// How far a sum of ratios may be from 1 and still mean all rows: the error of adding decimal fractions.
const RATIO_TOLERANCE: f64 = 1e-9;

/// The sizes of splits as a user gives them: exactly one of three ways.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// Shares of the rows, each above 0 and at most 1, with a sum of at most 1 (within 1e-9).
    Ratios(Vec<f64>),
    /// Numbers of rows, each at least 1.
    Counts(Vec<u64>),
    /// This many splits of equal size; the surplus rows are dropped.
    Fixed(u64),
}

impl Sizes {
    /// The number of splits.
    pub fn num_splits(&self) -> usize {
        match self {
            Self::Ratios(ratios) => ratios.len(),
            Self::Counts(counts) => counts.len(),
            Self::Fixed(splits) => usize::try_from(*splits).unwrap_or(usize::MAX),
        }
    }

    /// Checks everything that can be checked before the number of rows is known.
    pub fn validate(&self) -> Result<()> {
        let name = self.name();
        if self.num_splits() == 0 {
            return Err(invalid(format!("{name} gives no split; give at least one")));
        }
        if self.num_splits() > MAX_SPLITS {
            let splits = self.num_splits();
            return Err(invalid(format!("{name} gives {splits} splits; at most {MAX_SPLITS} are allowed")));
        }
        match self {
            Self::Ratios(ratios) => validate_ratios(ratios),
            Self::Counts(counts) => match counts.iter().position(|&count| count == 0) {
                Some(at) => Err(invalid(format!("counts[{at}] is 0; each count must be at least 1"))),
                None => Ok(()),
            },
            Self::Fixed(_) => Ok(()),
        }
    }

    /// The size of each split of `total` rows, or samples: `unit` says what they are, for errors.
    ///
    /// A ratio's size is `ratio * total` in IEEE double arithmetic, rounded to the nearest integer, halves up. Where the
    /// ratios sum to 1, rows that rounding left over go to the splits in turn, the first ones first; rows that
    /// rounding gave twice are taken back from the splits in turn, the last ones first. No split may come out empty.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for everything that [`Sizes::validate`] refuses, and for sizes that
    /// `total` can't fill.
    pub fn resolve(&self, total: u64, unit: &str) -> Result<Vec<u64>> {
        self.validate()?;
        match self {
            Self::Ratios(ratios) => resolve_ratios(ratios, total, unit),
            Self::Counts(counts) => {
                let sum: u128 = counts.iter().map(|&count| u128::from(count)).sum();
                if sum > u128::from(total) {
                    return Err(invalid(format!(
                        "counts sum to {sum}; the sum must be at most the {total} {unit} there are"
                    )));
                }
                Ok(counts.clone())
            }
            Self::Fixed(splits) => {
                if *splits > total {
                    return Err(invalid(format!(
                        "fixed is {splits}; {total} {unit} make at most {total} splits"
                    )));
                }
                Ok(vec![total / splits; self.num_splits()])
            }
        }
    }

    /// The argument's name.
    fn name(&self) -> &'static str {
        match self {
            Self::Ratios(_) => "ratios",
            Self::Counts(_) => "counts",
            Self::Fixed(_) => "fixed",
        }
    }
}

fn validate_ratios(ratios: &[f64]) -> Result<()> {
    let allowed = |ratio: f64| ratio > 0.0 && ratio <= 1.0;
    if let Some(at) = ratios.iter().position(|&ratio| !allowed(ratio)) {
        return Err(invalid(format!(
            "ratios[{at}] is {}; each ratio must be above 0 and at most 1",
            ratios[at]
        )));
    }
    let sum: f64 = ratios.iter().sum();
    if sum > 1.0 + RATIO_TOLERANCE {
        return Err(invalid(format!("ratios sum to {sum}; the sum must be at most 1")));
    }
    Ok(())
}

#[expect(clippy::cast_sign_loss, reason = "a checked ratio times a count is never negative")]
fn resolve_ratios(ratios: &[f64], total: u64, unit: &str) -> Result<Vec<u64>> {
    let mut sizes: Vec<u64> =
        ratios.iter().map(|ratio| ((ratio * total as f64).round() as u64).min(total)).collect();
    if let Some(at) = sizes.iter().position(|&size| size == 0) {
        return Err(invalid(format!(
            "ratios[{at}] is {}, which rounds to 0 of {total} {unit}; each split needs at least one",
            ratios[at]
        )));
    }
    let taken: u128 = sizes.iter().map(|&size| u128::from(size)).sum();
    let all = u128::from(total);
    if taken > all {
        take_back(&mut sizes, taken - all, total, unit)?;
    } else if (ratios.iter().sum::<f64>() - 1.0).abs() <= RATIO_TOLERANCE {
        hand_out(&mut sizes, (all - taken) as u64);
    }
    Ok(sizes)
}

/// Gives `left` rows to the splits in turn, the first ones first.
fn hand_out(sizes: &mut [u64], left: u64) {
    let splits = sizes.len() as u64;
    for (split, size) in (0..).zip(sizes) {
        *size += left / splits + u64::from(split < left % splits);
    }
}

/// Takes `excess` rows back from the splits in turn, the last ones first, and leaves each at least one.
fn take_back(sizes: &mut [u64], mut excess: u128, total: u64, unit: &str) -> Result<()> {
    let splits = sizes.len();
    while excess > 0 {
        let before = excess;
        let turn = (excess / splits as u128).max(1);
        for size in sizes.iter_mut().rev() {
            let taken = turn.min(excess).min(u128::from(*size - 1)) as u64;
            *size -= taken;
            excess -= u128::from(taken);
        }
        if excess == before {
            return Err(invalid(format!(
                "ratios gives {splits} splits; {total} {unit} make at most {total} splits"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use lance_loader_order::Code;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_worked_examples_come_out_as_written() {
        assert_eq!(Sizes::Ratios(vec![0.05; 20]).resolve(100, "rows").unwrap(), [5; 20]);
        assert_eq!(Sizes::Ratios(vec![1.0 / 3.0; 3]).resolve(10, "rows").unwrap(), [4, 3, 3]);
        assert_eq!(Sizes::Ratios(vec![0.5, 0.5]).resolve(5, "rows").unwrap(), [3, 2]);
        assert_eq!(Sizes::Ratios(vec![0.8, 0.2]).resolve(100, "rows").unwrap(), [80, 20]);
        assert_eq!(Sizes::Ratios(vec![0.3, 0.2]).resolve(10, "rows").unwrap(), [3, 2]);
        assert_eq!(Sizes::Counts(vec![3, 4]).resolve(10, "rows").unwrap(), [3, 4]);
        assert_eq!(Sizes::Fixed(3).resolve(11, "rows").unwrap(), [3, 3, 3]);
    }

    #[test]
    fn every_wrong_size_is_named_with_its_value_and_the_rule() {
        let cases: [(Sizes, u64, &[&str]); 14] = [
            (Sizes::Ratios(vec![]), 10, &["ratios", "no split", "at least one"]),
            (Sizes::Ratios(vec![0.5, f64::NAN]), 10, &["ratios[1]", "NaN", "above 0"]),
            (Sizes::Ratios(vec![f64::INFINITY]), 10, &["ratios[0]", "inf", "at most 1"]),
            (Sizes::Ratios(vec![-0.1]), 10, &["ratios[0]", "-0.1"]),
            (Sizes::Ratios(vec![0.0]), 10, &["ratios[0]", "is 0;"]),
            (Sizes::Ratios(vec![1.5]), 10, &["ratios[0]", "1.5"]),
            (Sizes::Ratios(vec![0.6, 0.41]), 10, &["ratios", "1.01", "at most 1"]),
            (Sizes::Ratios(vec![0.9, 0.01]), 10, &["ratios[1]", "0.01", "0 of 10 rows"]),
            (Sizes::Ratios(vec![1.0]), 0, &["ratios[0]", "0 of 0 rows"]),
            (Sizes::Ratios(vec![1.0 / 3.0; 3]), 2, &["3 splits", "2 rows"]),
            (Sizes::Counts(vec![5, 0]), 10, &["counts[1]", "is 0", "at least 1"]),
            (Sizes::Counts(vec![u64::MAX, u64::MAX]), 10, &["counts", "36893488147419103230", "10 rows"]),
            (Sizes::Fixed(0), 10, &["fixed", "no split"]),
            (Sizes::Fixed(11), 10, &["fixed is 11", "10 rows"]),
        ];
        for (sizes, rows, words) in cases {
            let error = sizes.resolve(rows, "rows").unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument);
            for word in words {
                assert!(error.message().contains(word), "{sizes:?}: {error}");
            }
        }
        assert!(
            Sizes::Fixed(u64::MAX).resolve(u64::MAX, "rows").unwrap_err().message().contains("at most 65536")
        );
    }

    proptest! {
        #[test]
        fn ratios_that_sum_to_one_use_every_row_and_stay_within_one_of_their_share(
            weights in proptest::collection::vec(1_u32..1000, 1..30),
            rows in 1_u64..1_000_000,
        ) {
            let total: u32 = weights.iter().sum();
            let ratios: Vec<f64> = weights.iter().map(|&weight| f64::from(weight) / f64::from(total)).collect();
            if let Ok(sizes) = Sizes::Ratios(ratios.clone()).resolve(rows, "rows") {
                prop_assert_eq!(sizes.iter().sum::<u64>(), rows);
                for (size, ratio) in sizes.iter().zip(ratios) {
                    prop_assert!(*size > 0);
                    prop_assert!((*size as f64 - ratio * rows as f64).abs() <= 1.5, "{} of {}", size, ratio);
                }
            } else {
                prop_assert!(ratios.iter().any(|ratio| ratio * (rows as f64) < 0.5) || ratios.len() as u64 > rows);
            }
        }

        #[test]
        fn any_numbers_give_sizes_that_fit_or_an_error(
            ratios in proptest::collection::vec(any::<f64>(), 0..6),
            rows: u64,
        ) {
            if let Ok(sizes) = Sizes::Ratios(ratios).resolve(rows, "rows") {
                prop_assert!(sizes.iter().map(|&size| u128::from(size)).sum::<u128>() <= u128::from(rows));
            }
        }

        #[test]
        fn equal_splits_drop_less_than_one_row_a_split(splits in 1_u64..1000, rows in 0_u64..100_000) {
            if let Ok(sizes) = Sizes::Fixed(splits).resolve(rows, "rows") {
                prop_assert!(sizes.iter().all(|&size| size == sizes[0] && size > 0));
                prop_assert!(rows - sizes.iter().sum::<u64>() < splits);
            } else {
                prop_assert!(splits > rows);
            }
        }
    }
}
