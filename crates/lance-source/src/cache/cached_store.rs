//! An object store whose data files are read through a cache.

use std::collections::HashMap;
use std::fmt::{Display, Formatter};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use async_trait::async_trait;
use bytes::Bytes;
use futures::future::{BoxFuture, try_join_all};
use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use lance_loader_fetch::cache::{BLOCK_BYTES, CacheFolder, CachedFile};
use object_store::path::Path;
use object_store::{
    Attributes, CopyOptions, Error, Extensions, GetOptions, GetRange, GetResult, GetResultPayload,
    ListResult, MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt, PutMultipartOptions, PutOptions,
    PutPayload, PutResult, Result,
};
use sha2::{Digest, Sha256};

use super::flights::{Flight, Flights, Run};

/// Keeps what was read of Lance's data files, and passes everything else on. Lance gives a data file a random name and never changes it, so that its name
/// alone says what is in it.
#[derive(Debug)]
pub(super) struct CachedStore {
    prefix: String,
    inner: Arc<dyn ObjectStore>,
    folder: Arc<CacheFolder>,
    /// What this table has read: held, so that nobody removes it.
    files: Arc<Held>,
    flights: Flights,
}

/// The most files that are held. More than that are opened anew at each read.
const MOST_FILES: usize = 1024;

/// What a read found in the cache.
struct Found {
    file: Arc<CachedFile>,
    runs: Vec<Run>,
    missing: Vec<u64>,
}

impl CachedStore {
    pub(super) fn new(prefix: &str, inner: Arc<dyn ObjectStore>, folder: Arc<CacheFolder>) -> Self {
        Self { prefix: prefix.to_string(), inner, folder, files: Arc::default(), flights: Flights::default() }
    }

    /// The name under which an object is cached.
    fn name(&self, location: &Path) -> Arc<str> {
        let digest = Sha256::digest(format!("{}\n{location}", self.prefix));
        format!("{digest:x}").into()
    }

    /// The bytes of `range`, which is not empty; `None` where they are neither in the cache nor would be kept there.
    async fn read(&self, location: &Path, range: &Range<u64>) -> Result<Option<(Bytes, u64)>> {
        let name = self.name(location);
        let blocks = range.start / BLOCK_BYTES..(range.end - 1) / BLOCK_BYTES + 1;
        let Some(found) = self.look_up(name.clone(), blocks).await? else { return Ok(None) };
        if !found.missing.is_empty() && !self.folder.has_room() {
            return Ok(None);
        }
        let request = |run: Range<u64>| self.request(location.clone(), found.file.clone(), run);
        let flights = self.flights.join(&name, &found.missing, request);
        let mut runs = found.runs;
        runs.extend(try_join_all(flights.into_iter().map(landed)).await?);
        Ok(assemble(&mut runs, range))
    }

    async fn look_up(&self, name: Arc<str>, blocks: Range<u64>) -> Result<Option<Found>> {
        let (folder, files) = (self.folder.clone(), self.files.clone());
        let look_up = move || {
            let file = held(&files, &folder, name)?;
            let mut found = Found { file, runs: Vec::new(), missing: Vec::new() };
            for index in blocks {
                match found.file.read(index) {
                    Some(block) => found.runs.push(Run {
                        first: index,
                        data: block.data.into(),
                        object_bytes: block.object_bytes,
                    }),
                    None => found.missing.push(index),
                }
            }
            Some(found)
        };
        Ok(tokio::task::spawn_blocking(look_up).await?)
    }

    /// One request for a run of blocks, which are then kept.
    fn request(
        &self,
        location: Path,
        file: Arc<CachedFile>,
        run: Range<u64>,
    ) -> BoxFuture<'static, Result<Run>> {
        let (inner, folder) = (self.inner.clone(), self.folder.clone());
        async move {
            let first = run.start;
            let range = first.saturating_mul(BLOCK_BYTES)..run.end.saturating_mul(BLOCK_BYTES);
            let options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
            let result = inner.get_opts(&location, options).await?;
            let object_bytes = result.meta.size;
            let data = result.bytes().await?;
            let kept = data.clone();
            let keep = move || {
                for (index, block) in (first..).zip(kept.chunks(BLOCK_BYTES as usize)) {
                    folder.write(&file, index, block, object_bytes);
                }
            };
            tokio::task::spawn_blocking(keep).await?;
            Ok(Run { first, data, object_bytes })
        }
        .boxed()
    }
}

type Held = Mutex<HashMap<Arc<str>, Arc<CachedFile>>>;

/// The file of an object, held from now on.
fn held(files: &Held, folder: &CacheFolder, name: Arc<str>) -> Option<Arc<CachedFile>> {
    let mut files = files.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(file) = files.get(&name) {
        return Some(file.clone());
    }
    let file = folder.file(&name)?;
    if files.len() < MOST_FILES {
        files.insert(name, file.clone());
    }
    Some(file)
}

/// What a flight brought, as an error of its own for each who waited.
async fn landed(flight: Flight) -> Result<Run> {
    flight.await.map_err(|error| match error.as_ref() {
        Error::NotFound { path, .. } => Error::NotFound { path: path.clone(), source: error.into() },
        _ => Error::Generic { store: "cached", source: error.into() },
    })
}

