//! The token lists of a window, as slices of the memory that was read.

use std::ops::Range;
use std::sync::Arc;

use arrow_buffer::{ArrowNativeType, Buffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema};
use lance_loader_order::{Code, Error, Result};
use lance_loader_packing::{Packer, Token};

use crate::column::{Column, ColumnData, ColumnStore, damaged};
use crate::gather::prefetch;

/// Tokens of one of the types that they are stored in.
#[derive(Clone, Debug)]
enum Tokens {
    I8(ScalarBuffer<i8>),
    I16(ScalarBuffer<i16>),
    I32(ScalarBuffer<i32>),
    I64(ScalarBuffer<i64>),
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
    U64(ScalarBuffer<u64>),
}

/// The one column of a store, whose rows are lists of integers. Keeps the store alive.
#[derive(Clone, Debug)]
pub(crate) struct TokenColumn {
    store: Arc<ColumnStore>,
    tokens: Tokens,
}

/// Refuses a schema that is not one column of lists of integers.
///
/// # Errors
/// `INVALID_ARGUMENT` for more than one column, `UNSUPPORTED_TYPE` for one of another type.
pub fn check_token_column(schema: &Schema) -> Result<()> {
    token_type(schema).map(|_| ())
}

fn token_type(schema: &Schema) -> Result<(&Field, &DataType)> {
    let [field] = schema.fields().as_ref() else {
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        return Err(Error::new(
            Code::InvalidArgument,
            format!(
                "columns are {names:?}; packSequences reads exactly one, a list of token ids: name it with columns: [\"...\"]"
            ),
        ));
    };
    match field.data_type() {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _)
            if item.data_type().is_integer() =>
        {
            Ok((field, item.data_type()))
        }
        other => Err(Error::new(
            Code::UnsupportedType,
            format!(
                "the column {:?} is of type {other}; packSequences needs a list, large list or fixed-size list of integers",
                field.name()
            ),
        )),
    }
}

impl TokenColumn {
    /// The lists of `store`.
    pub(crate) fn new(store: Arc<ColumnStore>) -> Result<Self> {
        let (field, item) = token_type(store.schema())?;
        let lists = store.columns().first().map(Column::data);
        let Some(ColumnData::List { items, .. } | ColumnData::FixedList { items, .. }) = lists else {
            return Err(damaged(field.name(), "no lists"));
        };
        let ColumnData::Fixed { values, .. } = items.data() else {
            return Err(damaged(field.name(), "lists of no numbers"));
        };
        let tokens = match item {
            DataType::Int8 => Tokens::I8(typed(values)),
            DataType::Int16 => Tokens::I16(typed(values)),
            DataType::Int32 => Tokens::I32(typed(values)),
            DataType::Int64 => Tokens::I64(typed(values)),
            DataType::UInt8 => Tokens::U8(typed(values)),
            DataType::UInt16 => Tokens::U16(typed(values)),
            DataType::UInt32 => Tokens::U32(typed(values)),
            _ => Tokens::U64(typed(values)),
        };
        Ok(Self { store, tokens })
    }

    /// The number of tokens of a row; an error for a null.
    pub(crate) fn len_of(&self, row: u32) -> Result<usize> {
        Ok(self.range(row)?.len())
    }

    /// Pushes a row as the next document of a split; an error for a null, and what the packer refuses. Nothing is pushed then.
    pub(crate) fn push<T: Token>(&self, row: u32, packer: &mut Packer<T>, split: u32) -> Result<()> {
        let range = self.range(row)?;
        macro_rules! push {
            ($tokens:expr) => {
                packer.push(split, $tokens.get(range).ok_or_else(|| self.cut_off())?)
            };
        }
        match &self.tokens {
            Tokens::I8(tokens) => push!(tokens),
            Tokens::I16(tokens) => push!(tokens),
            Tokens::I32(tokens) => push!(tokens),
            Tokens::I64(tokens) => push!(tokens),
            Tokens::U8(tokens) => push!(tokens),
            Tokens::U16(tokens) => push!(tokens),
            Tokens::U32(tokens) => push!(tokens),
            Tokens::U64(tokens) => push!(tokens),
        }
    }

    /// Asks memory for where the tokens of a row lie, for [`Self::prefetch`] to find.
    pub(crate) fn prefetch_place(&self, row: u32) {
        if let Some(ColumnData::List { offsets, .. }) = self.store.columns().first().map(Column::data) {
            offsets.prefetch(row as usize);
        }
    }

    /// Asks memory for the first tokens of a row that is pushed soon.
    pub(crate) fn prefetch(&self, row: u32) {
        let lists = self.store.columns().first();
        let Some((range, items)) = lists.and_then(|lists| list_of(lists, row as usize)) else { return };
        if let ColumnData::Fixed { width, values } = items.data() {
            prefetch(values.get(range.start * width..range.end * width).unwrap_or_default());
        }
    }

    /// Where the tokens of a row lie; neither it nor they are null.
    fn range(&self, row: u32) -> Result<Range<usize>> {
        let row = row as usize;
        let column = self.store.columns().first().ok_or_else(|| self.cut_off())?;
        let (range, items) = list_of(column, row).ok_or_else(|| self.cut_off())?;
        if column.nulls().is_some_and(|nulls| nulls.is_null(row)) {
            return Err(self.null("holds a null instead of a list"));
        }
        if let Some(nulls) = items.nulls()
            && nulls.slice(range.start, range.len()).null_count() > 0
        {
            return Err(self.null("holds a list with a null token"));
        }
        Ok(range)
    }

    fn name(&self) -> &str {
        self.store.schema().fields().first().map_or("", |field| field.name().as_str())
    }

