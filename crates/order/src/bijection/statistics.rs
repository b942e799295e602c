//! Whether the bijection is a fair shuffle: each test passes for a Fisher-Yates shuffle (the control) and for
//! the bijection, and fails for shuffles that are known to be bad. Seeds are fixed, so that nothing here is
//! left to luck.

use super::*;
use crate::{Domain, below};

/// How many standard deviations a statistic may be off.
const ALLOWED: f64 = 5.0;

/// The permutation of a size and a seed.
type Shuffler = fn(u64, u64) -> Vec<u64>;

fn key(seed: u64) -> Key {
    Key::derive(seed, 0, Domain::Epoch)
}

fn images(bijection: &Bijection) -> Vec<u64> {
    let mut images = vec![0; usize::try_from(bijection.size).unwrap()];
    bijection.apply_range(0, &mut images).unwrap();
    images
}

fn ours(size: u64, seed: u64) -> Vec<u64> {
    images(&Bijection::new(size, key(seed)).unwrap())
}

/// The control.
fn fisher_yates(size: u64, seed: u64) -> Vec<u64> {
    swapped(size, seed, |last| last + 1)
}

/// Bad: the well-known slip of swapping each position with any other.
fn naive_swaps(size: u64, seed: u64) -> Vec<u64> {
    swapped(size, seed, |_| size)
}

fn swapped(size: u64, seed: u64, choices: impl Fn(u64) -> u64) -> Vec<u64> {
    let key = key(seed).child(1);
    let mut images: Vec<u64> = (0..size).collect();
    for last in (0..size).rev() {
        let other = below(key, last, choices(last));
        images.swap(usize::try_from(last).unwrap(), usize::try_from(other).unwrap());
    }
    images
}

/// Bad: `position * factor + offset` modulo the size, as a linear congruential generator with full period
/// walks.
fn affine(size: u64, seed: u64) -> Vec<u64> {
    let coprime = |factor: u64| {
        (1..=factor).rev().find(|d| factor.is_multiple_of(*d) && size.is_multiple_of(*d)) == Some(1)
    };
    let factor =
        (0..1000).map(|attempt| 1 + below(key(seed), attempt, size)).find(|factor| coprime(*factor)).unwrap();
    let offset = below(key(seed).child(0), 0, size);
    (0..size).map(|position| (position * factor + offset) % size).collect()
}

/// Bad: the same network with too few rounds.
fn with_pairs<const PAIRS: usize>(size: u64, seed: u64) -> Vec<u64> {
    let mut bijection = Bijection::new(size, key(seed)).unwrap();
    bijection.pairs.truncate(PAIRS);
    images(&bijection)
}

/// Bad: fair in all but parity.
fn even_only(size: u64, seed: u64) -> Vec<u64> {
    let mut images = fisher_yates(size, seed);
    if is_odd(&images) {
        images.swap(0, 1);
    }
    images
}

/// Whether a permutation is made of an odd number of swaps.
fn is_odd(images: &[u64]) -> bool {
    let mut images = images.to_vec();
    let mut odd = false;
    for at in 0..images.len() {
        while images[at] != at as u64 {
            let home = usize::try_from(images[at]).unwrap();
            images.swap(at, home);
            odd = !odd;
        }
    }
    odd
}

/// Pearson's chi-square of counts against expected counts, in standard deviations from its mean. `free` is
/// the degrees of freedom.
fn chi_square(counts: &[(u32, f64)], free: usize) -> f64 {
    let chi: f64 =
        counts.iter().map(|(count, expected)| (f64::from(*count) - expected).powi(2) / expected).sum();
    (chi - free as f64) / (2.0 * free as f64).sqrt()
}