/// The bytes of `range`, cut at the end of the object, and the size of the object; `None` where the runs have gaps.
fn assemble(runs: &mut [Run], range: &Range<u64>) -> Option<(Bytes, u64)> {
    runs.sort_unstable_by_key(|run| run.first);
    let object_bytes = runs.first()?.object_bytes;
    let end = range.end.min(object_bytes);
    let mut at = range.start;
    let mut parts: Vec<Bytes> = Vec::new();
    for run in runs {
        let start = run.first.saturating_mul(BLOCK_BYTES);
        let to = end.min(start.saturating_add(run.data.len() as u64));
        // A run may have begun before others that lie within it, or a gap is before it.
        if start <= at && at < to {
            parts.push(run.data.slice((at - start) as usize..(to - start) as usize));
            at = to;
        }
    }
    if at < end {
        return None;
    }
    // A single part, as most are, needs no copy.
    let data = if parts.len() == 1 { parts.pop()? } else { parts.concat().into() };
    Some((data, object_bytes))
}

/// The range of a read of a data file that asks for nothing but bytes.
fn cacheable(location: &Path, options: &GetOptions) -> Option<Range<u64>> {
    let parts: Vec<_> = location.parts().collect();
    let [.., folder, _] = parts.as_slice() else { return None };
    let plain = options.if_match.is_none()
        && options.if_none_match.is_none()
        && options.if_modified_since.is_none()
        && options.if_unmodified_since.is_none()
        && options.version.is_none()
        && !options.head;
    let is_data = folder.as_ref() == "data" && location.extension() == Some("lance");
    match &options.range {
        Some(GetRange::Bounded(range)) if plain && is_data && !range.is_empty() => Some(range.clone()),
        _ => None,
    }
}

impl Display for CachedStore {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Cached({})", self.inner)
    }
}

#[async_trait]
impl ObjectStore for CachedStore {
    async fn put_opts(&self, location: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.inner.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        if let Some(range) = cacheable(location, &options)
            && let Some((data, size)) = self.read(location, &range).await?
        {
            let range = range.start..range.start + data.len() as u64;
            return Ok(GetResult {
                payload: GetResultPayload::Stream(stream::once(async { Ok(data) }).boxed()),
                meta: ObjectMeta {
                    location: location.clone(),
                    // Nobody asks when a file was written that never changes.
                    last_modified: SystemTime::UNIX_EPOCH.into(),
                    size,
                    e_tag: None,
                    version: None,
                },
                range,
                attributes: Attributes::default(),
                extensions: Extensions::default(),
            });
        }
        self.inner.get_opts(location, options).await
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        try_join_all(ranges.iter().map(|range| self.get_range(location, range.clone()))).await
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list_with_offset(prefix, offset)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 3 * BLOCK_BYTES + 10;

    fn byte(at: u64) -> u8 {
        (at / 7 % 251) as u8
    }

    fn run(blocks: Range<u64>) -> Run {
        let bytes = blocks.start * BLOCK_BYTES..SIZE.min(blocks.end * BLOCK_BYTES);
        Run { first: blocks.start, data: bytes.map(byte).collect(), object_bytes: SIZE }
    }

    #[test]
    fn runs_are_put_together_in_any_order_and_never_across_a_gap() {
        for range in
            [0..1, 100..SIZE, BLOCK_BYTES..2 * BLOCK_BYTES, BLOCK_BYTES - 1..BLOCK_BYTES + 1, 5..SIZE + 9]
        {
            let wanted: Vec<u8> = (range.start..range.end.min(SIZE)).map(byte).collect();
            let (data, size) = assemble(&mut [run(2..4), run(0..1), run(1..2)], &range).unwrap();
            assert_eq!((data.to_vec(), size), (wanted, SIZE), "{range:?}");
        }
        assert_eq!(assemble(&mut [run(0..1), run(2..4)], &(0..SIZE)), None);
        assert_eq!(assemble(&mut [run(1..4)], &(0..SIZE)), None);
        assert_eq!(assemble(&mut [run(0..1)], &(0..SIZE)), None);
        assert_eq!(assemble(&mut [], &(0..1)), None);
    }

    #[test]
    fn only_plain_reads_of_data_files_are_cached() {
        let bounded = |range| GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
        let data = Path::from("db/a.lance/data/0110.lance");
        assert_eq!(cacheable(&data, &bounded(3..9)), Some(3..9));
        assert_eq!(cacheable(&data, &bounded(3..3)), None);
        assert_eq!(cacheable(&data, &GetOptions::default()), None);
        assert_eq!(cacheable(&data, &GetOptions { head: true, ..bounded(3..9) }), None);
        assert_eq!(cacheable(&data, &bounded(3..9).with_if_match(Some("x"))), None);
        for other in ["db/a.lance/_versions/1.manifest", "db/a.lance/_deletions/1.lance", "data", "x.lance"] {
            assert_eq!(cacheable(&Path::from(other), &bounded(3..9)), None, "{other}");
        }
    }
}
