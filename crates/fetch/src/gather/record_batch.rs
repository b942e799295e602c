//! A block as Arrow arrays.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use lance_loader_order::{Code, Error, Result};

use super::Block;

impl Block {
    /// The batch as Arrow arrays, which share the block's memory.
    ///
    /// `schema` is the [delivered schema](crate::column::ColumnStore::schema) of the store from which the
    /// block was gathered. The arrays are validated, strings included: this takes time in the bytes of
    /// strings.
    ///
    /// # Errors
    /// `INTERNAL` if the block does not fit the schema.
    pub fn into_record_batch(self, schema: &SchemaRef) -> Result<RecordBatch> {
        let rows = self.rows();
        let (data, layout) = self.into_parts();
        let mut reader = Reader { data: share(data), layout: layout.into_iter() };
        let columns =
            schema.fields().iter().map(|field| reader.column(field)).collect::<Result<Vec<ArrayRef>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
            .map_err(|cause| unfit("batch", cause))
    }
}

/// The block's memory as an Arrow buffer that frees it.
fn share(data: super::AlignedBuffer) -> Buffer {
    let (start, length) = (std::ptr::NonNull::from(data.as_slice()).cast::<u8>(), data.len());
    #[expect(unsafe_code, reason = "Arrow takes foreign memory only so, and a copy would be a second block")]
    // SAFETY: the owner that goes along keeps these `length` bytes alive and in place, and nothing writes to
    // them any more.
    unsafe {
        Buffer::from_custom_allocation(start, length, Arc::new(data))
    }
}

fn unfit(name: &str, cause: ArrowError) -> Error {
    Error::new(Code::Internal, format!("column {name:?}: a gathered batch does not fit its schema"))
        .with_cause(cause)
}

/// Reads the nodes of a layout, depth first.
struct Reader {
    data: Buffer,
    layout: std::vec::IntoIter<u64>,
}

impl Reader {
    fn column(&mut self, field: &Field) -> Result<ArrayRef> {
        let data = self.node(field.data_type()).and_then(|node| node.ok_or_else(cut_off));
        data.map(make_array).map_err(|cause| unfit(field.name(), cause))
    }

    /// One node and its children. `None` if the layout ends early or points past the block.
    fn node(&mut self, data_type: &DataType) -> std::result::Result<Option<ArrayData>, ArrowError> {
        let Some((length, _nulls)) = self.pair() else { return Ok(None) };
        let validity = if data_type.is_null() { None } else { self.buffer() };
        let buffers = (0..buffer_count(data_type)).map(|_| self.buffer().unwrap_or_default()).collect();
        let mut children = Vec::new();
        for child in child_types(data_type) {
            let Some(child) = self.node(child)? else { return Ok(None) };
            children.push(child);
        }
        let builder = ArrayData::builder(data_type.clone()).len(length).null_bit_buffer(validity);
        builder.buffers(buffers).child_data(children).build().map(Some)
    }

    fn pair(&mut self) -> Option<(usize, usize)> {
        Some((usize::try_from(self.layout.next()?).ok()?, usize::try_from(self.layout.next()?).ok()?))
    }

    /// The next buffer of the node; `None` if it is absent or empty.
    fn buffer(&mut self) -> Option<Buffer> {
        let (offset, length) = self.pair()?;
        let inside = length > 0 && offset.checked_add(length)? <= self.data.len();
        inside.then(|| self.data.slice_with_length(offset, length))
    }
}

fn cut_off() -> ArrowError {
    ArrowError::InvalidArgumentError("the layout ends before the schema does".to_owned())
}

/// How many buffers a node has beside its validity.
fn buffer_count(data_type: &DataType) -> usize {
    match data_type {
        DataType::Null | DataType::FixedSizeList(..) | DataType::Struct(_) => 0,
        DataType::Utf8 | DataType::Binary => 2,
        _ => 1,
    }
}

fn child_types(data_type: &DataType) -> Vec<&DataType> {
    match data_type {
        DataType::List(child) | DataType::Map(child, _) | DataType::FixedSizeList(child, _) => {
            vec![child.data_type()]
        }
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        DataType::Dictionary(_, values) => vec![values],
        _ => Vec::new(),
    }
}
