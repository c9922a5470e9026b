//! Images on the host: plain memory, and descriptions of it that the shim's
//! functions read.

use std::sync::Arc;

use super::checked::Readable;
use super::memory::Locked;
use crate::error::Result;
use crate::image::{AddressMode, ArrayFormat, FilterMode, Image, Layout, Linear, Object, Sampling};
use crate::{Buffer, Context};

/// `gpurepl_image` of `textures.hpp`, whose layout this shares.
#[repr(C)]
struct Description {
    data: u64,
    lengths: [i64; 3],
    row: i64,
    slice: i64,
    channels: u32,
    format: ArrayFormat,
    address: [AddressMode; 3],
    filter: FilterMode,
    normalized_reads: u32,
    normalized_coordinates: u32,
    border: [f32; 4],
}

/// An object is the address of its description, which stays where it is.
struct HostObject {
    description: Box<Description>,
    _readable: Readable,
}

impl Object for HostObject {
    fn handle(&self) -> u64 {
        std::ptr::from_ref(&*self.description) as u64
    }
}

struct HostImage {
    layout: Layout,
    buffer: Arc<Buffer>,
}

pub(super) fn new(context: Context, layout: &Layout) -> Result<Arc<dyn Image>> {
    let buffer = Buffer::new(context, layout.bytes())?;
    Ok(Arc::new(HostImage { layout: *layout, buffer }))
}

/// A texture over a buffer's elements.
pub(super) fn linear(from: &Linear<'_>, sampling: &Sampling) -> Box<dyn Object> {
    from.check();
    let lengths = [from.length, 1, 1];
    let address = from.buffer.address() + from.offset as u64;
    describe(address, lengths, from.format, from.channels, Some(sampling))
}

fn describe(
    data: u64,
    lengths: [usize; 3],
    format: ArrayFormat,
    channels: u32,
    sampling: Option<&Sampling>,
) -> Box<dyn Object> {
    let row = lengths[0] * format.size() * channels as usize;
    let description = Box::new(Description {
        data,
        lengths: lengths.map(|length| length as i64),
        row: row as i64,
        slice: (row * lengths[1]) as i64,
        channels,
        format,
        address: sampling.map(|sampling| sampling.resolved_address(3)).unwrap_or_default(),
        filter: sampling.map(|sampling| sampling.filter).unwrap_or_default(),
        normalized_reads: sampling.map_or(0, |sampling| sampling.read as u32),
        normalized_coordinates: sampling.map_or(0, |sampling| sampling.normalized_coordinates.into()),
        border: sampling.map_or([0.0; 4], |sampling| sampling.border),
    });
    let readable = Readable::new(&*description);
    Box::new(HostObject { description, _readable: readable })
}

impl HostImage {
    fn object(&self, sampling: Option<&Sampling>) -> Box<dyn Object> {
        let Layout { lengths, format, channels, .. } = self.layout;
        describe(self.buffer.address(), lengths, format, channels, sampling)
    }
}

impl Image for HostImage {
    fn upload(&self, from: &[u8]) -> Result<()> {
        Locked::new(&[], &[&self.buffer]).write(&self.buffer, 0, from);
        Ok(())
    }

    fn download(&self, to: &mut [u8]) -> Result<()> {
        Locked::new(&[&self.buffer], &[]).read(&self.buffer, 0, to);
        Ok(())
    }

    fn copy_from(&self, from: &Buffer, offset: usize) -> Result<()> {
        let locked = Locked::new(&[from], &[&self.buffer]);
        locked.write(&self.buffer, 0, locked.slice(from, offset, self.layout.bytes()));
        Ok(())
    }

    fn texture(&self, sampling: &Sampling) -> Result<Box<dyn Object>> {
        Ok(self.object(Some(sampling)))
    }

    fn surface(&self) -> Result<Box<dyn Object>> {
        Ok(self.object(None))
    }

    fn enter(&self, _: bool) -> Result<()> {
        Ok(()) // Kernels are done when they are asked for.
    }

    fn buffer(&self) -> Option<&Arc<Buffer>> {
        Some(&self.buffer)
    }

    fn context(&self) -> Context {
        self.buffer.context()
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn handle(&self) -> u64 {
        0
    }
}
