//! From Arrow arrays with children to the words of the hash.

use std::ops::Range;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;

use super::state::State;
use super::values::{BoxedValues, Values, leaf_values};

/// Types nested deeper than this are refused: the hash descends once a level.
const MAX_DEPTH: usize = 64;

/// The values of an array of any supported type, or the type that is not.
pub(super) fn values(array: &dyn Array) -> Result<BoxedValues<'_>, DataType> {
    values_at(array, 0)
}

fn values_at(array: &dyn Array, depth: usize) -> Result<BoxedValues<'_>, DataType> {
    if depth > MAX_DEPTH {
        return Err(array.data_type().clone());
    }
    if let Some(values) = leaf_values(array) {
        return Ok(values);
    }
    match array.data_type() {
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            let offsets = lists.value_offsets();
            list(lists, lists.values(), depth, |row| index(offsets[row])..index(offsets[row + 1]))
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            let offsets = lists.value_offsets();
            list(lists, lists.values(), depth, |row| index(offsets[row])..index(offsets[row + 1]))
        }
        DataType::ListView(_) => {
            let lists = array.as_list_view::<i32>();
            list(lists, lists.values(), depth, |row| view(lists.value_offset(row), lists.value_size(row)))
        }
        DataType::LargeListView(_) => {
            let lists = array.as_list_view::<i64>();
            list(lists, lists.values(), depth, |row| view(lists.value_offset(row), lists.value_size(row)))
        }
        DataType::FixedSizeList(_, size) => {
            let lists = array.as_fixed_size_list();
            list(lists, lists.values(), depth, move |row| view(lists.value_offset(row), *size))
        }
        DataType::Struct(_) => {
            let structs = array.as_struct();
            let fields = structs.columns().iter().map(|field| values_at(field, depth + 1));
            Ok(Box::new(Structs { array, fields: fields.collect::<Result<_, _>>()? }))
        }
        DataType::Dictionary(_, _) => dictionary(array, depth),
        other => Err(other.clone()),
    }
}

/// An offset as an index. Offsets of a valid array are never negative; a negative one would read nothing.
fn index(offset: impl TryInto<usize>) -> usize {
    offset.try_into().unwrap_or(0)
}

fn view(offset: impl TryInto<usize>, size: impl TryInto<usize>) -> Range<usize> {
    let start = index(offset);
    start..start + index(size)
}

/// Lists whose items lie in one array.
struct Lists<'a, R> {
    array: &'a dyn Array,
    items: BoxedValues<'a>,
    range: R,
}

fn list<'a>(
    array: &'a dyn Array,
    items: &'a dyn Array,
    depth: usize,
    range: impl Fn(usize) -> Range<usize> + 'a,
) -> Result<BoxedValues<'a>, DataType> {
    Ok(Box::new(Lists { array, items: values_at(items, depth + 1)?, range }))
}

impl<R: Fn(usize) -> Range<usize>> Values for Lists<'_, R> {
    fn absorb(&self, row: usize, state: State) -> State {
        if self.array.is_null(row) {
            return state.null();
        }
        let range = (self.range)(row);
        let head = state.list(range.len() as u64);
        range.fold(head, |state, item| self.items.absorb(item, state))
    }
}

struct Structs<'a> {
    array: &'a dyn Array,
    fields: Vec<BoxedValues<'a>>,
}

impl Values for Structs<'_> {
    fn absorb(&self, row: usize, state: State) -> State {
        if self.array.is_null(row) {
            return state.null();
        }
        let head = state.structure(self.fields.len() as u64);
        self.fields.iter().fold(head, |state, field| field.absorb(row, state))
    }
}

/// A dictionary hashes as the values that its keys stand for.
struct Dictionary<'a> {
    array: &'a dyn Array,
    keys: Vec<usize>,
    values: BoxedValues<'a>,
}

fn dictionary(array: &dyn Array, depth: usize) -> Result<BoxedValues<'_>, DataType> {
    let Some(dictionary) = array.as_any_dictionary_opt() else { return Err(array.data_type().clone()) };
    let values = values_at(dictionary.values(), depth + 1)?;
    // An empty dictionary has null keys only, which are never looked up.
    let keys = if dictionary.values().is_empty() { Vec::new() } else { dictionary.normalized_keys() };
    Ok(Box::new(Dictionary { array, keys, values }))
}

impl Values for Dictionary<'_> {
    fn absorb(&self, row: usize, state: State) -> State {
        match self.keys.get(row) {
            Some(&key) if !self.array.is_null(row) => self.values.absorb(key, state),
            _ => state.null(),
        }
    }
}
