//! Random arrays.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BinaryViewArray, StringViewArray, UInt32Array, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use super::cell;

/// A small generator of random numbers (`SplitMix64`), so that a failing case is one seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is above 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.bits() % bound as u64).unwrap()
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.bits().to_ne_bytes()[0]).collect()
    }
}

/// `rows` random values of a type, a third of the arrays without nulls.
pub(crate) fn random_array(data_type: &DataType, rows: usize, random: &mut Random) -> ArrayRef {
    let nulls = random.below(3) > 0;
    array_of(data_type, rows, nulls, random)
}

fn array_of(data_type: &DataType, rows: usize, nulls: bool, random: &mut Random) -> ArrayRef {
    match data_type {
        DataType::Utf8View => {
            return Arc::new((0..rows).map(|_| optional(nulls, random, text)).collect::<StringViewArray>());
        }
        DataType::BinaryView => {
            return Arc::new((0..rows).map(|_| optional(nulls, random, text)).collect::<BinaryViewArray>());
        }
        _ => {}
    }
    let (buffers, children) = parts(data_type, rows, random);
    let validity = (nulls && !data_type.is_null()).then(|| Buffer::from_vec(random.bytes(rows.div_ceil(8))));
    let builder = ArrayData::builder(data_type.clone()).len(rows).null_bit_buffer(validity);
    make_array(builder.buffers(buffers).child_data(children).align_buffers(true).build().unwrap())
}

fn optional<T>(nulls: bool, random: &mut Random, value: impl Fn(&mut Random) -> T) -> Option<T> {
    (!nulls || random.below(3) > 0).then(|| value(random))
}

/// Letters, sometimes more than a view keeps inline.
fn text(random: &mut Random) -> String {
    let length = random.below(20);
    (0..length).map(|_| char::from(b'a' + (random.bits() % 26) as u8)).collect()
}

/// The buffers and children of an array. Null rows get values, too, as Arrow allows.
fn parts(data_type: &DataType, rows: usize, random: &mut Random) -> (Vec<Buffer>, Vec<ArrayData>) {
    match data_type {
        DataType::Null => (vec![], vec![]),
        DataType::Boolean => (vec![Buffer::from_vec(random.bytes(rows.div_ceil(8)))], vec![]),
        DataType::FixedSizeBinary(width) => {
            (vec![Buffer::from_vec(random.bytes(rows * usize::try_from(*width).unwrap()))], vec![])
        }
        DataType::Utf8 | DataType::Binary | DataType::LargeUtf8 | DataType::LargeBinary => {
            let large = matches!(data_type, DataType::LargeUtf8 | DataType::LargeBinary);
            let (offsets, count) = random_offsets(rows, 9, large, random);
            let bytes: Vec<u8> = (0..count).map(|_| b'a' + (random.bits() % 26) as u8).collect();
            (vec![offsets, Buffer::from_vec(bytes)], vec![])
        }
        DataType::List(item) | DataType::LargeList(item) | DataType::Map(item, _) => {
            let (offsets, count) =
                random_offsets(rows, 4, matches!(data_type, DataType::LargeList(_)), random);
            (vec![offsets], vec![child(item, count, random)])
        }
        DataType::FixedSizeList(item, size) => {
            (vec![], vec![child(item, rows * usize::try_from(*size).unwrap(), random)])
        }
        DataType::Struct(fields) => (vec![], fields.iter().map(|field| child(field, rows, random)).collect()),
        DataType::Dictionary(keys, values) => dictionary(keys, values, rows, random),
        other => (vec![Buffer::from_vec(random.bytes(rows * other.primitive_width().unwrap()))], vec![]),
    }
}

fn child(field: &Field, rows: usize, random: &mut Random) -> ArrayData {
    let nulls = field.is_nullable() && random.below(3) > 0;
    array_of(field.data_type(), rows, nulls, random).to_data()
}

/// Offsets that start above 0, as those of sliced lists do, and the number of items.
fn random_offsets(rows: usize, longest: usize, large: bool, random: &mut Random) -> (Buffer, usize) {
    let mut ends = vec![random.below(3)];
    for row in 0..rows {
        ends.push(ends[row] + random.below(longest));
    }
    let count = ends[rows] + random.below(3);
    let buffer = if large {
        ends.iter().map(|end| i64::try_from(*end).unwrap()).collect()
    } else {
        ends.iter().map(|end| i32::try_from(*end).unwrap()).collect()
    };
    (buffer, count)
}

/// Keys, and values of which no two are alike.
fn dictionary(
    keys: &DataType,
    values: &DataType,
    rows: usize,
    random: &mut Random,
) -> (Vec<Buffer>, Vec<ArrayData>) {
    let count = 1 + random.below(8);
    let candidates = random_array(values, count, random);
    let mut seen = HashSet::new();
    let distinct = (0..count).filter(|row| seen.insert(cell(&candidates, *row)));
    let distinct = UInt32Array::from_iter_values(distinct.map(|row| u32::try_from(row).unwrap()));
    let values = arrow_select::take::take(&candidates, &distinct, None).unwrap();
    let width = keys.primitive_width().unwrap();
    let keys = (0..rows).flat_map(|_| random.below(values.len()).to_le_bytes()[..width].to_vec());
    (vec![keys.collect()], vec![values.to_data()])
}
