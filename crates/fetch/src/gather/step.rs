//! One buffer of a batch, and how it is written.

use std::ops::Range;

use arrow_buffer::bit_mask::set_bits;
use arrow_buffer::{ArrowNativeType, BooleanBuffer};

use super::prefetch::{ROWS_AHEAD, prefetch};
use super::selection::{Selection, Spans};
use super::sink::Sink;
use crate::column::Offsets;

/// A buffer that the second pass writes.
pub(super) enum Step<'a> {
    /// A validity bitmap or booleans.
    Bits { source: &'a BooleanBuffer, selection: Selection<'a> },
    /// `width` bytes a row.
    Values { source: &'a [u8], width: usize, selection: Selection<'a> },
    /// Offsets of 32 bits, the first one 0.
    Offsets { source: &'a Offsets, selection: Selection<'a> },
    /// Dictionary keys, already renumbered, of `width` bytes each.
    Keys { codes: Vec<u32>, width: usize },
}

impl Step<'_> {
    /// Writes the buffer. `None` if the source has not the rows or the sink not the room that the first pass
    /// measured.
    pub(super) fn write(&self, sink: &mut Sink) -> Option<()> {
        match self {
            Self::Bits { source, selection } => write_bits(sink, source, selection),
            Self::Values { source, width, selection } => write_values(sink, source, *width, selection),
            Self::Offsets { source: Offsets::Small(source), selection } => {
                write_offsets(sink, source, selection)
            }
            Self::Offsets { source: Offsets::Large(source), selection } => {
                write_offsets(sink, source, selection)
            }
            Self::Keys { codes, width } => write_keys(sink, codes, *width),
        }
    }
}

fn write_bits(sink: &mut Sink, source: &BooleanBuffer, selection: &Selection) -> Option<()> {
    let target = sink.put_zeros(selection.len().div_ceil(8))?;
    if let (Spans::Rows(rows), 1) = (selection.spans(), selection.run()) {
        for (target, rows) in target.iter_mut().zip(rows.chunks(8)) {
            let bits = rows.iter().enumerate();
            *target = bits.fold(0, |byte, (bit, row)| byte | u8::from(source.value(*row as usize)) << bit);
        }
        return Some(());
    }
    let mut at = 0;
    selection.try_for_each(|range| {
        set_bits(target, source.values(), at, source.offset() + range.start, range.len());
        at += range.len();
        Some(())
    })
}

fn write_values(sink: &mut Sink, source: &[u8], width: usize, selection: &Selection) -> Option<()> {
    let bytes = width.checked_mul(selection.run())?;
    match selection.spans() {
        Spans::Rows(rows) => match bytes {
            0 => Some(()),
            1 => sink.put_rows(source.as_chunks::<1>().0, rows),
            2 => sink.put_rows(source.as_chunks::<2>().0, rows),
            4 => sink.put_rows(source.as_chunks::<4>().0, rows),
            8 => sink.put_rows(source.as_chunks::<8>().0, rows),
            16 => sink.put_rows(source.as_chunks::<16>().0, rows),
            _ => write_wide(sink, source, rows, |row| *row as usize * bytes..(*row as usize + 1) * bytes),
        },
        Spans::Ranges(ranges) => {
            write_wide(sink, source, ranges, |range| range.start * bytes..range.end * bytes)
        }
    }
}

/// Copies spans of many bytes, each asked for some spans before its turn.
fn write_wide<T>(
    sink: &mut Sink,
    source: &[u8],
    spans: &[T],
    bytes: impl Fn(&T) -> Range<usize>,
) -> Option<()> {
    let mut ahead = spans.iter();
    for span in ahead.by_ref().take(ROWS_AHEAD) {
        prefetch(source.get(bytes(span))?);
    }
    for span in spans {
        if let Some(next) = ahead.next() {
            prefetch(source.get(bytes(next))?);
        }
        sink.put(source.get(bytes(span))?)?;
    }
    Some(())
}

fn write_offsets<O: ArrowNativeType>(sink: &mut Sink, source: &[O], selection: &Selection) -> Option<()> {
    let mut end: usize = 0;
    sink.put(&0_i32.to_ne_bytes())?;
    selection.try_for_each(|rows| {
        let offsets = source.get(rows.start..=rows.end)?;
        let (first, offsets) = offsets.split_first()?;
        let base = end;
        for offset in offsets {
            end = base + (offset.as_usize() - first.as_usize());
            sink.put(&i32::try_from(end).ok()?.to_ne_bytes())?;
        }
        Some(())
    })
}

fn write_keys(sink: &mut Sink, codes: &[u32], width: usize) -> Option<()> {
    let mut put = |code: u32| match width {
        1 => sink.put(&u8::try_from(code).ok()?.to_ne_bytes()),
        2 => sink.put(&u16::try_from(code).ok()?.to_ne_bytes()),
        4 => sink.put(&code.to_ne_bytes()),
        _ => sink.put(&u64::from(code).to_ne_bytes()),
    };
    codes.iter().try_for_each(|code| put(*code))
}
