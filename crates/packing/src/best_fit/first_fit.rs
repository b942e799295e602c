//! First-fit-decreasing bin packing.

use std::cmp::Reverse;

/// The bin of each item, and the number of bins. Items are 1 to `capacity` long.
///
/// Items are placed longest first (equal ones in their order), each into the first bin that has room; the next bin is
/// found in a tournament tree over the room of the bins, so n items take O(n log n) time and O(n) memory
/// (D. S. Johnson, "Near-optimal bin packing algorithms", 1973).
///
/// Bins are numbered by the first item in them, so that bins come out in the order of the documents and not by length.
pub(crate) fn first_fit_decreasing(lengths: &[u32], capacity: u32) -> (Vec<usize>, usize) {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_unstable_by_key(|&item| (Reverse(lengths[item]), item));
    let mut room = RoomTree::new(lengths.len(), capacity);
    let mut bins = vec![0; lengths.len()];
    for item in order {
        bins[item] = room.place(lengths[item]);
    }
    let count = renumber_by_first_item(&mut bins);
    (bins, count)
}

fn renumber_by_first_item(bins: &mut [usize]) -> usize {
    let mut numbers = vec![None; bins.len()];
    let mut count = 0;
    for bin in bins {
        *bin = *numbers[*bin].get_or_insert_with(|| {
            count += 1;
            count - 1
        });
    }
    count
}

/// The most room among the bins below each node; node 1 is the root, the leaves are the bins.
struct RoomTree {
    room: Vec<u32>,
    leaves: usize,
}

impl RoomTree {
    /// As many bins as items, all empty: an item always finds one.
    fn new(items: usize, capacity: u32) -> Self {
        let leaves = items.next_power_of_two();
        Self { room: vec![capacity; 2 * leaves], leaves }
    }

    /// Takes `length` from the first bin that has it.
    fn place(&mut self, length: u32) -> usize {
        let mut node = 1;
        while node < self.leaves {
            node *= 2;
            node += usize::from(self.room[node] < length);
        }
        let bin = node - self.leaves;
        self.room[node] -= length;
        while node > 1 {
            node /= 2;
            self.room[node] = self.room[2 * node].max(self.room[2 * node + 1]);
        }
        bin
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// First-fit-decreasing as the textbook has it, one bin after the other.
    fn by_hand(lengths: &[u32], capacity: u32) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_key(|&item| Reverse(lengths[item]));
        let mut bins: Vec<(u32, Vec<usize>)> = Vec::new();
        for item in order {
            match bins.iter_mut().find(|(room, _)| *room >= lengths[item]) {
                Some((room, items)) => {
                    *room -= lengths[item];
                    items.push(item);
                }
                None => bins.push((capacity - lengths[item], vec![item])),
            }
        }
        let mut bins: Vec<Vec<usize>> = bins.into_iter().map(|(_, items)| items).collect();
        for items in &mut bins {
            items.sort_unstable();
        }
        bins.sort_unstable();
        bins
    }

    proptest! {
        #[test]
        fn bins_are_those_of_first_fit_decreasing_in_document_order(
            lengths in prop::collection::vec(1_u32..=13, 0..200)
        ) {
            let (bins, count) = first_fit_decreasing(&lengths, 13);
            let mut items = vec![Vec::new(); count];
            for (item, &bin) in bins.iter().enumerate() {
                items[bin].push(item);
            }
            prop_assert_eq!(items, by_hand(&lengths, 13));
        }
    }
}
