use super::*;
use crate::below;
use proptest::prelude::*;

/// The first `levels` samples of a split in plain words: all that may be due by then, sorted by their times.
fn model(mixture: &Mixture, split: u64, levels: u64) -> Vec<(usize, u64)> {
    let mut dues: Vec<(Due, u64)> = (0..mixture.num_sources())
        .flat_map(|source| (0..levels).filter_map(move |n| Some((mixture.due(split, source, n)?, n))))
        .collect();
    dues.sort_by(|left, right| left.0.compare(&right.0));
    dues.into_iter().map(|(due, n)| (due.source, n)).take(usize::try_from(levels).unwrap()).collect()
}

fn walk(mixture: &Mixture, split: u64, from: u64, levels: u64) -> Vec<(usize, u64)> {
    let mut cursor = MixtureCursor::new(mixture, split, from).unwrap();
    (from..levels).map(|_| cursor.advance()).collect()
}

fn weights() -> impl Strategy<Value = Vec<u64>> {
    let weight = prop_oneof![0_u64..6, 0_u64..1000, Just(MAX_WEIGHT), Just(1)];
    prop::collection::vec(weight, 1..7)
        .prop_filter("one weight must be above 0", |weights| weights.iter().any(|weight| *weight > 0))
}

proptest! {
    #[test]
    fn a_walk_from_anywhere_is_the_samples_in_order_of_their_times(
        seed: u64, weights in weights(), split in 0_u64..8, from in 0_u64..200,
    ) {
        let mixture = Mixture::new(seed, 0, &weights, 8)?;
        let expected = model(&mixture, split, 200);
        prop_assert_eq!(&walk(&mixture, split, from, 200), &expected[from as usize..]);
        let before = &expected[..from as usize];
        let count = |source| before.iter().filter(|sample| sample.0 == source).count() as u64;
        let counts: Vec<u64> = (0..weights.len()).map(count).collect();
        prop_assert_eq!(mixture.counts(split, from)?, counts);
    }

    #[test]
    fn every_split_keeps_the_shares_at_every_level(
        seed: u64, weights in weights(), split in 0_u64..5, level in 0_u64..1 << 53,
    ) {
        let mixture = Mixture::new(seed, 3, &weights, 5)?;
        let counts = mixture.counts(split, level)?;
        prop_assert_eq!(counts.iter().sum::<u64>(), level);
        let total = u128::from(weights.iter().sum::<u64>());
        for (count, weight) in counts.iter().zip(&weights) {
            let share = u128::from(level) * u128::from(*weight) / total;
            prop_assert!(share.abs_diff(u128::from(*count)) <= weights.len() as u128, "{count} of {share}");
        }
    }

    #[test]
    fn the_level_of_a_sample_is_where_a_walk_meets_it(
        seed: u64, weights in weights(), split in 0_u64..3, level in 0_u64..1 << 40,
    ) {
        let mixture = Mixture::new(seed, 0, &weights, 3)?;
        let (source, n) = MixtureCursor::new(&mixture, split, level)?.advance();
        prop_assert_eq!(mixture.level_of(split, source, n)?, Some(level));
    }

    #[test]
    fn an_epoch_ends_with_its_first_or_its_last_source(
        seed: u64, pairs in prop::collection::vec((1_u64..9, 1_u64..30), 1..5), splits in 1_u64..6,
    ) {
        let (weights, lengths): (Vec<u64>, Vec<u64>) = pairs.into_iter().unzip();
        let mixture = Mixture::new(seed, 0, &weights, splits)?;
        let all = |levels, holds: &dyn Fn(&u64, &u64) -> bool| {
            let of_split = |split| mixture.counts(split, levels).unwrap();
            (0..splits).all(|split| of_split(split).iter().zip(&lengths).all(|(count, length)| holds(count, length)))
        };
        let first = mixture.levels_to_first_end(&lengths)?;
        prop_assert!(all(first, &u64::le) && !all(first + 1, &u64::le));
        let last = mixture.levels_to_last_end(&lengths)?;
        prop_assert!(all(last, &u64::ge) && !all(last - 1, &u64::ge));
    }

    #[test]
    fn weights_that_are_counts_are_had_exactly(
        seed: u64, weights in prop::collection::vec(0_u64..40, 1..5), splits in 1_u64..6, epoch in 1_u64..5,
    ) {
        prop_assume!(weights.iter().any(|weight| *weight > 0));
        let mixture = Mixture::new(seed, 0, &weights, splits)?;
        let expected: Vec<u64> = weights.iter().map(|weight| weight * epoch).collect();
        for split in 0..splits {
            prop_assert_eq!(&mixture.counts(split, epoch * weights.iter().sum::<u64>())?, &expected);
        }
    }
}

