//! From rows to the items that they hold.

use std::ops::Range;

use arrow_buffer::ArrowNativeType;

use super::selection::Selection;
use crate::column::Offsets;

/// The items of the selected rows: one range for each span of rows, less those that are empty and those that
/// only continue the one before; and the number of items. `None` if a row lies outside of the column.
pub(super) fn child_ranges(offsets: &Offsets, selection: &Selection) -> Option<(Vec<Range<usize>>, usize)> {
    match offsets {
        Offsets::Small(offsets) => ranges(offsets, selection),
        Offsets::Large(offsets) => ranges(offsets, selection),
    }
}

fn ranges<O: ArrowNativeType>(offsets: &[O], selection: &Selection) -> Option<(Vec<Range<usize>>, usize)> {
    let mut children: Vec<Range<usize>> = Vec::with_capacity(selection.span_count());
    let mut count: usize = 0;
    selection.try_for_each(|rows| {
        let (start, end) = (offsets.get(rows.start)?.as_usize(), offsets.get(rows.end)?.as_usize());
        count = count.checked_add(end - start)?;
        match children.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ if start == end => {}
            _ => children.push(start..end),
        }
        Some(())
    })?;
    Some((children, count))
}
