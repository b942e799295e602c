//! The memory of a build, measured at the allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use lance_loader_permutation::{Permutation, PermutationConfig, RowListBuilder, Rows, SpillOptions};

/// Counts the bytes that are allocated, and the most that were at once.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "an allocator is the only place where all memory can be counted")]
// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the pointer came from `alloc` above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most memory that `work` held at once, beyond what there was before.
fn peak_of<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = work();
    (PEAK.load(Ordering::Relaxed) - before, result)
}

/// One test, since the counters are the process's.
#[test]
fn builds_stay_within_their_memory_limit_and_implicit_permutations_need_none() {
    const ROWS: u64 = 3_000_000;
    const LIMIT: u64 = 2 << 20;
    let config =
        PermutationConfig::from_json(r#"{"splitCalculated":{"calculation":"id % 40"},"shuffle":{"seed":1}}"#);
    let config = config.unwrap();
    let options = || SpillOptions { memory_limit: LIMIT, ..SpillOptions::default() };
    let batches = || {
        let batch = |at| at * 8192..ROWS.min((at + 1) * 8192);
        (0..ROWS.div_ceil(8192)).map(move |at| batch(at).collect())
    };
    let built = |batches: &mut dyn Iterator<Item = Vec<u64>>| {
        let mut assigner = config.assigner(options()).unwrap();
        for ordinals in batches {
            let splits: Vec<Option<u64>> = ordinals.iter().map(|row| Some(row * 7 % 40)).collect();
            assigner.push(&ordinals, &splits).unwrap();
        }
        assigner.finish().unwrap()
    };
    let ordered = peak_of(|| built(&mut batches()));
    let backwards = peak_of(|| built(&mut batches().rev()));
    let interleaved = peak_of(|| {
        let mut list = RowListBuilder::new(options()).unwrap();
        for (split, rows) in (0..).map(|batch: u64| batch % 40).zip(batches()) {
            list.push(split, &rows).unwrap();
        }
        Permutation::from_list(list.finish(40).unwrap(), None).unwrap()
    });
    // 24 MB of rows; the batches that are pushed and the shuffles' keys are beside the limit.
    for (way, (peak, permutation)) in
        [("ordered", ordered), ("backwards", backwards), ("interleaved", interleaved)]
    {
        assert!(peak < LIMIT as usize + (1 << 20), "{way}: {peak} bytes");
        let (peak, rows) =
            peak_of(|| permutation.chunks(1024).map(|chunk| chunk.unwrap().ordinals.len()).sum::<usize>());
        assert_eq!(rows as u64, ROWS);
        assert!(peak < 64 << 10, "{way}: {peak} bytes");
    }

    let json = r#"{"splitRandom":{"ratios":[0.9,0.1]},"shuffle":{"clumpSize":16}}"#;
    let (peak, last) = peak_of(|| {
        let permutation =
            PermutationConfig::from_json(json).unwrap().build(Rows::All(1_000_000_000_000)).unwrap();
        let mut last = [0; 64];
        permutation.ordinals(1, 99_999_999_936, &mut last).unwrap();
        last
    });
    assert!(last.iter().all(|&row| row < 1_000_000_000_000));
    assert!(peak < 16 << 10, "{peak} bytes");
}
