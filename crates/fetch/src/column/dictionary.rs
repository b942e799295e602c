//! A dictionary that grows out of the dictionaries of many batches.

use std::collections::HashMap;
use std::ops::Range;

use arrow_buffer::{Buffer, NullBuffer};
use lance_loader_order::Result;

use super::errors::{broken, damaged};
use super::growing::{GrowingColumn, make_room, shrunk};
use super::{Column, ColumnData, KeyMap, KeyType, Keys};

/// Keys into values of which each is held once, whatever the dictionaries were from which it came.
#[derive(Debug)]
pub(super) struct GrowingDictionary {
    /// 32 bits wide, since all batches together may have more values than `key_type` can tell apart.
    keys: Vec<u32>,
    key_type: KeyType,
    values: Box<GrowingColumn>,
    codes: Codes,
}

/// The code of every value, by the value's bytes.
#[derive(Debug, Default)]
struct Codes {
    by_bytes: HashMap<Box<[u8]>, u32>,
    null: Option<u32>,
    bytes: usize,
}

impl GrowingDictionary {
    /// No keys and no values. `key_type` is what a batch will have.
    pub(super) fn new(key_type: KeyType, values: GrowingColumn) -> Self {
        Self { keys: Vec::new(), key_type, values: Box::new(values), codes: Codes::default() }
    }

    /// Appends the rows `range` of another dictionary, and those of its values that these rows use.
    pub(super) fn append(
        &mut self,
        name: &str,
        keys: &Keys,
        nulls: Option<&NullBuffer>,
        values: &Column,
        range: Range<usize>,
    ) -> Result<()> {
        make_room(name, &mut self.keys, range.len())?;
        let mut map = KeyMap::new(values.len(), range.len());
        for row in range {
            if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                self.keys.push(0);
                continue;
            }
            let found = keys.get(row).and_then(|key| Some((key, map.code(key)?)));
            let (key, code) = found.ok_or_else(|| damaged(name, "a key past its dictionary"))?;
            if *code == KeyMap::UNSEEN {
                *code = self.codes.code(name, &mut self.values, values, key)?;
            }
            self.keys.push(*code);
        }
        Ok(())
    }

    /// The bytes written so far, those of the look-up table included.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.keys.as_slice()) + self.values.bytes() + self.codes.bytes
    }

    /// The dictionary column's data; the look-up table is dropped.
    pub(super) fn finish(self) -> ColumnData {
        ColumnData::Dictionary {
            keys: Keys::new(KeyType::U32.width, Buffer::from_vec(shrunk(self.keys))),
            key_type: self.key_type,
            values: Box::new(self.values.finish()),
        }
    }
}

impl Codes {
    /// The code of value `index` of `source`, which is appended to `values` if it is new.
    fn code(&mut self, name: &str, values: &mut GrowingColumn, source: &Column, index: usize) -> Result<u32> {
        let is_null = source.nulls().is_some_and(|nulls| nulls.is_null(index));
        let bytes = source.plain_value(index).ok_or_else(|| broken(name, "a dictionary of nested values"))?;
        let known = if is_null { self.null } else { self.by_bytes.get(bytes).copied() };
        if let Some(code) = known {
            return Ok(code);
        }
        let code = u32::try_from(values.len()).ok().filter(|code| *code < u32::MAX);
        let code = code.ok_or_else(|| broken(name, "more than 2^32 - 1 different dictionary values"))?;
        values.append(name, source, index..index + 1)?;
        if is_null {
            self.null = Some(code);
        } else {
            self.by_bytes.insert(bytes.into(), code);
            self.bytes += bytes.len() + size_of::<(Box<[u8]>, u32)>();
        }
        Ok(code)
    }
}