    fn null(&self, what: &str) -> Error {
        Error::new(
            Code::InvalidArgument,
            format!(
                "the column {:?} {what}: mend the table, or leave such rows out with a filter",
                self.name()
            ),
        )
    }

    fn cut_off(&self) -> Error {
        damaged(self.name(), "fewer lists or tokens than rows")
    }
}

/// Where the items of a row of lists lie, and the items; `None` for no such row.
fn list_of(lists: &Column, row: usize) -> Option<(Range<usize>, &Column)> {
    match lists.data() {
        _ if row >= lists.len() => None,
        ColumnData::List { offsets, items } => Some((offsets.get(row)?..offsets.get(row + 1)?, items)),
        ColumnData::FixedList { size, items } => Some((row * size..(row + 1) * size, items)),
        _ => None,
    }
}

/// The values as numbers; copied only where they are not aligned, as foreign memory may be.
fn typed<T: ArrowNativeType>(values: &Buffer) -> ScalarBuffer<T> {
    let aligned = values.as_ptr().align_offset(align_of::<T>()) == 0;
    let values = if aligned { values.clone() } else { Buffer::from(values.as_slice()) };
    let count = values.len() / size_of::<T>();
    ScalarBuffer::new(values, 0, count)
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Int32Type;
    use arrow_array::{ArrayRef, ListArray, RecordBatch};
    use arrow_cast::cast;
    use lance_loader_packing::{BlockBatch, PackMode, PackOptions};

    use super::*;

    const INTEGERS: [DataType; 8] = [
        DataType::Int8,
        DataType::Int16,
        DataType::Int32,
        DataType::Int64,
        DataType::UInt8,
        DataType::UInt16,
        DataType::UInt32,
        DataType::UInt64,
    ];

    fn column(lists: ArrayRef) -> Result<TokenColumn> {
        let batch = RecordBatch::try_from_iter([("tokens", lists)]).unwrap();
        TokenColumn::new(Arc::new(ColumnStore::from_batch(&batch)?))
    }

    /// The rows, joined with an eos of -1 behind each, and padded with -2 to 12 tokens.
    fn packed(column: &TokenColumn, rows: &[u32]) -> Result<Vec<i32>> {
        let options =
            PackOptions { length: 12, eos_id: -1, pad_id: -2, blocks_per_epoch: 1, mode: PackMode::Concat };
        let mut packer = Packer::<i32>::new(options, &[rows.len() as u64], 0..1)?;
        rows.iter().try_for_each(|&row| column.push(row, &mut packer, 0))?;
        let (mut ids, mut documents) = (vec![0; 12], vec![0; 12]);
        packer.pack(&mut BlockBatch::new(12, &mut ids, &mut documents)?)?;
        Ok(ids)
    }

    fn lists(rows: Vec<Option<Vec<Option<i32>>>>) -> ArrayRef {
        Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(rows))
    }

    #[test]
    fn every_integer_type_in_lists_of_every_kind_is_read() {
        let equal = |first| Some(vec![Some(first), Some(first + 1)]);
        let source = lists(vec![equal(9), equal(10), equal(20), equal(30)]);
        for item in INTEGERS {
            let field = Arc::new(Field::new_list_field(item, true));
            for data_type in [
                DataType::List(field.clone()),
                DataType::LargeList(field.clone()),
                DataType::FixedSizeList(field, 2),
            ] {
                let column = column(cast(&source, &data_type).unwrap().slice(1, 3)).unwrap();
                assert_eq!((column.len_of(0).unwrap(), column.len_of(2).unwrap()), (2, 2));
                let expected = [30, 31, -1, 10, 11, -1, 20, 21, -1, -2, -2, -2];
                assert_eq!(packed(&column, &[2, 0, 1]).unwrap(), expected, "{data_type}");
            }
        }
    }

    #[test]
    fn nulls_are_refused_where_they_are_and_nowhere_else() {
        let nulls =
            column(lists(vec![None, Some(vec![Some(1), None]), Some(vec![]), Some(vec![Some(4)])])).unwrap();
        for (row, what) in [(0, "a null instead of a list"), (1, "a null token")] {
            let error = packed(&nulls, &[row]).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument);
            assert!(error.message().contains(what), "{error}");
            assert!(nulls.len_of(row).is_err());
        }
        assert_eq!(packed(&nulls, &[2, 3]).unwrap()[..4], [-1, 4, -1, -2]);
        assert_eq!(packed(&nulls, &[4]).unwrap_err().code(), Code::ReadFailed);
    }

    #[test]
    fn other_columns_are_refused() {
        let floats = Arc::new(Field::new_list_field(DataType::Float32, true));
        let lists = cast(&lists(vec![Some(vec![Some(1)])]), &DataType::List(floats)).unwrap();
        assert_eq!(column(lists).unwrap_err().code(), Code::UnsupportedType);
        assert_eq!(check_token_column(&Schema::empty()).unwrap_err().code(), Code::InvalidArgument);
        let strings = Schema::new(vec![Field::new("text", DataType::Utf8, false)]);
        assert!(check_token_column(&strings).unwrap_err().message().contains("\"text\" is of type Utf8"));
    }

    #[test]
    fn memory_that_is_not_aligned_is_read_all_the_same() {
        let bytes: Vec<u8> = (0..33).collect();
        let shifted = Buffer::from_vec(bytes).slice_with_length(1, 32);
        let values: ScalarBuffer<i32> = typed(&shifted);
        let expected: Vec<i32> =
            (0..8).map(|at| i32::from_le_bytes([4 * at + 1, 4 * at + 2, 4 * at + 3, 4 * at + 4])).collect();
        assert_eq!(values.as_ref(), expected);
    }
}
