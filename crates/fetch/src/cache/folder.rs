//! The files of all objects, and the room that they share.

use std::collections::HashMap;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime};

use lance_loader_order::{Code, Error, Result};

use super::cached_file::{CachedFile, STORED_BYTES};

/// What the names of cached files end with: nothing else in the folder is touched.
const SUFFIX: &str = ".blocks";
/// Held while room is given out.
const LOCK: &str = "room.lock";
/// The parts in which a process takes room: what is used is measured once for each.
const PARTS: u64 = 64;
const MOST_PART_BYTES: u64 = 64 << 20;
/// How long nobody looks again when there was no room.
const PATIENCE: Duration = Duration::from_secs(5);

/// A folder of cached objects with a bound on what they take, for all processes that use it.
///
/// What is in use stays: a table's rows are needed once in each epoch, in an order without pattern, so that a fixed part of them in the cache saves as
/// much as any other choice, where the least recently used would be thrown out right before their next use. For what is new, only
/// objects make room that no process has open, those first whose last use is the longest ago.
#[derive(Debug)]
pub struct CacheFolder {
    path: PathBuf,
    max_bytes: u64,
    room: Mutex<Room>,
    /// Those that somebody in this process holds.
    files: Mutex<HashMap<String, Weak<CachedFile>>>,
}

/// What this process may still write without asking.
#[derive(Debug, Default)]
struct Room {
    bytes: u64,
    refused: Option<Instant>,
}

type Folders = Mutex<HashMap<(PathBuf, u64), Weak<CacheFolder>>>;

static FOLDERS: std::sync::LazyLock<Folders> = std::sync::LazyLock::new(Folders::default);

impl CacheFolder {
    /// The folder at `path`, made where it is not there, with at most `max_bytes`, and up to a sixty-fourth of it more for each process. The same one for all
    /// who ask in this process.
    ///
    /// # Errors
    /// `WRITE_FAILED` where the folder can't be made or written.
    pub fn open(path: &Path, max_bytes: u64) -> Result<Arc<Self>> {
        let failed = |cause: io::Error| {
            let message = format!(
                "cacheDir is {}, where no file can be made ({cause}): name a folder on a local disk that may be written",
                path.display()
            );
            Error::new(Code::WriteFailed, message).with_cause(cause)
        };
        std::fs::create_dir_all(path).map_err(failed)?;
        let path = path.canonicalize().map_err(failed)?;
        open_file(&path.join(LOCK)).map_err(failed)?;
        let mut folders = locked(&FOLDERS);
        folders.retain(|_, folder| folder.strong_count() > 0);
        let key = (path.clone(), max_bytes);
        if let Some(folder) = folders.get(&key).and_then(Weak::upgrade) {
            return Ok(folder);
        }
        let (room, files) = (Mutex::default(), Mutex::default());
        let folder = Arc::new(Self { path, max_bytes, room, files });
        folders.insert(key, Arc::downgrade(&folder));
        Ok(folder)
    }

    /// The most that the files may take.
    pub const fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// The file of the object `name`, made where it is not there; `None` where the disk refuses. It stays for as long as it is held.
    pub fn file(&self, name: &str) -> Option<Arc<CachedFile>> {
        let mut files = locked(&self.files);
        if let Some(file) = files.get(name).and_then(Weak::upgrade) {
            return Some(file);
        }
        files.retain(|_, file| file.strong_count() > 0);
        let file = open_shared(&self.path.join(format!("{name}{SUFFIX}"))).ok()??;
        let file = Arc::new(CachedFile::new(file));
        files.insert(name.to_string(), Arc::downgrade(&file));
        Some(file)
    }

    /// Whether a block would be kept, as far as that is known without asking the disk.
    pub fn has_room(&self) -> bool {
        let room = locked(&self.room);
        room.bytes >= STORED_BYTES || room.refused.is_none_or(|at| at.elapsed() > PATIENCE)
    }

    /// Keeps a block where there is room for it, and says whether it did. A cache that fails is no error.
    pub fn write(&self, file: &CachedFile, index: u64, data: &[u8], object_bytes: u64) -> bool {
        self.take_room() && file.write(index, data, object_bytes).is_ok()
    }

    fn take_room(&self) -> bool {
        let mut room = locked(&self.room);
        if room.bytes < STORED_BYTES {
            if room.refused.is_some_and(|at| at.elapsed() <= PATIENCE) {
                return false;
            }
            room.bytes = self.reserve().unwrap_or(0);
            room.refused = (room.bytes < STORED_BYTES).then(Instant::now);
        }
        let fits = room.bytes >= STORED_BYTES;
        room.bytes = room.bytes.saturating_sub(STORED_BYTES);
        fits
    }

    /// A part of the room that is left; what nobody uses makes way for it.
    fn reserve(&self) -> io::Result<u64> {
        let lock = open_file(&self.path.join(LOCK))?;
        lock.lock()?;
        let part = (self.max_bytes / PARTS).clamp(STORED_BYTES, MOST_PART_BYTES);
        let mut files = self.stored()?;
        let mut used: u64 = files.iter().map(|(_, metadata)| disk_bytes(metadata)).sum();
        files.sort_by_key(|(_, metadata)| metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH));
        for (path, metadata) in files {
            if used.saturating_add(part) <= self.max_bytes {
                break;
            }
            if remove_unused(&path) {
                used = used.saturating_sub(disk_bytes(&metadata));
            }
        }
        Ok(self.max_bytes.saturating_sub(used).min(part))
    }

    fn stored(&self) -> io::Result<Vec<(PathBuf, Metadata)>> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().ends_with(SUFFIX)
                && let Ok(metadata) = entry.metadata()
            {
                files.push((entry.path(), metadata));
            }
        }
        Ok(files)
    }
}

