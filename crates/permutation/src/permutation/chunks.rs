//! All rows of a permutation, in pieces.

use std::ops::Deref;

use lance_loader_order::Result;

use super::Permutation;

/// Consecutive rows of one split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The split.
    pub split: usize,
    /// The ordinals of its next rows; never empty.
    pub ordinals: Vec<u64>,
}

/// The rows of a [`Permutation`], split by split. Memory: one piece.
#[derive(Debug)]
pub struct Chunks<P> {
    permutation: P,
    rows: usize,
    split: usize,
    start: u64,
}

impl<P: Deref<Target = Permutation>> Chunks<P> {
    /// All rows of a permutation, borrowed or shared (`Arc`), in pieces of up to `rows` rows.
    pub fn new(permutation: P, rows: usize) -> Self {
        Self { permutation, rows: rows.max(1), split: 0, start: 0 }
    }
}

impl<P: Deref<Target = Permutation>> Iterator for Chunks<P> {
    type Item = Result<Chunk>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.split < self.permutation.num_splits() {
            let (split, left) = (self.split, self.permutation.len_of(self.split) - self.start);
            if left == 0 {
                self.split += 1;
                self.start = 0;
                continue;
            }
            let mut ordinals = vec![0; left.min(self.rows as u64) as usize];
            let filled = self.permutation.ordinals(split, self.start, &mut ordinals);
            self.start += ordinals.len() as u64;
            return Some(filled.map(|()| Chunk { split, ordinals }));
        }
        None
    }
}
