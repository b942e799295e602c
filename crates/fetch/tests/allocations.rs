//! What a batch costs in allocations: they are counted and held against a committed snapshot, so that they can't grow unseen.
#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;

use arrow_array::types::{Float32Type, Int32Type};
use arrow_array::{
    ArrayRef, BooleanArray, FixedSizeListArray, Int64Array, ListArray, RecordBatch, StringArray,
};
use arrow_schema::{Field, Schema};
use lance_loader_fetch::column::ColumnStore;
use lance_loader_fetch::gather::gather;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, which counts what each thread asks of it.
struct Counting;

#[expect(unsafe_code, reason = "an allocator is unsafe; this one hands on what it is given")]
// SAFETY: every call is the system allocator's own, with the arguments as they came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn count() {
    // A thread that is ending has no counter any more, and nobody asks for it.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The allocations of `work` on this thread.
fn allocations<T>(work: impl FnOnce() -> T) -> usize {
    let before = COUNT.get();
    let result = black_box(work());
    let after = COUNT.get();
    drop(result);
    after - before
}

const ROWS: i16 = 4096;

fn columns() -> BTreeMap<&'static str, ArrayRef> {
    let vectors = (0..ROWS).map(|row| Some(vec![Some(f32::from(row)); 8]));
    let lists = (0..ROWS).map(|row| Some((0..row % 5).map(|item| Some(i32::from(item))).collect::<Vec<_>>()));
    let nullable: Int64Array = (0..ROWS).map(|row| (row % 3 > 0).then_some(i64::from(row))).collect();
    let halves: BooleanArray = (0..ROWS).map(|row| Some(row % 2 == 0)).collect();
    let columns: [(&'static str, ArrayRef); 6] = [
        ("int64", Arc::new(Int64Array::from_iter_values((0..ROWS).map(i64::from)))),
        ("int64 with nulls", Arc::new(nullable)),
        ("bool", Arc::new(halves)),
        ("8 floats", Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(vectors, 8))),
        ("text", Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| format!("row {row}"))))),
        ("lists", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists))),
    ];
    BTreeMap::from(columns)
}

fn store(columns: &[ArrayRef]) -> ColumnStore {
    let fields: Vec<_> = columns
        .iter()
        .enumerate()
        .map(|(at, column)| Field::new(format!("column {at}"), column.data_type().clone(), true))
        .collect();
    ColumnStore::from_batch(&RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.to_vec()).unwrap())
        .unwrap()
}

/// Rows far apart from each other, as a shuffle has them.
fn rows(count: u32) -> Vec<u32> {
    (0..count).map(|row| row * 2_654_435 % 4096).collect()
}

/// Each case with its allocations per batch, from `tests/allocations.txt`.
fn snapshot() -> BTreeMap<String, usize> {
    include_str!("allocations.txt")
        .lines()
        .map(|line| {
            let (name, count) = line.rsplit_once(": ").unwrap();
            (name.to_owned(), count.parse().unwrap())
        })
        .collect()
}

#[test]
fn a_batch_takes_no_more_allocations_than_the_snapshot_says() {
    let columns = columns();
    let mut counted: BTreeMap<String, usize> = columns
        .iter()
        .map(|(name, column)| {
            let store = store(&[Arc::clone(column)]);
            let rows = rows(256);
            ((*name).to_owned(), allocations(|| gather(&store, &rows, None).unwrap()))
        })
        .collect();
    let all = store(&columns.into_values().collect::<Vec<_>>());
    counted.insert("all of them".to_owned(), allocations(|| gather(&all, &rows(256), None).unwrap()));
    assert_eq!(
        counted,
        snapshot(),
        "more are a loss, fewer a gain to keep: put them into tests/allocations.txt"
    );
}

#[test]
fn larger_batches_take_no_more_allocations() {
    let all = store(&columns().into_values().collect::<Vec<_>>());
    let [few, many] = [rows(16), rows(4096)].map(|rows| allocations(|| gather(&all, &rows, None).unwrap()));
    assert!(many <= few, "{many} allocations for 4096 rows, {few} for 16");
}

#[test]
fn an_allocation_more_is_counted() {
    let all = store(&columns().into_values().collect::<Vec<_>>());
    let rows = rows(256);
    let plain = allocations(|| gather(&all, &rows, None).unwrap());
    let more = allocations(|| (gather(&all, &rows, None).unwrap(), black_box(rows.clone())));
    assert_eq!(more, plain + 1);
}
