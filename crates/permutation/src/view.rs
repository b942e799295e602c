//! Parts and repeats of a list, by index.

use lance_loader_order::Result;

use crate::error::{invalid, outside};

/// Skips, limits and repeats of a list, in the order in which they were asked for. Memory: two numbers for each repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The length of the list.
    base: u64,
    /// Each window is cut from endless repeats of the one before, the first one from the list.
    windows: Vec<Window>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    start: u64,
    len: u64,
}

impl View {
    /// A whole list of `len` items.
    pub fn new(len: u64) -> Self {
        Self { base: len, windows: vec![Window { start: 0, len }] }
    }

    /// The number of items, repeats counted.
    pub fn len(&self) -> u64 {
        self.windows.last().map_or(self.base, |window| window.len)
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The start and the length of each window, which identify the view.
    pub fn windows(&self) -> impl Iterator<Item = (u64, u64)> {
        self.windows.iter().map(|window| (window.start, window.len))
    }

    /// Without the first `count` items; empty where there are no more.
    #[must_use]
    pub fn skip(mut self, count: u64) -> Self {
        if let Some(window) = self.windows.last_mut() {
            let skipped = count.min(window.len);
            window.start += skipped;
            window.len -= skipped;
        }
        self
    }

    /// The first `count` items; all where there are no more.
    #[must_use]
    pub fn take(mut self, count: u64) -> Self {
        if let Some(window) = self.windows.last_mut() {
            window.len = window.len.min(count);
        }
        self
    }

    /// All items `times` times over.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for no times, or more than 2^64 - 1 items.
    pub fn repeat(mut self, times: u64) -> Result<Self> {
        let len = self.len();
        match len.checked_mul(times) {
            Some(repeated) if times > 0 => {
                self.windows.push(Window { start: 0, len: repeated });
                Ok(self)
            }
            _ => Err(invalid(format!(
                "times is {times}; it must be at least 1, and {len} rows times that at most 2^64 - 1"
            ))),
        }
    }

    /// Replaces each index into the view by one into the list.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where an index is not below the length; `indices` are then unchanged.
    pub fn map(&self, indices: &mut [u64]) -> Result<()> {
        let len = self.len();
        if let Some(&index) = indices.iter().find(|&&index| index >= len) {
            return Err(outside("offset", index, len));
        }
        for (at, window) in self.windows.iter().enumerate().rev() {
            let before =
                at.checked_sub(1).and_then(|at| self.windows.get(at)).map_or(self.base, |window| window.len);
            for index in indices.iter_mut() {
                *index = (*index + window.start) % before;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use lance_loader_order::Code;
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Skip(usize),
        Take(usize),
        Repeat(usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            (0..30_usize).prop_map(Step::Skip),
            (0..30_usize).prop_map(Step::Take),
            (1..4_usize).prop_map(Step::Repeat),
        ];
        proptest::collection::vec(step, 0..6)
    }

    proptest! {
        #[test]
        fn a_view_is_what_the_same_steps_make_of_a_list(len in 0_u64..20, steps in steps()) {
            let mut view = View::new(len);
            let mut model: Vec<u64> = (0..len).collect();
            for step in steps {
                match step {
                    Step::Skip(count) => {
                        view = view.skip(count as u64);
                        model.drain(..count.min(model.len()));
                    }
                    Step::Take(count) => {
                        view = view.take(count as u64);
                        model.truncate(count);
                    }
                    Step::Repeat(times) => {
                        view = view.repeat(times as u64)?;
                        model = model.repeat(times);
                    }
                }
            }
            let mut indices: Vec<u64> = (0..view.len()).collect();
            view.map(&mut indices)?;
            prop_assert_eq!(indices, model);
        }
    }

    #[test]
    fn an_index_outside_and_too_many_repeats_are_refused() {
        let view = View::new(4).skip(1);
        let mut indices = [0, 3];
        let error = view.map(&mut indices).unwrap_err();
        assert!(error.message().contains("offset is 3; it must be below 3"), "{error}");
        assert_eq!(indices, [0, 3]);
        for times in [0, u64::MAX] {
            assert_eq!(view.clone().repeat(times).unwrap_err().code(), Code::InvalidArgument);
        }
        View::new(0).repeat(2).unwrap().map(&mut []).unwrap();
    }
}