/// Opens a file for this user alone, and makes it where it is not there.
fn open_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Opens a file so that nobody removes it; `None` where somebody is about to.
fn open_shared(path: &Path) -> io::Result<Option<File>> {
    let file = open_file(path)?;
    if file.try_lock_shared().is_err() || is_removed(&file)? {
        return Ok(None);
    }
    file.set_modified(SystemTime::now())?;
    Ok(Some(file))
}

/// Removes a file that no process has open.
fn remove_unused(path: &Path) -> bool {
    let Ok(file) = open_file(path) else { return false };
    file.try_lock().is_ok() && std::fs::remove_file(path).is_ok()
}

#[cfg(unix)]
fn is_removed(file: &File) -> io::Result<bool> {
    Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) == 0)
}

#[cfg(not(unix))]
fn is_removed(_: &File) -> io::Result<bool> {
    Ok(false)
}

/// What a file takes on disk, without its holes.
#[cfg(unix)]
fn disk_bytes(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(metadata).saturating_mul(512)
}

#[cfg(not(unix))]
fn disk_bytes(metadata: &Metadata) -> u64 {
    metadata.len()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is under these locks is whole at every moment.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::super::BLOCK_BYTES;
    use super::*;

    const BLOCKS: u64 = 64;
    /// Room for 64 blocks, and what a disk rounds up.
    const MAX_BYTES: u64 = BLOCKS * (STORED_BYTES + 8192);

    /// Writes `blocks` blocks of an object; how many were kept.
    fn fill(folder: &CacheFolder, name: &str, blocks: u64) -> usize {
        fill_file(folder, &folder.file(name).unwrap(), blocks)
    }

    fn fill_file(folder: &CacheFolder, file: &CachedFile, blocks: u64) -> usize {
        let data = vec![7; BLOCK_BYTES as usize];
        (0..blocks).filter(|index| folder.write(file, *index, &data, blocks * BLOCK_BYTES)).count()
    }

    fn kept(folder: &CacheFolder, name: &str, blocks: u64) -> usize {
        let file = folder.file(name).unwrap();
        (0..blocks).filter(|index| file.read(*index).is_some()).count()
    }

    fn used(folder: &CacheFolder) -> u64 {
        folder.stored().unwrap().iter().map(|(_, metadata)| disk_bytes(metadata)).sum()
    }

    #[test]
    fn what_is_written_is_there_for_whoever_comes_later() {
        let temp = tempfile::tempdir().unwrap();
        let folder = CacheFolder::open(&temp.path().join("new"), MAX_BYTES).unwrap();
        assert_eq!(fill(&folder, "a", BLOCKS), BLOCKS as usize);
        drop(folder);
        let folder = CacheFolder::open(&temp.path().join("new"), MAX_BYTES).unwrap();
        assert_eq!(kept(&folder, "a", BLOCKS), BLOCKS as usize);
    }

    #[test]
    fn what_is_in_use_stays_and_no_more_is_kept_than_fits() {
        let temp = tempfile::tempdir().unwrap();
        let folder = CacheFolder::open(temp.path(), MAX_BYTES).unwrap();
        let file = folder.file("a").unwrap();
        let first = fill_file(&folder, &file, 3 * BLOCKS);
        assert!((BLOCKS as usize..2 * BLOCKS as usize).contains(&first), "{first}");
        assert!(!folder.has_room());
        assert_eq!(fill(&folder, "b", 1), 0);
        assert_eq!(kept(&folder, "a", 3 * BLOCKS), first);
        assert!(used(&folder) <= MAX_BYTES + MAX_BYTES / PARTS);
    }

    #[test]
    fn what_nobody_has_open_makes_room_the_oldest_first() {
        let temp = tempfile::tempdir().unwrap();
        let folder = CacheFolder::open(temp.path(), MAX_BYTES).unwrap();
        for (name, age) in [("old", 200), ("older", 300), ("young", 100)] {
            assert_eq!(fill(&folder, name, BLOCKS / 4), BLOCKS as usize / 4);
            let file = open_file(&temp.path().join(format!("{name}{SUFFIX}"))).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        }
        std::fs::write(temp.path().join("mine.txt"), "not a block").unwrap();
        assert_eq!(fill(&folder, "new", BLOCKS / 2), BLOCKS as usize / 2);
        let left: Vec<bool> =
            ["older", "old", "young"].map(|name| temp.path().join(format!("{name}{SUFFIX}")).exists()).into();
        assert_eq!(left, [false, true, true]);
        assert!(temp.path().join("mine.txt").exists());
        assert!(used(&folder) <= MAX_BYTES + MAX_BYTES / PARTS);
    }

    #[test]
    fn a_folder_that_can_not_be_is_named() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = CacheFolder::open(&file.join("x"), 1).unwrap_err();
        assert_eq!(error.code(), Code::WriteFailed);
        assert!(error.to_string().contains("cacheDir"), "{error}");
    }
}