/// Counts of small numbers against the Poisson distribution; the last class is "as many or more".
fn poisson(numbers: impl Iterator<Item = usize>, mean: f64) -> f64 {
    let mut counts = [0_u32; 6];
    numbers.for_each(|number| counts[number.min(5)] += 1);
    let trials = f64::from(counts.iter().sum::<u32>());
    let mut chances = [(-mean).exp(); 6];
    (1..5).for_each(|k| chances[k] = chances[k - 1] * mean / k as f64);
    chances[5] = 1.0 - chances[..5].iter().sum::<f64>();
    let counts: Vec<_> =
        counts.iter().zip(chances).map(|(count, chance)| (*count, trials * chance)).collect();
    chi_square(&counts, 5)
}

/// Every one of the `size!` permutations is as frequent as any other.
fn permutations(shuffler: Shuffler, size: u64) -> f64 {
    let factorial: u32 = (1..=u32::try_from(size).unwrap()).product();
    let mut counts = vec![(0_u32, 500.0); factorial as usize];
    for seed in 0..u64::from(factorial) * 500 {
        let images = shuffler(size, seed);
        // The rank of the permutation in the factorial number system.
        let rank = images.iter().enumerate().fold(0, |rank, (at, image)| {
            let smaller_behind = images[at..].iter().filter(|other| *other < image).count();
            rank * (images.len() - at) + smaller_behind
        });
        counts[rank].0 += 1;
    }
    chi_square(&counts, counts.len() - 1)
}

/// Every position is sent to every other as often.
fn places(shuffler: Shuffler, size: u64) -> f64 {
    let trials = 100 * size;
    let mut counts = vec![(0_u32, 100.0); usize::try_from(size * size).unwrap()];
    for seed in 0..trials {
        let images = shuffler(size, seed);
        (0..)
            .zip(images)
            .for_each(|(position, image)| counts[usize::try_from(position * size + image).unwrap()].0 += 1);
    }
    chi_square(&counts, usize::try_from((size - 1).pow(2)).unwrap())
}

/// Odd and even permutations are as frequent. Networks that xor their halves reach even ones only.
fn parity(shuffler: Shuffler, size: u64) -> f64 {
    let trials = 4000;
    let odd = (0..trials).filter(|seed| is_odd(&shuffler(size, *seed))).count() as f64;
    (odd - trials as f64 / 2.0).abs() / (trials as f64 / 4.0).sqrt()
}

/// The number of positions that stay is Poisson(1).
fn fixed_points(shuffler: Shuffler, size: u64) -> f64 {
    let fixed = |images: Vec<u64>| (0..).zip(images).filter(|(position, image)| position == image).count();
    poisson((0..4000).map(|seed| fixed(shuffler(size, seed))), 1.0)
}

/// The number of pairs at a distance that land at the same distance, either way round, is Poisson(about 2).
/// The distances are those at which the network could be weak: neighbours, and positions that share a half.
fn kept_pairs(shuffler: Shuffler, size: u64) -> f64 {
    let low_size = 1 << Bijection::new(size, key(0)).unwrap().low_bits;
    [1, 2, low_size - 1, low_size, low_size + 1]
        .map(|distance| kept_pairs_at(shuffler, size, distance))
        .into_iter()
        .fold(0.0, f64::max)
}

fn kept_pairs_at(shuffler: Shuffler, size: u64, distance: u64) -> f64 {
    let kept = |images: Vec<u64>| {
        let further = images.iter().skip(usize::try_from(distance).unwrap());
        images.iter().zip(further).filter(|(image, other)| image.abs_diff(**other) == distance).count()
    };
    let pairs = (size - distance) as f64;
    poisson(
        (0..4000).map(|seed| kept(shuffler(size, seed))),
        2.0 * pairs * pairs / (size as f64 * (size as f64 - 1.0)),
    )
}

