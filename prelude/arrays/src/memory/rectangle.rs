//! What copies of rectangles and boxes have in common: their sides, and what
//! is checked before.

use std::borrow::Cow;
use std::sync::Arc;

use super::allocation::DeviceAllocation;
use super::cuda_array::CudaArray;
use super::host_data::HostDataMut;
use crate::device::image::{Axes, Image};
use crate::device::{self, Context, Corner, RectangleCopy, Side, Stream};
use crate::error::{Error, Problem, Result};

/// Where a copy comes from.
#[derive(Default)]
pub(super) enum Source<'a> {
    #[default]
    Missing,
    Host(Result<Cow<'a, [u8]>>),
    Memory(DeviceAllocation),
    Array(CudaArray),
}

/// Where it goes to.
#[derive(Default)]
pub(super) enum Target<'a> {
    #[default]
    Missing,
    Host(Box<dyn HostDataMut + 'a>),
    Memory(DeviceAllocation),
    Array(CudaArray),
}

/// A copy as it was requested. A pitch or height of zero means that rows or
/// slices follow each other without gaps.
#[derive(Clone, Copy)]
pub(super) struct Request {
    pub(super) operation: &'static str,
    pub(super) from: Corner,
    pub(super) to: Corner,
    pub(super) width_in_bytes: usize,
    pub(super) height: usize,
    pub(super) depth: usize,
    pub(super) is_flat: bool,
    pub(super) is_aligned: bool,
}

impl Request {
    fn wrong(&self, message: String) -> Error {
        Problem::Invalid { operation: self.operation, message }.into()
    }

    fn is_empty(&self) -> bool {
        self.width_in_bytes == 0 || self.height == 0 || self.depth == 0
    }

    /// Where a box lies in rows of memory that has so many bytes.
    fn linear(&self, side: &str, corner: Corner, bytes: usize) -> Result<Corner> {
        let Request { width_in_bytes: width, height, depth, .. } = *self;
        let row = corner.x_in_bytes.checked_add(width);
        let rows = corner.y.checked_add(height);
        let (Some(row), Some(rows)) = (row, rows) else {
            return Err(self.wrong(format!(
                "{side}: {width} bytes from byte {} on exceed any memory; give a smaller box",
                corner.x_in_bytes
            )));
        };
        let or = |given: usize, least: usize| if given == 0 { least } else { given };
        let corner = Corner { pitch: or(corner.pitch, row), height: or(corner.height, rows), ..corner };
        if row > corner.pitch {
            return Err(self.wrong(format!(
                "{side}: {width} bytes from byte {} on end at {row}, but a row has {} (`{side}_pitch`)",
                corner.x_in_bytes, corner.pitch
            )));
        }
        let is_deep = corner.z > 0 || depth > 1;
        if is_deep && rows > corner.height {
            return Err(self.wrong(format!(
                "{side}: {height} rows from row {} on end at {rows}, but a slice has {} (`{side}_height`)",
                corner.y, corner.height
            )));
        }
        // What is not used must not be in the driver's way.
        let corner = Corner { height: corner.height.max(rows), ..corner };
        match corner.end(width, height, depth) {
            Some(end) if end <= bytes => Ok(corner),
            end => {
                let end = end.map_or("more than can be counted".to_owned(), |end| end.to_string());
                Err(self.wrong(format!(
                    "{side}: the copy ends at byte {end}, and the memory at byte {bytes}; copy a smaller box"
                )))
            }
        }
    }

    /// Where a box lies in an array.
    fn in_array(&self, side: &str, corner: Corner, image: &dyn Image) -> Result<Corner> {
        let (layout, element) = (image.layout(), image.layout().element());
        let [width, height, depth] = layout.lengths;
        if !corner.x_in_bytes.is_multiple_of(element) || !self.width_in_bytes.is_multiple_of(element) {
            return Err(self.wrong(format!(
                "{side}: {} bytes from byte {} on are not a whole number of elements of {element} bytes",
                self.width_in_bytes, corner.x_in_bytes
            )));
        }
        let asked = [
            ("bytes", corner.x_in_bytes, self.width_in_bytes, width * element),
            ("rows", corner.y, self.height, height),
            ("slices", corner.z, self.depth, depth),
        ];
        for (what, at, count, most) in asked {
            if at.checked_add(count).is_none_or(|end| end > most) {
                return Err(
                    self.wrong(format!("{side}: {count} {what} from {at} on exceed the array, which has {most} {what}; copy fewer"))
                );
            }
        }
        Ok(Corner { pitch: 0, height: 0, ..corner })
    }

    fn is_flat_on(side: &Side<'_>) -> bool {
        if let Side::Image(image) = side { image.layout().axes == Axes::Two } else { true }
    }
}

fn within(memory: &DeviceAllocation) -> Side<'static> {
    let (buffer, offset) = (Arc::clone(memory.buffer()), memory.offset_in_buffer());
    Side::Buffer { buffer, offset, bytes: memory.len() }
}

