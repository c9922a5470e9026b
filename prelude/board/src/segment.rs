//! Words that processes share: a file that each of them maps.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::atomic::AtomicU64;

/// Maps a file of so many words, and keeps it mapped as long as the process lives. Whoever comes first makes it, filled
/// with zeros.
///
/// Words are atomic for everybody, elements among them: so whatever another process does, reading them is no more than
/// reading wrong numbers.
///
/// # Errors
///
/// If the file cannot be made or mapped, or has another length: there are files of the group's own in its folder alone.
pub(crate) fn shared(path: &Path, words: usize) -> io::Result<&'static [AtomicU64]> {
    let bytes = words * size_of::<u64>();
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    let mut file = options.open(path)?;
    // Let go when this returns, or the process dies: the next one then completes what it has found.
    file.lock()?;
    fill(&mut file, bytes as u64)?;
    let mapped = map(&file, words);
    file.unlock()?;
    mapped
}

/// Gives a file its length by writing it: a file with holes would have no room when they are used, which is a fault.
fn fill(file: &mut File, bytes: u64) -> io::Result<()> {
    let mut length = file.metadata()?.len();
    if length > bytes {
        let message = format!("a file of {length} bytes is in the place of one of {bytes}");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    let zeros = [0; 64 << 10];
    file.seek(SeekFrom::Start(length))?;
    while length < bytes {
        let part = (bytes - length).min(zeros.len() as u64);
        file.write_all(&zeros[..part as usize])?;
        length += part;
    }
    Ok(())
}

fn map(file: &File, words: usize) -> io::Result<&'static [AtomicU64]> {
    let bytes = words * size_of::<u64>();
    if words == 0 {
        return Ok(&[]);
    }
    let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
    // SAFETY: asks for an address that is free, so no memory of this process is touched; the file is open for both.
    let address = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, file.as_raw_fd(), 0) };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the mapping has so many bytes, which `fill` has written to the file, so that each of them has memory; the
    // folder is the group's own, and nobody in the group makes the file shorter. It is aligned as pages are, and is
    // never taken back. All processes use it by atomic words alone, for which any bits are a value.
    Ok(unsafe { std::slice::from_raw_parts(address.cast::<AtomicU64>(), words) })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn two_mappings_are_one_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words");
        let one = shared(&path, 20_000).unwrap();
        assert!(one.iter().all(|word| word.load(Ordering::Relaxed) == 0));
        one[19_999].store(7, Ordering::Relaxed);
        let other = shared(&path, 20_000).unwrap();
        assert_eq!(other[19_999].load(Ordering::Relaxed), 7);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 160_000);
    }

    #[test]
    fn what_a_killed_process_has_begun_is_completed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words");
        std::fs::write(&path, [0; 1000]).unwrap();
        assert_eq!(shared(&path, 1000).unwrap().len(), 1000);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 8000);
    }

    #[test]
    fn another_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words");
        std::fs::write(&path, [0; 100]).unwrap();
        assert!(shared(&path, 4).unwrap_err().to_string().contains("100 bytes is in the place of one of 32"));
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(shared(&link, 100).is_err());
    }
}
