//! The contract for copies of all kinds, and for memory that the host uses in
//! place.

use std::sync::Arc;

use super::PoolFigures;
use super::image::Image;
use crate::error::Result;
use crate::{Buffer, Context};

/// How page-locked memory behaves: PyCUDA's `host_alloc_flags`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PageLockedFlags {
    /// Page-locked for all contexts.
    pub portable: bool,
    /// Kernels can use it: see
    /// `PageLocked::device_pointer`.
    pub mapped: bool,
    /// The host's caches leave it alone: faster for the GPU to read, slow for
    /// the host to read.
    pub write_combined: bool,
}

/// Who may use managed memory: PyCUDA's `mem_attach_flags`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AttachFlags {
    /// Kernels of any stream.
    #[default]
    Global,
    /// The host alone, until it is attached otherwise.
    Host,
    /// Kernels of the current stream.
    Single,
}

/// Where managed memory can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLocation {
    /// In the host's memory.
    Host,
    /// In the memory of a context's device.
    Device(Context),
}

/// What is to be expected of managed memory: PyCUDA's `mem_advise`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// It is mostly read: each device may have a copy.
    ReadMostly,
    /// Takes that back.
    NotReadMostly,
    /// Where it had better be.
    PreferredLocation(MemoryLocation),
    /// Takes that back.
    NoPreferredLocation,
    /// Who will use it, and should be able to without a fault.
    AccessedBy(MemoryLocation),
    /// Takes that back.
    NotAccessedBy(MemoryLocation),
}

/// Copies, fills and memory that the host uses in place.
#[doc(hidden)]
pub trait Copies {
    /// Page-locked memory; its contents are undefined. `bytes` is not zero.
    fn allocate_page_locked(&self, bytes: usize, flags: PageLockedFlags) -> Result<u64>;

    /// Gives it back.
    ///
    /// # Safety
    ///
    /// It came from `allocate_page_locked` with the same size and flags, is
    /// freed once, and nothing uses it any more, the device neither.
    unsafe fn release_page_locked(&self, address: u64, bytes: usize, flags: PageLockedFlags);

    /// What the pool of page-locked memory holds.
    fn page_locked_figures(&self) -> PoolFigures;

    fn free_page_locked(&self);

    /// Page-locks memory of the program's. `bytes` is not zero.
    ///
    /// # Safety
    ///
    /// The memory stays where it is until it is unregistered.
    unsafe fn register(&self, address: u64, bytes: usize, flags: PageLockedFlags) -> Result<()>;

    /// # Safety
    ///
    /// The memory is registered, and the device does not use it.
    unsafe fn unregister(&self, address: u64, bytes: usize);

    /// Page-locked memory's address for kernels.
    fn device_pointer(&self, address: u64) -> Result<u64>;

    /// Tells of memory that is not the device's own and is used by kernels,
    /// and that it is not any more.
    fn note_foreign(&self, address: u64, bytes: usize);

    fn forget_foreign(&self, address: u64, bytes: usize);

    /// Managed memory; its contents are undefined. `bytes` is not zero.
    fn allocate_managed(&self, bytes: usize, flags: AttachFlags) -> Result<u64>;

    /// # Safety
    ///
    /// As for [`Copies::release_page_locked`].
    unsafe fn release_managed(&self, address: u64, bytes: usize);

    fn attach(&self, buffer: &Buffer, flags: AttachFlags) -> Result<()>;

    fn prefetch(&self, buffer: &Buffer, to: MemoryLocation) -> Result<()>;

    fn advise(&self, buffer: &Buffer, advice: Advice) -> Result<()>;

    fn fill(&self, task: &Fill<'_>) -> Result<()>;

    /// Copies a rectangle or a box. Has it done before it returns where a
    /// side is a slice.
    fn copy_rectangle(&self, task: &mut RectangleCopy<'_>) -> Result<()>;

    /// Copies from memory of another context to memory of this one, on the
    /// current stream.
    fn copy_peer(&self, to: (&Buffer, usize), from: (&Buffer, usize), bytes: usize) -> Result<()>;
}

/// Rows of one value.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct Fill<'a> {
    pub to: &'a Buffer,
    /// In bytes; a multiple of `size`, as the address and the pitch are.
    pub offset: usize,
    /// The value, its low bytes, and how many it has: 1, 2 or 4.
    pub value: u32,
    pub size: usize,
    /// In values.
    pub width: usize,
    pub height: usize,
    /// In bytes, between starts of rows.
    pub pitch: usize,
}

impl Fill<'_> {
    /// # Panics
    ///
    /// If a row lies outside of the buffer: a mistake in this crate.
    pub(crate) fn check(&self) {
        let rows = self.height.saturating_sub(1).checked_mul(self.pitch);
        let row = self.width.checked_mul(self.size);
        let end = rows.zip(row).and_then(|(rows, row)| self.offset.checked_add(rows)?.checked_add(row));
        assert!(end.is_some_and(|end| end <= self.to.bytes()), "internal error: outside of a buffer");
    }
}

