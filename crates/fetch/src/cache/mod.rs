//! A cache on local disk of objects that never change, shared by the processes of one machine.
//!
//! An object is cut into blocks; those that were read lie in a file of the object's own, each with its checksum. Nothing else needs to be kept in
//! step: a block that was written half when a process died, or that a disk has changed, does not fit its checksum and counts as absent. So
//! processes read and write without talking to each other, and agree only on how much room there is.

mod cached_file;
mod folder;

pub use cached_file::{BLOCK_BYTES, Block, CachedFile};
pub use folder::CacheFolder;
