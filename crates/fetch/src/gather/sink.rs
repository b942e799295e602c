//! Writing a block from its start to its end.

use std::mem::MaybeUninit;

use lance_loader_order::Result;

use super::AlignedBuffer;
use super::aligned_buffer::Line;

/// Memory that is written front to back, once, and is handed out only as far as it was written.
///
/// Every method gives `None` instead of writing past the memory that was reserved.
pub(super) struct Sink {
    lines: Vec<Line>,
    written: usize,
}

impl Sink {
    /// Room for `bytes` bytes, in `recycled` if that is large enough.
    pub(super) fn new(recycled: Option<AlignedBuffer>, bytes: usize) -> Result<Self> {
        let buffer = match recycled.filter(|buffer| buffer.capacity() >= bytes) {
            Some(buffer) => buffer,
            None => AlignedBuffer::with_capacity(bytes)?,
        };
        let mut lines = buffer.into_lines();
        lines.clear();
        Ok(Self { lines, written: 0 })
    }

    /// Writes `bytes`.
    #[inline]
    pub(super) fn put(&mut self, bytes: &[u8]) -> Option<()> {
        self.room(bytes.len())?.write_copy_of_slice(bytes);
        self.written += bytes.len();
        Some(())
    }

    /// Writes the rows `rows` of `source`.
    pub(super) fn put_rows<const WIDTH: usize>(
        &mut self,
        source: &[[u8; WIDTH]],
        rows: &[u32],
    ) -> Option<()> {
        let bytes = rows.len().checked_mul(WIDTH)?;
        let (room, _) = self.room(bytes)?.as_chunks_mut::<WIDTH>();
        for (room, row) in room.iter_mut().zip(rows) {
            room.write_copy_of_slice(source.get(*row as usize)?);
        }
        self.written += bytes;
        Some(())
    }

    /// Writes `bytes` zeros and gives them to be overwritten.
    pub(super) fn put_zeros(&mut self, bytes: usize) -> Option<&mut [u8]> {
        self.room(bytes)?.fill(MaybeUninit::new(0));
        let start = self.written;
        self.written += bytes;
        let zeros = spare_bytes(&mut self.lines).get_mut(start..self.written)?;
        #[expect(unsafe_code, reason = "the bits of bitmaps are set in place")]
        // SAFETY: these bytes were filled just now.
        Some(unsafe { zeros.assume_init_mut() })
    }

    /// Writes zeros up to the next multiple of the alignment.
    pub(super) fn pad(&mut self) -> Option<()> {
        let padding = self.written.next_multiple_of(AlignedBuffer::ALIGNMENT) - self.written;
        self.put_zeros(padding).map(|_| ())
    }

    /// The memory, padded.
    pub(super) fn finish(mut self) -> Option<AlignedBuffer> {
        self.pad()?;
        let lines = self.written / AlignedBuffer::ALIGNMENT;
        #[expect(
            unsafe_code,
            reason = "zeroing first what is overwritten anyway would write the block twice"
        )]
        // SAFETY: `written` grows only behind bytes that were written, within the capacity, and is a whole
        // number of lines here.
        unsafe {
            self.lines.set_len(lines);
        }
        Some(AlignedBuffer::from_lines(self.lines))
    }

    /// The next `bytes` bytes that are not written yet.
    #[inline]
    fn room(&mut self, bytes: usize) -> Option<&mut [MaybeUninit<u8>]> {
        spare_bytes(&mut self.lines).get_mut(self.written..)?.get_mut(..bytes)
    }
}

/// The memory of the lines that have no value yet: all, until the sink is finished.
#[inline]
fn spare_bytes(lines: &mut Vec<Line>) -> &mut [MaybeUninit<u8>] {
    let lines = lines.spare_capacity_mut();
    #[expect(unsafe_code, reason = "lines are bytes with an alignment; a safe view of them does not exist")]
    // SAFETY: these are as many bytes of one allocation, and they need not be initialized.
    unsafe {
        std::slice::from_raw_parts_mut(lines.as_mut_ptr().cast::<MaybeUninit<u8>>(), size_of_val(lines))
    }
}
