//! The host device's memory, and who may touch it when.

use std::fs;
use std::path::Path;
use std::sync::{PoisonError, RwLockReadGuard, RwLockWriteGuard};

use smallvec::SmallVec;

use crate::Buffer;

/// The memory in bytes that this process may use: the machine's, or less if its cgroup or `ulimit -v` says so.
pub(crate) fn total() -> u64 {
    // SAFETY: `sysconf` has no preconditions.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let machine = u64::try_from(pages).unwrap_or(0) * u64::try_from(size).unwrap_or(0);
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = limit_of_groups(&groups, &|path| fs::read_to_string(path).ok());
    [Some(machine), group, limit_of_addresses()].into_iter().flatten().min().unwrap_or(machine)
}

/// The least limit of the cgroups that a process is in, of those that `/proc/self/cgroup` lists, and those above them:
/// `memory.max` of version 2, `memory.limit_in_bytes` of version 1. See the kernel's `admin-guide/cgroup-v2.rst`.
fn limit_of_groups(groups: &str, read: &dyn Fn(&Path) -> Option<String>) -> Option<u64> {
    let mut least = None;
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            list if list.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        // In a container the path may be one of the machine's, of which only the root is to be seen.
        for group in Path::new(path.trim_start_matches('/')).ancestors() {
            let text = read(&Path::new(root).join(group).join(file));
            // `max` is no number.
            let limit = text.and_then(|text| text.trim().parse::<u64>().ok());
            least = least.into_iter().chain(limit).min();
        }
    }
    least
}

/// What `ulimit -v` says; none if it says nothing.
fn limit_of_addresses() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a structure that the call fills.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
    (is_known && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Buffers that this thread may read or write, until it is dropped.
///
/// Locks are taken in the order of addresses, so that two threads that want
/// the same buffers never wait for each other.
pub(crate) struct Locked<'a> {
    // A list whose lifetime may shrink, as a `SmallVec`'s may not.
    held: Vec<(&'a Buffer, Guard<'a>)>,
}

enum Guard<'a> {
    Read(#[expect(dead_code, reason = "held for its lock")] RwLockReadGuard<'a, ()>),
    Write(#[expect(dead_code, reason = "held for its lock")] RwLockWriteGuard<'a, ()>),
}

impl<'a> Locked<'a> {
    pub(crate) fn new(reads: &[&'a Buffer], writes: &[&'a Buffer]) -> Locked<'a> {
        let mut wanted: SmallVec<[(&Buffer, bool); 4]> = SmallVec::new();
        wanted.extend(writes.iter().map(|buffer| (*buffer, true)));
        wanted.extend(reads.iter().map(|buffer| (*buffer, false)));
        // Of one buffer, writing comes before reading and is the one kept.
        wanted.sort_by_key(|(buffer, writes)| (buffer.address(), std::ptr::from_ref(*buffer), !writes));
        wanted.dedup_by_key(|(buffer, _)| std::ptr::from_ref(*buffer));
        // The lock guards no value that a panic could leave half done.
        let lock = |(buffer, writes): (&'a Buffer, bool)| {
            let guard = if writes {
                Guard::Write(buffer.lock.write().unwrap_or_else(PoisonError::into_inner))
            } else {
                Guard::Read(buffer.lock.read().unwrap_or_else(PoisonError::into_inner))
            };
            (buffer, guard)
        };
        Locked { held: wanted.into_iter().map(lock).collect() }
    }

    fn guard(&self, buffer: &Buffer) -> &Guard<'a> {
        let found = self.held.iter().find(|(held, _)| std::ptr::eq(*held, buffer));
        &found.expect("internal error: a buffer that is not locked").1
    }

    fn is_writable(&self, buffer: &Buffer) -> bool {
        matches!(self.guard(buffer), Guard::Write(_))
    }

    /// Copies bytes out of a buffer.
    ///
    /// # Panics
    ///
    /// If they lie outside of it.
    pub(crate) fn read(&self, from: &Buffer, offset: usize, to: &mut [u8]) {
        self.guard(from);
        check(from, offset, to.len());
        // SAFETY: the bytes lie within the buffer, which is alive and which
        // nobody writes while its lock is held; `to` is memory of its own,
        // since device memory is never lent out as a slice.
        unsafe {
            let source = (from.address() as *const u8).add(offset);
            std::ptr::copy_nonoverlapping(source, to.as_mut_ptr(), to.len());
        }
    }

    /// Copies bytes into a buffer.
    ///
    /// # Panics
    ///
    /// If they would lie outside of it.
    pub(crate) fn write(&self, to: &Buffer, offset: usize, from: &[u8]) {
        assert!(self.is_writable(to));
        check(to, offset, from.len());
        // SAFETY: as in `read`, with the buffer locked for writing.
        unsafe {
            let target = (to.address() as *mut u8).add(offset);
            std::ptr::copy_nonoverlapping(from.as_ptr(), target, from.len());
        }
    }

    /// The bytes of a buffer that nobody writes.
    ///
    /// # Panics
    ///
    /// If they lie outside of the buffer or it is locked for writing: then
    /// they may change while the slice is alive.
    pub(crate) fn slice(&self, buffer: &Buffer, offset: usize, length: usize) -> &[u8] {
        assert!(!self.is_writable(buffer));
        check(buffer, offset, length);
        if length == 0 {
            // Aligned for elements of any type, as those of a buffer are.
            return bytemuck::cast_slice::<u128, u8>(&[]);
        }
        // SAFETY: the bytes lie within the buffer, hold zeros or what was written
        // there before, and the lock, held as long as the slice, keeps writers out.
        unsafe { std::slice::from_raw_parts((buffer.address() as *const u8).add(offset), length) }
    }

    /// A writable buffer for loops on several threads.
    pub(crate) fn output(&self, buffer: &Buffer) -> Output<'_> {
        assert!(self.is_writable(buffer));
        Output { address: buffer.address(), bytes: buffer.bytes(), lock: std::marker::PhantomData }
    }
}