/// One side of a copy.
#[doc(hidden)]
pub enum Side<'a> {
    Host(&'a [u8]),
    HostMut(&'a mut [u8]),
    /// Memory of a buffer from an offset on, as far as it goes.
    Buffer {
        buffer: Arc<Buffer>,
        offset: usize,
        bytes: usize,
    },
    Image(Arc<dyn Image>),
}

/// Where in its side a box lies, and how the side's memory is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[doc(hidden)]
pub struct Corner {
    pub x_in_bytes: usize,
    pub y: usize,
    pub z: usize,
    /// Bytes between rows; nothing to an image.
    pub pitch: usize,
    /// Rows between slices; nothing to an image.
    pub height: usize,
}

/// A rectangle, or a box of more than one slice, to be copied. It lies within
/// both sides, and has something in it.
#[doc(hidden)]
pub struct RectangleCopy<'a> {
    pub from: Side<'a>,
    pub from_corner: Corner,
    pub to: Side<'a>,
    pub to_corner: Corner,
    pub width_in_bytes: usize,
    pub height: usize,
    pub depth: usize,
    /// Whether it is a copy of two axes in the driver's eyes, and whether the
    /// pitches are any.
    pub is_flat: bool,
    pub is_unaligned: bool,
}

impl RectangleCopy<'_> {
    /// # Panics
    ///
    /// If the box lies outside of a side: a mistake in this crate.
    pub(crate) fn check(&self) {
        assert!(!matches!(self.to, Side::Host(_)), "internal error: a copy to what is only read");
        for (side, corner) in [(&self.from, self.from_corner), (&self.to, self.to_corner)] {
            let fits = match side {
                Side::Image(image) => {
                    let [x, y, z] = image.layout().lengths;
                    let within = |at: usize, length: usize, most: usize| {
                        at.checked_add(length).is_some_and(|end| end <= most)
                    };
                    within(corner.x_in_bytes, self.width_in_bytes, x * image.layout().element())
                        && within(corner.y, self.height, y)
                        && within(corner.z, self.depth, z)
                }
                linear => {
                    let end = corner.end(self.width_in_bytes, self.height, self.depth);
                    end.is_some_and(|end| Some(end) <= linear.bytes())
                }
            };
            assert!(fits, "internal error: outside of memory");
            if let Side::Buffer { buffer, offset, bytes } = side {
                let end = offset.checked_add(*bytes);
                assert!(end.is_some_and(|end| end <= buffer.bytes()), "internal error: outside of a buffer");
            }
        }
    }
}

impl Side<'_> {
    /// The context of its memory, if it is any's.
    pub fn context(&self) -> Option<Context> {
        match self {
            Side::Host(_) | Side::HostMut(_) => None,
            Side::Buffer { buffer, .. } => Some(buffer.context()),
            Side::Image(image) => Some(image.context()),
        }
    }

    /// The bytes from its start on; none for an image.
    pub fn bytes(&self) -> Option<usize> {
        match self {
            Side::Host(bytes) => Some(bytes.len()),
            Side::HostMut(bytes) => Some(bytes.len()),
            Side::Buffer { bytes, .. } => Some(*bytes),
            Side::Image(_) => None,
        }
    }
}

impl Corner {
    /// How many bytes a side must have for a box from this corner on; none
    /// where that overflows.
    pub fn end(&self, width_in_bytes: usize, height: usize, depth: usize) -> Option<usize> {
        let last_slice = self.z.checked_add(depth)?.checked_sub(1)?;
        let last_row = last_slice.checked_mul(self.height)?.checked_add(self.y)?.checked_add(height)?;
        last_row
            .checked_sub(1)?
            .checked_mul(self.pitch)?
            .checked_add(self.x_in_bytes)?
            .checked_add(width_in_bytes)
    }
}
