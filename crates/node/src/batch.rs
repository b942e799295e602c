//! A gathered batch on its way to JavaScript.

use lance_loader_fetch::gather::{AlignedBuffer, Block};
use lance_loader_fetch::ready_queue::Next;
use napi::Env;
use napi::bindgen_prelude::{ArrayBuffer, Float64Array, JsObjectValue, Object};

use crate::errors::{ErrorCode, from_napi};

/// What a queue has next: batches as [`to_object`] makes them, none while there is none yet, `None` at the end.
pub(crate) fn to_objects(
    env: &Env,
    next: Next,
    lend: bool,
) -> napi::Result<Option<Vec<Object<'_>>>, ErrorCode> {
    let blocks = match next {
        Next::Finished => return Ok(None),
        Next::Pending => Vec::new(),
        Next::Batches(blocks) => blocks,
    };
    let objects: napi::Result<Vec<_>> = blocks.into_iter().map(|block| to_object(env, block, lend)).collect();
    objects.map(Some).map_err(|error| from_napi(&error))
}

/// A batch with its place among those of its pipeline.
pub(crate) fn to_placed_object(
    env: &Env,
    block: Block,
    lend: bool,
    sequence: f64,
    first: f64,
) -> napi::Result<Object<'_>, ErrorCode> {
    let placed = to_object(env, block, lend).and_then(|mut batch| {
        batch.set_named_property("sequence", sequence)?;
        batch.set_named_property("first", first)?;
        Ok(batch)
    });
    placed.map_err(|error| from_napi(&error))
}

/// The batch as `{ numRows, data, layout }`; its memory is lent, or copied where `lend` is false or the runtime refuses.
fn to_object(env: &Env, block: Block, lend: bool) -> napi::Result<Object<'_>> {
    let rows = block.rows() as f64;
    let (data, layout) = block.into_parts();
    let layout: Vec<f64> = layout.into_iter().map(|number| number as f64).collect();
    let mut batch = Object::new(env)?;
    batch.set_named_property("numRows", rows)?;
    batch.set_named_property(
        "data",
        if lend { lent(env, data)? } else { ArrayBuffer::copy_from(env, data.as_slice())? },
    )?;
    batch.set_named_property("layout", Float64Array::new(layout))?;
    Ok(batch)
}

fn lent(env: &Env, data: AlignedBuffer) -> napi::Result<ArrayBuffer<'_>> {
    if data.is_empty() {
        return ArrayBuffer::copy_from(env, []);
    }
    let (start, len, capacity) = data.into_raw();
    #[expect(unsafe_code, reason = "lending memory to JavaScript saves a copy of every batch")]
    // SAFETY: the block is `len` initialized bytes that nobody else can reach any more. The finalizer runs once, after the last
    // view is gone, or at once where the runtime copied, and takes back just what `into_raw` gave away.
    unsafe {
        ArrayBuffer::from_external(
            env,
            start.as_ptr(),
            len,
            (start, len, capacity),
            |_, (start, len, capacity)| {
                drop(AlignedBuffer::from_raw(start, len, capacity));
            },
        )
    }
}
