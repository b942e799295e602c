//! A window: the rows of the next batches, read at once.

/// Rows in the order of the plan, told as distinct ascending ordinals and, for each row, where among them it is.
#[derive(Debug, PartialEq, Eq)]
pub struct Window {
    /// The distinct ordinals, ascending: what is read.
    pub ordinals: Vec<u64>,
    /// For each row of the plan, its index in `ordinals`: how it is gathered.
    pub indices: Vec<u32>,
}

impl Window {
    /// Sorts and de-duplicates the ordinals of at most `u32::MAX` rows. O(n log n) time, 16 bytes a row while it works.
    pub fn new(rows: &[u64]) -> Self {
        if rows.is_sorted_by(|left, right| left < right) {
            return Self { ordinals: rows.to_vec(), indices: (0..rows.len() as u32).collect() };
        }
        let mut pairs: Vec<(u64, u32)> = rows.iter().copied().zip(0..).collect();
        pairs.sort_unstable();
        let mut ordinals: Vec<u64> = Vec::with_capacity(pairs.len());
        let mut indices = vec![0; pairs.len()];
        for (ordinal, place) in pairs {
            if ordinals.last() != Some(&ordinal) {
                ordinals.push(ordinal);
            }
            if let Some(index) = indices.get_mut(place as usize) {
                *index = (ordinals.len() - 1) as u32;
            }
        }
        Self { ordinals, indices }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn gathering_the_distinct_rows_gives_the_plan_back(rows in prop::collection::vec(0u64..50, 0..200)) {
            let window = Window::new(&rows);
            prop_assert!(window.ordinals.is_sorted_by(|left, right| left < right));
            let gathered: Vec<u64> = window.indices.iter().map(|&index| window.ordinals[index as usize]).collect();
            prop_assert_eq!(gathered, rows);
        }
    }

    #[test]
    fn repeated_rows_are_read_once() {
        let window = Window::new(&[7, 2, 7, 7, 2]);
        assert_eq!(window, Window { ordinals: vec![2, 7], indices: vec![1, 0, 1, 1, 0] });
    }
}
