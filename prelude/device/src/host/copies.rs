//! Copies and fills on the host, and memory that is the host's in any case.

use std::sync::Arc;

use super::memory::Locked;
use super::{Host, checked, record};
use crate::error::Result;
use crate::interrupt;
use crate::{
    Advice, AttachFlags, Backend as _, Buffer, Copies, Corner, Fill, MemoryLocation, Order, PageLockedFlags,
    Pool as _, PoolFigures, RectangleCopy, Side, refuse_in_capture,
};

impl Copies for Host {
    fn allocate_page_locked(&self, bytes: usize, _: PageLockedFlags) -> Result<u64> {
        self.allocate(bytes)
    }

    unsafe fn release_page_locked(&self, address: u64, bytes: usize, _: PageLockedFlags) {
        // SAFETY: the caller's promise.
        unsafe { self.release(address, bytes, &Order::default()) }
    }

    fn page_locked_figures(&self) -> PoolFigures {
        self.figures()
    }

    fn free_page_locked(&self) {
        super::pool::clear();
    }

    unsafe fn register(&self, address: u64, bytes: usize, _: PageLockedFlags) -> Result<()> {
        self.note_foreign(address, bytes);
        Ok(())
    }

    unsafe fn unregister(&self, address: u64, bytes: usize) {
        self.forget_foreign(address, bytes);
    }

    fn device_pointer(&self, address: u64) -> Result<u64> {
        Ok(address)
    }

    fn note_foreign(&self, address: u64, bytes: usize) {
        // Kept until it is forgotten, not as long as a value lives.
        std::mem::forget(checked::Readable::range(range(address, bytes)));
    }

    fn forget_foreign(&self, address: u64, bytes: usize) {
        checked::close(range(address, bytes));
    }

    fn allocate_managed(&self, bytes: usize, _: AttachFlags) -> Result<u64> {
        self.allocate(bytes)
    }

    unsafe fn release_managed(&self, address: u64, bytes: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.release(address, bytes, &Order::default()) }
    }

    fn attach(&self, _: &Buffer, _: AttachFlags) -> Result<()> {
        refuse_in_capture("Managed::attach")
    }

    fn prefetch(&self, _: &Buffer, _: MemoryLocation) -> Result<()> {
        refuse_in_capture("Managed::prefetch")
    }

    fn advise(&self, _: &Buffer, _: Advice) -> Result<()> {
        Ok(())
    }

    fn fill(&self, task: &Fill<'_>) -> Result<()> {
        task.check();
        if record::is_on() {
            let to = task.to.handle();
            let Fill { offset, value, size, width, height, pitch, .. } = *task;
            return record::push(&[(task.to, true)], move || {
                fill(&Fill { to: &to, offset, value, size, width, height, pitch })
            });
        }
        task.to.enter(true)?;
        fill(task)
    }

    fn copy_rectangle(&self, task: &mut RectangleCopy<'_>) -> Result<()> {
        task.check();
        refuse_in_capture("copying a rectangle")?;
        for (side, writes) in [(&task.from, false), (&task.to, true)] {
            if let Side::Buffer { buffer, .. } = side {
                buffer.enter(writes)?;
            }
        }
        copy_rectangle(task)
    }

    fn copy_peer(&self, to: (&Buffer, usize), from: (&Buffer, usize), bytes: usize) -> Result<()> {
        refuse_in_capture("copying between contexts")?;
        self.copy(to, from, bytes)
    }
}

fn range(address: u64, bytes: usize) -> std::ops::Range<usize> {
    address as usize..address as usize + bytes
}

fn fill(task: &Fill<'_>) -> Result<()> {
    let locked = Locked::new(&[], &[task.to]);
    let value = task.value.to_ne_bytes();
    let value = if cfg!(target_endian = "little") { &value[..task.size] } else { &value[4 - task.size..] };
    let row = value.repeat(task.width.min(ROW_OF_VALUES));
    for y in 0..task.height {
        let start = task.offset + y * task.pitch;
        let end = start + task.width * task.size;
        for at in (start..end).step_by(row.len().max(1)) {
            locked.write(task.to, at, &row[..row.len().min(end - at)]);
        }
        if y % ROWS_AT_ONCE == 0 {
            interrupt::check()?;
        }
    }
    Ok(())
}

/// Values that are written at once.
const ROW_OF_VALUES: usize = 1 << 14;

/// Rows between two looks at the user's interrupt.
const ROWS_AT_ONCE: usize = 1024;

/// A side without images, which are buffers here.
enum Rows<'a> {
    Slice(&'a [u8]),
    SliceMut(&'a mut [u8]),
    Buffer(Arc<Buffer>, usize),
}

fn rows<'a>(side: &'a mut Side<'_>, corner: &mut Corner) -> Rows<'a> {
    match side {
        Side::Host(bytes) => Rows::Slice(bytes),
        Side::HostMut(bytes) => Rows::SliceMut(bytes),
        Side::Buffer { buffer, offset, .. } => Rows::Buffer(Arc::clone(buffer), *offset),
        Side::Image(image) => {
            let layout = image.layout();
            corner.pitch = layout.lengths[0] * layout.element();
            corner.height = layout.lengths[1];
            Rows::Buffer(Arc::clone(image.buffer().expect("an image of the host is a buffer")), 0)
        }
    }
}

fn copy_rectangle(task: &mut RectangleCopy<'_>) -> Result<()> {
    let (mut from_corner, mut to_corner) = (task.from_corner, task.to_corner);
    let from = rows(&mut task.from, &mut from_corner);
    let mut to = rows(&mut task.to, &mut to_corner);
    let reads: Vec<&Buffer> = if let Rows::Buffer(buffer, _) = &from { vec![buffer] } else { Vec::new() };
    let target = if let Rows::Buffer(buffer, _) = &to { Some(Arc::clone(buffer)) } else { None };
    let writes: Vec<&Buffer> = target.iter().map(|buffer| &**buffer).collect();
    let locked = Locked::new(&reads, &writes);
    let at = |corner: &Corner, y: usize, z: usize| {
        ((corner.z + z) * corner.height + corner.y + y) * corner.pitch + corner.x_in_bytes
    };
    let width = task.width_in_bytes;
    let mut row = vec![0; width];
    for z in 0..task.depth {
        for y in 0..task.height {
            let start = at(&from_corner, y, z);
            match &from {
                Rows::Slice(bytes) => row.copy_from_slice(&bytes[start..start + width]),
                Rows::SliceMut(bytes) => row.copy_from_slice(&bytes[start..start + width]),
                Rows::Buffer(buffer, offset) => locked.read(buffer, offset + start, &mut row),
            }
            let start = at(&to_corner, y, z);
            match &mut to {
                Rows::Slice(_) => unreachable!("checked by `RectangleCopy::check`"),
                Rows::SliceMut(bytes) => bytes[start..start + width].copy_from_slice(&row),
                Rows::Buffer(buffer, offset) => locked.write(buffer, *offset + start, &row),
            }
            if y % ROWS_AT_ONCE == 0 {
                interrupt::check()?;
            }
        }
    }
    Ok(())
}
