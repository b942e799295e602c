//! Sequence packing: documents (lists of tokens) in, blocks of equal length out.
//!
//! Slices of integers go in, rows of caller-owned buffers come out: no I/O, no async, no Arrow.
//! A [`Packer`] holds the token buffers of the splits that its owner reads, says which split needs documents, and writes
//! blocks cycle by cycle into a [`BlockBatch`].
//!
//! ```
//! use lance_loader_packing::{BlockBatch, PackMode, PackOptions, PackOutcome, Packer};
//!
//! let options = PackOptions { length: 3, eos_id: 99, pad_id: 98, blocks_per_epoch: 2, mode: PackMode::Concat };
//! let mut packer = Packer::<i32>::new(options, &[2], 0..1)?;
//! let (mut input_ids, mut doc_ids) = (vec![0; 6], vec![0; 6]);
//! let mut batch = BlockBatch::new(3, &mut input_ids, &mut doc_ids)?;
//! let documents: [&[u16]; 2] = [&[11, 12, 13], &[21]];
//! let mut documents = documents.into_iter();
//! while let PackOutcome::Needs(split) = packer.pack(&mut batch)? {
//!     packer.push(split, documents.next().unwrap_or_default())?;
//! }
//! assert_eq!(input_ids, [11, 12, 13, 99, 21, 99]);
//! assert_eq!(doc_ids, [0, 0, 0, 0, 1, 1]);
//! # Ok::<(), lance_loader_order::Error>(())
//! ```

mod best_fit;
mod block_batch;
mod estimate;
mod options;
mod packer;
mod progress;
mod split_packer;
mod state;
mod stats;
mod token;
mod token_buffer;

pub use block_batch::{AttentionLengths, BlockBatch};
pub use estimate::{MAX_SAMPLED_DOCUMENTS, estimate_blocks_per_epoch, sample_positions};
pub use options::{LongDocuments, PackMode, PackOptions};
pub use packer::{PackOutcome, Packer};
pub use progress::{Progress, SplitCounts, SplitProgress};
pub use state::{PackBuffer, PackState, merge_pack_states};
pub use stats::PackStats;
pub use token::{Token, TokenSource};
