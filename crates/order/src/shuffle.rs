//! The order of an epoch: which row stands at which position.

use crate::bijection::{check_index, check_range, check_rows};
use crate::{Bijection, Code, Error, Key, Result};

/// Clumps that are shuffled at a time, in a buffer on the stack.
const CLUMPS_AT_ONCE: usize = 256;

/// A uniform random order of rows in which runs of `clump_size` consecutive rows ("clumps") stay together,
/// ascending.
///
/// The last clump of the table may be short; it lands anywhere, like the others. Memory and time: as
/// [`Bijection`], whatever the number of rows.
#[derive(Clone, Debug)]
pub struct Shuffle {
    rows: u64,
    clump_size: u64,
    clumps: Bijection,
    /// How many rows the last clump lacks.
    lacking: u64,
    /// The first position behind the short clump. From here on, positions are `lacking` lower than they would
    /// be if all clumps were full.
    short_end: u64,
}

impl Shuffle {
    /// The shuffle of `rows` rows that belongs to `key`. With `clump_size` 1 each row moves on its own.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where `clump_size` is 0, or `rows` is above [`MAX_ROWS`](crate::MAX_ROWS).
    pub fn new(rows: u64, clump_size: u64, key: Key) -> Result<Self> {
        if clump_size == 0 {
            return Err(Error::new(Code::InvalidArgument, "shuffleClumpSize is 0: it must be at least 1"));
        }
        check_rows(rows)?;
        let clump_size = clump_size.min(rows.max(1));
        let clumps = Bijection::new(rows.div_ceil(clump_size), key)?;
        let lacking = clumps.size() * clump_size - rows;
        let short_end = match clumps.size().checked_sub(1) {
            Some(last) => (clumps.invert(last)? + 1) * clump_size - lacking,
            None => 0,
        };
        Ok(Self { rows, clump_size, clumps, lacking, short_end })
    }

    /// The number of rows.
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// The row that stands at `position`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where `position` is not below the number of rows.
    pub fn index_at(&self, position: u64) -> Result<u64> {
        check_index("position", position, self.rows)?;
        let (slot, offset) = self.slot_of(position);
        Ok(self.clumps.apply(slot)? * self.clump_size + offset)
    }

    /// The position at which the row `index` stands: the inverse of [`index_at`](Self::index_at).
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where `index` is not below the number of rows.
    pub fn position_of(&self, index: u64) -> Result<u64> {
        check_index("index", index, self.rows)?;
        let slot_start = self.clumps.invert(index / self.clump_size)? * self.clump_size;
        let lacking = if slot_start < self.short_end { 0 } else { self.lacking };
        Ok(slot_start + index % self.clump_size - lacking)
    }

    /// Fills `indices` with the rows that stand at the positions from `start` on.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where the positions pass the number of rows; `indices` is then unchanged.
    pub fn indices(&self, start: u64, indices: &mut [u64]) -> Result<()> {
        check_range(start, indices.len(), self.rows)?;
        if self.clump_size == 1 {
            return self.clumps.apply_range(start, indices);
        }
        let (mut slot, mut offset) = self.slot_of(start);
        let mut rest = indices;
        let mut buffer = [0; CLUMPS_AT_ONCE];
        while !rest.is_empty() {
            let wanted =
                (rest.len() as u64 + offset).div_ceil(self.clump_size).min(self.clumps.size() - slot);
            let clumps = &mut buffer[..CLUMPS_AT_ONCE.min(usize::try_from(wanted).unwrap_or(CLUMPS_AT_ONCE))];
            self.clumps.apply_range(slot, clumps)?;
            slot += clumps.len() as u64;
            for clump in clumps {
                rest = self.fill_clump(*clump, offset, rest);
                offset = 0;
            }
        }
        Ok(())
    }

