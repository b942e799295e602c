//! Layouts of blocks, read as their contract says.

use arrow_schema::{DataType, Schema};

/// The place and the length of every buffer that is present, in the order of the layout.
pub(crate) fn buffers(schema: &Schema, layout: &[u64]) -> Vec<(usize, usize)> {
    let mut numbers = layout.iter().map(|number| usize::try_from(*number).unwrap());
    let mut found = Vec::new();
    schema.fields().iter().for_each(|field| node(field.data_type(), &mut numbers, &mut found));
    assert_eq!(numbers.next(), None, "the layout has more numbers than the schema needs");
    found
}

fn node(data_type: &DataType, numbers: &mut dyn Iterator<Item = usize>, found: &mut Vec<(usize, usize)>) {
    let _length_and_nulls = (numbers.next().unwrap(), numbers.next().unwrap());
    let count = match data_type {
        DataType::Null => 0,
        DataType::FixedSizeList(..) | DataType::Struct(_) => 1,
        DataType::Utf8 | DataType::Binary => 3,
        _ => 2,
    };
    for _ in 0..count {
        let buffer = (numbers.next().unwrap(), numbers.next().unwrap());
        if buffer.1 > 0 {
            found.push(buffer);
        }
    }
    match data_type {
        DataType::List(child) | DataType::Map(child, _) | DataType::FixedSizeList(child, _) => {
            node(child.data_type(), numbers, found);
        }
        DataType::Struct(fields) => fields.iter().for_each(|field| node(field.data_type(), numbers, found)),
        DataType::Dictionary(_, values) => node(values, numbers, found),
        _ => {}
    }
}
