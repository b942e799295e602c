//! The memory of a block.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use lance_loader_order::{Code, Error, Result};

/// 64 bytes at an address that is a multiple of 64: a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Line([u8; 64]);

/// Bytes of which the first lies at a multiple of 64, in multiples of 64.
///
/// A vector of cache lines: aligned by its type, freed by its type, initialized as far as its length goes.
#[derive(Debug, Default)]
pub struct AlignedBuffer {
    lines: Vec<Line>,
}

impl AlignedBuffer {
    /// The alignment of the buffer, and of everything that a block puts into it, in bytes.
    pub const ALIGNMENT: usize = size_of::<Line>();

    /// An empty buffer with room for `bytes` bytes, rounded up to the alignment.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE` if the memory can't be had.
    pub fn with_capacity(bytes: usize) -> Result<Self> {
        let mut lines = Vec::new();
        lines.try_reserve_exact(bytes.div_ceil(Self::ALIGNMENT)).map_err(|cause| {
            let message =
                format!("a batch of {bytes} bytes does not fit into memory: ask for fewer rows in a batch");
            Error::new(Code::BatchTooLarge, message).with_cause(cause)
        })?;
        Ok(Self { lines })
    }

    /// The number of bytes that hold data.
    pub fn len(&self) -> usize {
        self.lines.len() * Self::ALIGNMENT
    }

    /// Whether no bytes hold data.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The number of bytes allocated.
    pub fn capacity(&self) -> usize {
        self.lines.capacity() * Self::ALIGNMENT
    }

    /// Where the bytes start. Dangling, though aligned, if the capacity is 0.
    pub fn as_ptr(&self) -> *const u8 {
        self.lines.as_ptr().cast()
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        #[expect(
            unsafe_code,
            reason = "lines are bytes with an alignment; a safe view of them does not exist"
        )]
        // SAFETY: the lines are `len` initialized bytes without padding, borrowed as long as the slice.
        unsafe {
            std::slice::from_raw_parts(self.as_ptr(), self.len())
        }
    }

    /// A buffer of at least `bytes` zeros.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE` if the memory can't be had.
    pub(crate) fn zeroed(bytes: usize) -> Result<Self> {
        let mut buffer = Self::with_capacity(bytes)?;
        buffer.lines.resize(bytes.div_ceil(Self::ALIGNMENT), Line([0; 64]));
        Ok(buffer)
    }

    /// Appends `bytes` at the next multiple of the alignment and fills up with zeros; says where they begin.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> usize {
        let start = self.len();
        let (whole, rest) = bytes.as_chunks::<{ Self::ALIGNMENT }>();
        self.lines.extend(whole.iter().copied().map(Line));
        if !rest.is_empty() {
            let mut line = [0; Self::ALIGNMENT];
            line[..rest.len()].copy_from_slice(rest);
            self.lines.push(Line(line));
        }
        start
    }

    /// The bytes, to be written.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        let len = self.len();
        #[expect(
            unsafe_code,
            reason = "lines are bytes with an alignment; a safe view of them does not exist"
        )]
        // SAFETY: the lines are `len` initialized bytes without padding, of which any values are valid, borrowed mutably as long as the slice.
        unsafe {
            std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), len)
        }
    }

    /// Gives the memory away, to be lent to another runtime: address, bytes that hold data, bytes allocated.
    ///
    /// The memory leaks unless [`from_raw`](Self::from_raw) takes it back.
    pub fn into_raw(self) -> (NonNull<u8>, usize, usize) {
        let (len, capacity) = (self.len(), self.capacity());
        let mut lines = ManuallyDrop::new(self.lines);
        // A vector's pointer is never null.
        let start = NonNull::new(lines.as_mut_ptr()).unwrap_or(NonNull::dangling());
        (start.cast(), len, capacity)
    }

    /// Takes back what [`into_raw`](Self::into_raw) gave away.
    ///
    /// # Safety
    /// The three values come from one call of `into_raw`, each is taken back at most once, and nobody else
    /// uses the memory any more.
    #[expect(unsafe_code, reason = "memory that another runtime held must be freed as what it is")]
    pub unsafe fn from_raw(start: NonNull<u8>, len: usize, capacity: usize) -> Self {
        let (len, capacity) = (len / Self::ALIGNMENT, capacity / Self::ALIGNMENT);
        // SAFETY: by the contract, these are the parts of a vector of lines that nobody else owns.
        Self { lines: unsafe { Vec::from_raw_parts(start.cast().as_ptr(), len, capacity) } }
    }

    /// The lines, to be written anew.
    pub(super) fn into_lines(self) -> Vec<Line> {
        self.lines
    }

    /// A buffer of lines that were written.
    pub(super) fn from_lines(lines: Vec<Line>) -> Self {
        Self { lines }
    }
}
