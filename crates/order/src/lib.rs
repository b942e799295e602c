//! The order of samples: pure integer arithmetic, no I/O, no async, no Arrow.
//!
//! From a seed and an epoch to the rows of a step: [`Key`] mixes seed and epoch; [`Order`] maps a position of
//! the epoch to a row index, through a keyed [`Bijection`] where it is shuffled; [`SplitLayout`] cuts the
//! positions into splits; [`Topology`] says which splits a process owns; [`Plan`] and [`Cursor`] say which
//! sample comes next, from any progress. [`Mixture`] says which of several sources gives which sample.

mod bijection;
pub mod error;
mod layout;
mod left_out;
mod length_groups;
mod mixture;
mod plan;
mod random;
mod shuffle;
mod topology;

pub use bijection::{Bijection, MAX_ROWS};
pub use error::{Code, Error, Result};
pub use layout::{Remainder, SplitLayout};
pub use left_out::LeftOut;
pub use length_groups::{LENGTH_GROUPS_VERSION, LengthBlock};
pub use mixture::{MAX_SOURCES, MAX_WEIGHT, MIXTURE_VERSION, Mixture, MixtureCursor};
pub use plan::{Cursor, End, Entry, Plan};
pub use random::{Domain, Key, below, draw, sample_seed};
pub use shuffle::{Order, Shuffle};
pub use topology::Topology;

/// The version of the order algorithm, recorded in states and permutation tables.
///
/// Whatever changes an order (a constant, a number of rounds, a rule of the plan) must raise it; the golden
/// vectors fail otherwise.
pub const ORDER_VERSION: u32 = 1;