/// Neighbours are not correlated, over all seeds and in the spread from seed to seed.
fn serial_correlation(shuffler: Shuffler, size: u64) -> f64 {
    let n = size as f64;
    let middle = (n - 1.0) / 2.0;
    // Two values of one permutation are never equal, which makes their mean product a little less than 0.
    correlation(n.sqrt(), -n.sqrt().recip(), size, |seed| {
        let images = shuffler(size, seed);
        images.windows(2).map(|pair| (pair[0] as f64 - middle) * (pair[1] as f64 - middle)).sum()
    })
}

/// Where a position is sent is not correlated with where it was.
fn displacement(shuffler: Shuffler, size: u64) -> f64 {
    let n = size as f64;
    let middle = (n - 1.0) / 2.0;
    correlation(n / (n - 1.0).sqrt(), 0.0, size, |seed| {
        let images = shuffler(size, seed);
        (0_u32..)
            .zip(images)
            .map(|(position, image)| (f64::from(position) - middle) * (image as f64 - middle))
            .sum()
    })
}

/// How far sums of products of deviations are from the mean and the spread that they have in random
/// permutations; the mean in spreads, the spread in variances of one value.
fn correlation(spread: f64, mean: f64, size: u64, sum: impl Fn(u64) -> f64) -> f64 {
    const TRIALS: u32 = 2000;
    let trials = f64::from(TRIALS);
    let variance_of_one = ((size * size) as f64 - 1.0) / 12.0;
    let sums: Vec<f64> =
        (0..TRIALS).map(|seed| sum(u64::from(seed)) / variance_of_one / spread - mean).collect();
    let mean = sums.iter().sum::<f64>() / trials;
    let variance = sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / trials;
    (mean.abs() * trials.sqrt()).max((variance - 1.0).abs() * (trials / 2.0).sqrt())
}

#[track_caller]
fn passes(statistic: fn(Shuffler, u64) -> f64, sizes: &[u64]) {
    for size in sizes {
        for (name, shuffler) in [("Fisher-Yates", fisher_yates as Shuffler), ("bijection", ours)] {
            let off = statistic(shuffler, *size);
            assert!(off < ALLOWED, "{name} of {size}: {off} standard deviations");
        }
    }
}

#[track_caller]
fn fails(statistic: fn(Shuffler, u64) -> f64, size: u64, bad: Shuffler) {
    let off = statistic(bad, size);
    assert!(off > 2.0 * ALLOWED, "a bad shuffle of {size} passes: {off} standard deviations");
}

#[test]
fn every_permutation_of_a_tiny_table_is_as_frequent() {
    passes(permutations, &[2, 3, 4, 5, 6]);
    fails(permutations, 3, with_pairs::<1>);
    fails(permutations, 4, affine);
    fails(permutations, 4, naive_swaps);
    fails(permutations, 5, with_pairs::<4>);
    fails(permutations, 6, with_pairs::<4>);
}

#[test]
fn every_position_is_sent_everywhere_as_often() {
    passes(places, &[7, 16, 50, 64]);
    fails(places, 7, with_pairs::<1>);
    fails(places, 50, naive_swaps);
}

#[test]
fn odd_permutations_are_as_frequent_as_even_ones() {
    passes(parity, &[16, 50, 64, 81, 1 << 10]);
    fails(parity, 16, even_only);
}

#[test]
fn the_number_of_positions_that_stay_is_poisson() {
    passes(fixed_points, &[100, 1000, 1 << 10]);
    fails(fixed_points, 1000, affine);
}

#[test]
fn pairs_keep_their_distance_as_seldom_as_by_chance() {
    passes(kept_pairs, &[100, 1000, 1 << 10]);
    fails(kept_pairs, 1000, affine);
    fails(kept_pairs, 1000, with_pairs::<1>);
    fails(kept_pairs, 1000, with_pairs::<2>);
}

#[test]
fn neighbours_and_displacements_are_not_correlated() {
    passes(serial_correlation, &[100, 1000]);
    passes(displacement, &[100, 1000]);
    fails(serial_correlation, 1000, affine);
    fails(displacement, 1000, affine);
}