/// The mean square by which the samples of the first source in a step of `levels` levels of 64 splits miss its share.
fn spread(weights: &[u64], levels: u64, choice: impl Fn(u64, u64) -> usize) -> f64 {
    const SPLITS: u64 = 64;
    const STEPS: u64 = 100;
    let share = (SPLITS * levels * weights[0]) as f64 / weights.iter().sum::<u64>() as f64;
    let of_step = |step: u64| {
        let samples = (0..SPLITS)
            .flat_map(|split| (step * levels..(step + 1) * levels).map(move |level| (split, level)));
        let count = samples.filter(|(split, level)| choice(*split, *level) == 0).count();
        (count as f64 - share).powi(2)
    };
    (0..STEPS).map(of_step).sum::<f64>() / STEPS as f64
}

#[test]
fn steps_of_several_levels_keep_the_shares_better_than_free_draws() {
    for weights in [&[1, 1][..], &[7, 2, 1], &[3, 5, 11, 2]] {
        let mixture = Mixture::new(9, 0, weights, 64).unwrap();
        let choices: Vec<Vec<usize>> = (0..64)
            .map(|split| walk(&mixture, split, 0, 800).into_iter().map(|sample| sample.0).collect())
            .collect();
        let ours = spread(weights, 8, |split, level| choices[split as usize][level as usize]);
        let key = Key::derive(9, 0, Domain::Bootstrap);
        let total: u64 = weights.iter().sum();
        let free = |split, level| usize::from(below(key, split * 800 + level, total) >= weights[0]);
        let free = spread(weights, 8, free);
        assert!(ours < free / 2.0, "{weights:?}: {ours}, and {free} with free draws");
    }
}

#[test]
fn seeds_and_segments_choose_differently() {
    let choice = |seed, segment| walk(&Mixture::new(seed, segment, &[2, 3], 4).unwrap(), 1, 0, 100);
    assert_ne!(choice(0, 0), choice(1, 0));
    assert_ne!(choice(0, 0), choice(0, 1));
    assert_eq!(choice(5, 2), choice(5, 2));
}

#[test]
fn what_is_not_a_mixture_is_refused() {
    let refused = |weights: &[u64], splits| {
        let error = Mixture::new(0, 0, weights, splits).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        error.message().to_owned()
    };
    assert!(refused(&[], 1).contains("has 0 datasets"));
    assert!(refused(&vec![1; MAX_SOURCES + 1], 1).contains("has 4097 datasets"));
    assert!(refused(&[1, MAX_WEIGHT + 1], 1).contains("is 4294967297"));
    assert!(refused(&[0, 0], 1).contains("above 0"));
    assert!(refused(&[1], 0).contains("needs a split"));
    let mixture = Mixture::new(0, 0, &[1, MAX_WEIGHT], 1).unwrap();
    assert!(mixture.counts(0, u64::MAX).is_err());
    assert!(mixture.level_of(0, 1, u64::MAX).is_err());
    assert!(mixture.level_of(0, 0, 1 << 60).is_err());
}