/// Checks a copy and does it, on a stream or at once.
pub(super) fn execute(
    request: &Request,
    source: &Source<'_>,
    target: &mut Target<'_>,
    stream: Option<&Stream>,
) -> Result<()> {
    let missing = |side: &str| {
        request.wrong(format!(
            "there is no {side}; call `set_{side}_host`, `_device`, `_array` or `_pagelocked`"
        ))
    };
    let is_lent = matches!(source, Source::Host(_)) || matches!(target, Target::Host(_));
    if stream.is_some() && is_lent {
        let message = "host data must be page-locked, so that it stays where it is: `PageLocked` and \
                       `set_src_pagelocked`, `set_dst_pagelocked`";
        return Err(request.wrong(message.to_owned()));
    }
    let from = match source {
        Source::Missing => return Err(missing("src")),
        Source::Host(data) => Side::Host(data.as_ref().map_err(Clone::clone)?),
        Source::Memory(memory) => within(memory),
        Source::Array(array) => Side::Image(Arc::clone(array.image())),
    };
    match target {
        Target::Missing => Err(missing("dst")),
        Target::Memory(memory) => {
            memory.buffer().before_write()?;
            run(request, from, within(memory), stream)
        }
        Target::Array(array) => run(request, from, Side::Image(Arc::clone(array.image())), stream),
        Target::Host(data) => {
            // What is not copied over stays as it is.
            let mut bytes = data.data()?.bytes.into_owned();
            run(request, from, Side::HostMut(&mut bytes), stream)?;
            data.receive(&|to| {
                to.copy_from_slice(&bytes);
                Ok(())
            })
        }
    }
}

fn run(request: &Request, from: Side<'_>, to: Side<'_>, stream: Option<&Stream>) -> Result<()> {
    if request.is_empty() {
        return Ok(());
    }
    let corner = |name: &str, side: &Side<'_>, corner: Corner| match (side, side.bytes()) {
        (Side::Image(image), _) => request.in_array(name, corner, &**image),
        (_, bytes) => request.linear(name, corner, bytes.unwrap_or(0)),
    };
    let from_corner = corner("src", &from, request.from)?;
    let to_corner = corner("dst", &to, request.to)?;
    let context = context(request.operation, &from, &to)?;
    let is_flat = request.is_flat && Request::is_flat_on(&from) && Request::is_flat_on(&to);
    let mut task = RectangleCopy {
        from,
        from_corner,
        to,
        to_corner,
        width_in_bytes: request.width_in_bytes,
        height: request.height,
        depth: request.depth,
        is_flat,
        is_unaligned: is_flat && !request.is_aligned,
    };
    match stream {
        None => context.copy_rectangle(&mut task),
        Some(stream) => {
            stream.context().check_same(request.operation, context)?;
            stream.scope(|| context.copy_rectangle(&mut task))?
        }
    }
}

/// Where the copy is done: the context of what lies on a device.
fn context(operation: &str, from: &Side<'_>, to: &Side<'_>) -> Result<Context> {
    let is_bound = |side: &&Side<'_>| match side {
        Side::Buffer { buffer, .. } => !buffer.is_host(),
        Side::Image(_) => true,
        _ => false,
    };
    let mut bound = [from, to].into_iter().filter(is_bound).filter_map(Side::context);
    match (bound.next(), bound.next()) {
        (Some(one), Some(other)) => one.check_same(operation, other).map(|()| one),
        (Some(one), None) => Ok(one),
        _ => match from.context().or_else(|| to.context()) {
            Some(context) => Ok(context),
            None => device::current(),
        },
    }
}

/// The methods that set the sides of a copy.
macro_rules! sides {
    ($name:ident) => {
        impl<'a> $name<'a> {
            /// Copies from data of the host.
            pub fn set_src_host<A: crate::memory::HostData + ?Sized>(&mut self, data: &'a A) {
                self.source = Source::Host(data.data().map(|data| data.bytes));
            }

            /// Copies from page-locked memory.
            pub fn set_src_pagelocked<T: HostElem>(&mut self, data: &'a PageLocked<T>) {
                self.source = Source::Memory(data.allocation());
            }

            /// Copies from memory of the device.
            pub fn set_src_device(&mut self, memory: &DeviceAllocation) {
                self.source = Source::Memory(memory.clone());
            }

            /// Copies from an array for textures.
            pub fn set_src_array(&mut self, array: &CudaArray) {
                self.source = Source::Array(array.clone());
            }

            /// Copies to data of the host.
            pub fn set_dst_host<A: crate::memory::HostDataMut + ?Sized>(&mut self, data: &'a mut A) {
                self.target = Target::Host(Box::new(crate::memory::Lent(data)));
            }

            /// Copies to page-locked memory.
            pub fn set_dst_pagelocked<T: HostElem>(&mut self, data: &'a mut PageLocked<T>) {
                self.target = Target::Memory(data.allocation_mut());
            }

            /// Copies to memory of the device.
            pub fn set_dst_device(&mut self, memory: &DeviceAllocation) {
                self.target = Target::Memory(memory.clone());
            }

            /// Copies to an array for textures.
            pub fn set_dst_array(&mut self, array: &CudaArray) {
                self.target = Target::Array(array.clone());
            }

            /// Copies, and returns when it is done where a side is the host's.
            ///
            /// # Errors
            ///
            /// If a side is missing, the copy goes beyond one, both lie in
            /// different contexts, or the device reports an error.
            pub fn execute(&mut self) -> Result<()> {
                let request = self.request();
                execute(&request, &self.source, &mut self.target, None)
            }

            /// Copies on a stream. Data of the host must be page-locked; what
            /// looks at it waits for the copy.
            ///
            /// # Errors
            ///
            /// As `execute`, or if a side is other data of the host.
            pub fn execute_async(&mut self, stream: &Stream) -> Result<()> {
                let request = self.request();
                execute(&request, &self.source, &mut self.target, Some(stream))
            }
        }
    };
}
pub(super) use sides;
