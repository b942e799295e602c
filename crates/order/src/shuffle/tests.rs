use super::*;
use crate::{Domain, MAX_ROWS};
use proptest::prelude::*;

fn key(seed: u64) -> Key {
    Key::derive(seed, 0, Domain::Epoch)
}

fn all(shuffle: &Shuffle) -> Vec<u64> {
    let mut indices = vec![0; usize::try_from(shuffle.rows()).unwrap()];
    shuffle.indices(0, &mut indices).unwrap();
    indices
}

/// The plain model: the clumps as lists, in the order of the bijection, put one behind the other.
fn model(rows: u64, clump_size: u64, seed: u64) -> Vec<u64> {
    let clumps: Vec<Vec<u64>> = (0..rows)
        .collect::<Vec<_>>()
        .chunks(usize::try_from(clump_size).unwrap())
        .map(<[u64]>::to_vec)
        .collect();
    let order = Bijection::new(clumps.len() as u64, key(seed)).unwrap();
    (0..order.size())
        .flat_map(|slot| clumps[usize::try_from(order.apply(slot).unwrap()).unwrap()].clone())
        .collect()
}

#[test]
fn clumps_stay_together_wherever_the_short_one_lands() {
    let mut slots_of_the_short_clump = std::collections::HashSet::new();
    for rows in 0..40 {
        for clump_size in [1, 2, 3, 4, 5, 16, 39, 40, 1000] {
            for seed in 0..20 {
                let shuffle = Shuffle::new(rows, clump_size, key(seed)).unwrap();
                let expected = model(rows, clump_size, seed);
                assert_eq!(all(&shuffle), expected, "{rows} rows, clumps of {clump_size}, seed {seed}");
                for (position, index) in (0..).zip(expected) {
                    assert_eq!(shuffle.index_at(position).unwrap(), index);
                    assert_eq!(shuffle.position_of(index).unwrap(), position);
                }
                if (rows, clump_size) == (18, 4) {
                    slots_of_the_short_clump.insert(shuffle.short_end);
                }
            }
        }
    }
    assert_eq!(slots_of_the_short_clump.len(), 5, "the seeds put the short clump everywhere");
}

#[test]
fn different_seeds_epochs_and_clump_sizes_give_different_orders() {
    let order = |seed, epoch, clump_size| {
        all(&Shuffle::new(1000, clump_size, Key::derive(seed, epoch, Domain::Epoch)).unwrap())
    };
    let orders = [
        order(0, 0, 1),
        order(0, 1, 1),
        order(100_003, 0, 1),
        order(1 << 53, 0, 1),
        order((1 << 53) + 1, 0, 1),
        order(0, 0, 2),
        (0..1000).collect(),
    ];
    for (at, order) in orders.iter().enumerate() {
        assert!(orders[..at].iter().all(|other| other != order), "{at}");
    }
}

#[test]
fn bad_arguments_are_errors_that_name_them() {
    let refused = Shuffle::new(10, 0, key(0)).unwrap_err();
    assert_eq!(
        (refused.code(), refused.message()),
        (Code::InvalidArgument, "shuffleClumpSize is 0: it must be at least 1")
    );
    assert!(Shuffle::new(MAX_ROWS + 1, u64::MAX, key(0)).is_err());
    for order in [Order::Storage { rows: 10 }, Order::Shuffled(Shuffle::new(10, 4, key(0)).unwrap())] {
        assert!(order.index_at(10).unwrap_err().message().starts_with("position is 10"));
        assert!(order.position_of(10).unwrap_err().message().starts_with("index is 10"));
        let mut indices = [7; 6];
        assert!(order.indices(5, &mut indices).is_err());
        assert!(order.indices(u64::MAX, &mut indices).is_err());
        assert_eq!(indices, [7; 6]);
        let mut positions = [0, 10, 1];
        assert!(order.map_positions(&mut positions).is_err());
        assert_eq!(positions, [0, 10, 1]);
        order.indices(10, &mut []).unwrap();
        order.map_positions(&mut []).unwrap();
    }
}

#[test]
fn storage_order_is_the_identity() {
    let order = Order::Storage { rows: 10 };
    let (mut indices, mut positions) = ([0; 4], [9, 0, 3]);
    order.indices(3, &mut indices).unwrap();
    order.map_positions(&mut positions).unwrap();
    assert_eq!((indices, positions), ([3, 4, 5, 6], [9, 0, 3]));
    assert_eq!((order.rows(), order.index_at(7).unwrap(), order.position_of(7).unwrap()), (10, 7, 7));
}

proptest! {
    #[test]
    fn single_positions_ranges_lists_and_the_inverse_agree(
        bits in 1_u32..64, more: u64, clump_bits in 0_u32..64, clump: u64, at: u64,
        count in 0_usize..700, seed: u64,
    ) {
        let rows = (more >> (64 - bits)).max(1);
        let clump_size = (clump >> (63 - clump_bits)).max(1);
        let order = Order::Shuffled(Shuffle::new(rows, clump_size, key(seed))?);
        let start = at % rows;
        let count = count.min(usize::try_from(rows - start).unwrap());
        let mut indices = vec![0; count];
        order.indices(start, &mut indices)?;
        let mut mapped: Vec<u64> = (start..start + count as u64).collect();
        order.map_positions(&mut mapped)?;
        prop_assert_eq!(&indices, &mapped);
        for (position, index) in (start..).zip(indices) {
            prop_assert!(index < rows);
            prop_assert_eq!(order.index_at(position)?, index);
            prop_assert_eq!(order.position_of(index)?, position);
        }
    }
}
