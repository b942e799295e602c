//! What holds for every size and key, not just on average.

use super::*;
use crate::Domain;
use proptest::prelude::*;

fn bijection(size: u64, seed: u64) -> Bijection {
    Bijection::new(size, Key::derive(seed, 0, Domain::Epoch)).unwrap()
}

#[test]
fn every_position_is_visited_once() {
    for size in (0..300).chain([1000, 1023, 1024, 1025, 65_537]) {
        for seed in 0..3 {
            let bijection = bijection(size, seed);
            let mut images = vec![0; usize::try_from(size).unwrap()];
            bijection.apply_range(0, &mut images).unwrap();
            assert!(
                images.iter().zip(0..).all(|(image, position)| bijection.invert(*image).unwrap() == position)
            );
            images.sort_unstable();
            assert!(images.iter().copied().eq(0..size), "size {size}, seed {seed}");
        }
    }
}

#[test]
fn the_domain_is_hardly_larger_than_the_size() {
    for bits in 1..63 {
        for size in [(1_u64 << bits) - 1, 1 << bits, (1 << bits) + 1, MAX_ROWS] {
            let bijection = bijection(size, 0);
            let (low_size, high_size) = (1_u128 << bijection.low_bits, u128::from(bijection.high_size));
            assert!(high_size <= low_size && high_size <= 1 << 31);
            let surplus = low_size * high_size - u128::from(size);
            assert!(surplus < low_size && surplus <= u128::from(size), "{size}");
        }
    }
}

#[test]
fn fewer_values_in_the_smaller_half_need_more_rounds() {
    assert_eq!([1, 2, 4, 31, 977, 1 << 20, 1 << 31].map(pairs_of_rounds), [16, 16, 12, 6, 4, 4, 4]);
}

#[test]
fn what_is_outside_is_an_error_and_changes_nothing() {
    let bijection = bijection(10, 0);
    assert_eq!(
        bijection.apply(10).unwrap_err().message(),
        "position is 10: it must be below the number of rows, 10"
    );
    assert_eq!(bijection.invert(u64::MAX).unwrap_err().code(), Code::InvalidArgument);
    for (start, count) in [(10, 1), (5, 6), (u64::MAX, 2), (11, 0)] {
        let mut images = vec![77; count];
        assert_eq!(bijection.apply_range(start, &mut images).unwrap_err().code(), Code::InvalidArgument);
        assert!(images.iter().all(|image| *image == 77));
    }
    let mut positions = [3, 4, 10];
    assert!(bijection.apply_slice(&mut positions).is_err());
    assert_eq!(positions, [3, 4, 10]);
    bijection.apply_range(10, &mut []).unwrap();
    bijection.apply_slice(&mut []).unwrap();
    assert!(Bijection::new(MAX_ROWS + 1, Key::derive(0, 0, Domain::Epoch)).is_err());
}

proptest! {
    #[test]
    fn invert_undoes_apply_at_any_size(size in sizes(), at: u64, seed: u64) {
        let bijection = bijection(size, seed);
        let position = at % size;
        let image = bijection.apply(position)?;
        prop_assert!(image < size);
        prop_assert_eq!(bijection.invert(image)?, position);
        prop_assert_eq!(bijection.apply(bijection.invert(position)?)?, position);
    }

    #[test]
    fn slices_give_what_single_positions_give(size in sizes(), at: u64, seed: u64, count in 0_usize..200) {
        let bijection = bijection(size, seed);
        let start = at % size;
        let count = count.min(usize::try_from(size - start).unwrap());
        let mut images = vec![0; count];
        bijection.apply_range(start, &mut images)?;
        let mut backwards: Vec<u64> = (start..start + count as u64).rev().collect();
        bijection.apply_slice(&mut backwards)?;
        prop_assert!(images.iter().eq(backwards.iter().rev()));
        for (position, image) in (start..).zip(images) {
            prop_assert_eq!(bijection.apply(position)?, image);
        }
    }
}

/// Sizes of every magnitude, powers of two and their neighbours among them.
fn sizes() -> impl Strategy<Value = u64> {
    let any = (1_u32..64, any::<u64>()).prop_map(|(bits, size)| (size >> (64 - bits)).max(1));
    let near_a_power = (1_u32..63, 0_u64..3).prop_map(|(bits, plus)| (1_u64 << bits) - 1 + plus);
    prop_oneof![any, near_a_power, Just(MAX_ROWS)]
}