    /// Replaces each position by the row that stands there.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where a position is not below the number of rows; `positions` are then unchanged.
    pub fn map_positions(&self, positions: &mut [u64]) -> Result<()> {
        if self.clump_size == 1 {
            return self.clumps.apply_slice(positions);
        }
        if let Some(position) = positions.iter().max() {
            check_index("position", *position, self.rows)?;
        }
        let mut offsets = [0; CLUMPS_AT_ONCE];
        for chunk in positions.chunks_mut(CLUMPS_AT_ONCE) {
            for (position, offset) in chunk.iter_mut().zip(&mut offsets) {
                (*position, *offset) = self.slot_of(*position);
            }
            self.clumps.apply_slice(chunk)?;
            for (clump, offset) in chunk.iter_mut().zip(&offsets) {
                *clump = *clump * self.clump_size + offset;
            }
        }
        Ok(())
    }

    /// The place of a valid position: the how-manieth clump of the epoch, and the row inside it.
    fn slot_of(&self, position: u64) -> (u64, u64) {
        let padded = if position < self.short_end { position } else { position + self.lacking };
        (padded / self.clump_size, padded % self.clump_size)
    }

    /// Writes the rows of a clump from `offset` on, as far as there is room, and returns the room behind
    /// them.
    fn fill_clump<'a>(&self, clump: u64, offset: u64, room: &'a mut [u64]) -> &'a mut [u64] {
        let start = clump * self.clump_size;
        let rows = start + offset..(start + self.clump_size).min(self.rows);
        let filled = room.iter_mut().zip(rows).map(|(slot, row)| *slot = row).count();
        room.split_at_mut(filled).1
    }
}

/// The order of an epoch over the rows of a snapshot.
#[derive(Clone, Debug)]
pub enum Order {
    /// The rows as they are stored: position and row are the same.
    Storage {
        /// The number of rows.
        rows: u64,
    },
    /// A keyed random order.
    Shuffled(Shuffle),
}

impl Order {
    /// The number of rows.
    pub const fn rows(&self) -> u64 {
        match self {
            Self::Storage { rows } => *rows,
            Self::Shuffled(shuffle) => shuffle.rows(),
        }
    }

    /// The row that stands at `position`; see [`Shuffle::index_at`].
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where `position` is not below the number of rows.
    pub fn index_at(&self, position: u64) -> Result<u64> {
        match self {
            Self::Storage { rows } => check_index("position", position, *rows).map(|()| position),
            Self::Shuffled(shuffle) => shuffle.index_at(position),
        }
    }

    /// The position at which the row `index` stands; see [`Shuffle::position_of`].
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where `index` is not below the number of rows.
    pub fn position_of(&self, index: u64) -> Result<u64> {
        match self {
            Self::Storage { rows } => check_index("index", index, *rows).map(|()| index),
            Self::Shuffled(shuffle) => shuffle.position_of(index),
        }
    }

    /// Fills `indices` with the rows that stand at the positions from `start` on; see [`Shuffle::indices`].
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where the positions pass the number of rows; `indices` is then unchanged.
    pub fn indices(&self, start: u64, indices: &mut [u64]) -> Result<()> {
        match self {
            Self::Storage { rows } => {
                check_range(start, indices.len(), *rows)?;
                indices.iter_mut().zip(start..).for_each(|(slot, row)| *slot = row);
                Ok(())
            }
            Self::Shuffled(shuffle) => shuffle.indices(start, indices),
        }
    }

    /// Replaces each position by the row that stands there; see [`Shuffle::map_positions`].
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where a position is not below the number of rows; `positions` are then unchanged.
    pub fn map_positions(&self, positions: &mut [u64]) -> Result<()> {
        match self {
            Self::Storage { rows } => match positions.iter().max() {
                Some(position) => check_index("position", *position, *rows),
                None => Ok(()),
            },
            Self::Shuffled(shuffle) => shuffle.map_positions(positions),
        }
    }
}

#[cfg(test)]
mod tests;