fn check(buffer: &Buffer, offset: usize, length: usize) {
    let end = offset.checked_add(length);
    assert!(end.is_some_and(|end| end <= buffer.bytes()), "internal error: outside of a buffer");
}

/// A buffer that is locked for writing, shared between the threads of one
/// loop. Each thread keeps to ranges of its own.
#[derive(Clone, Copy)]
pub(crate) struct Output<'a> {
    address: u64,
    bytes: usize,
    lock: std::marker::PhantomData<&'a ()>,
}

impl Output<'_> {
    /// Bytes of the buffer to write.
    ///
    /// # Safety
    ///
    /// No other slice or access, of this thread or another, covers any of
    /// these bytes while the slice is alive.
    ///
    /// # Panics
    ///
    /// If they lie outside of the buffer.
    #[expect(clippy::mut_from_ref, reason = "the caller promises what `&mut self` would")]
    pub(crate) unsafe fn slice(&self, offset: usize, length: usize) -> &mut [u8] {
        assert!(offset.checked_add(length).is_some_and(|end| end <= self.bytes));
        if length == 0 {
            return bytemuck::cast_slice_mut::<u128, u8>(&mut []);
        }
        // SAFETY: the bytes lie within a buffer locked for writing by this
        // loop, and the caller promises that nobody else touches them.
        unsafe { std::slice::from_raw_parts_mut((self.address as *mut u8).add(offset), length) }
    }

    /// Copies one element out, for a loop that reads what it writes.
    ///
    /// # Safety
    ///
    /// No other thread writes these bytes now.
    pub(crate) unsafe fn read(&self, offset: usize, to: &mut [u8]) {
        assert!(offset.checked_add(to.len()).is_some_and(|end| end <= self.bytes));
        // SAFETY: within the buffer, and not being written.
        unsafe {
            std::ptr::copy_nonoverlapping((self.address as *const u8).add(offset), to.as_mut_ptr(), to.len());
        }
    }
}

/// Has the system give memory that is about to be written for the first time
/// in large pages: small ones are handed out one by one, which takes longer
/// than writing them.
pub fn use_large_pages(memory: &mut [u8]) {
    const LARGE: usize = 2 << 20;
    const FROM: usize = 8 << 20;
    if memory.len() < FROM {
        return;
    }
    let start = (memory.as_mut_ptr() as usize).next_multiple_of(LARGE);
    let end = (memory.as_mut_ptr() as usize + memory.len()) / LARGE * LARGE;
    // SAFETY: whole pages within memory that is lent to this function; the
    // call changes how they are backed, not what they hold. Where the system
    // has no large pages, nothing changes.
    unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_limit_of_the_groups_counts() {
        let files = [
            ("/sys/fs/cgroup/user/one/memory.max", "max\n"),
            ("/sys/fs/cgroup/user/memory.max", "3000\n"),
            ("/sys/fs/cgroup/memory.max", "5000\n"),
            ("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "700\n"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
        ];
        let read = |path: &Path| {
            files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned())
        };
        assert_eq!(limit_of_groups("0::/user/one\n", &read), Some(3000));
        assert_eq!(limit_of_groups("0::/\n", &read), Some(5000));
        assert_eq!(limit_of_groups("0::/not/seen/here\n", &read), Some(5000));
        assert_eq!(limit_of_groups("4:cpu,cpuacct:/a\n3:memory:/a\n0::/none\n", &read), Some(700));
        assert_eq!(limit_of_groups("", &read), None);
        assert_eq!(limit_of_groups("nonsense\n", &read), None);
    }
}
