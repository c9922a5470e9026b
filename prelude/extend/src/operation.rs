//! Work on arrays in the order of the streams.

use std::sync::Arc;

use bytemuck::Pod;
use gpurepl_arrays::array::{Elem, Place};
use gpurepl_device::operations::{HostSpan, LibraryOperation, LibraryWork, Span};
use gpurepl_device::{self as device, Context, Gpu};
use gpurepl_ground::Result;

use crate::array::{AnyArray, Extent};
use crate::error;

/// Something that a library computes with arrays, on both devices.
///
/// It holds what it needs besides its arrays: a graph that records it does it
/// again with each launch.
pub trait Operation: Send + Sync + 'static {
    /// What messages call it: "fft".
    fn name(&self) -> &'static str;

    /// Does it on the host, with an item for each argument. Other work waits
    /// for these arrays meanwhile, so nothing here may use them in another way.
    ///
    /// # Errors
    ///
    /// The operation's own.
    fn on_host(&self, arguments: &mut [Elements<'_>]) -> Result<()>;

    /// Asks a GPU to do it, on its current stream ([`Gpu::stream`]), and does
    /// not wait for it. The stream waits for whatever writes or reads the
    /// arguments; what uses them later waits for this.
    ///
    /// # Errors
    ///
    /// The operation's own.
    fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()>;
}

/// An array that an operation uses.
pub struct Argument {
    array: AnyArray,
    writes: bool,
}

impl Argument {
    /// An array to read; its elements need not be contiguous.
    pub fn read(array: &AnyArray) -> Argument {
        Argument { array: array.clone(), writes: false }
    }

    /// An array to write, contiguous: one from [`AnyArray::empty`], or one
    /// that the user has lent by `&mut`.
    pub fn write(array: &mut AnyArray) -> Argument {
        Argument { array: array.clone(), writes: true }
    }
}

/// An argument's elements on the host.
pub struct Elements<'a> {
    bytes: HostSpan<'a>,
    extent: &'a Extent,
    first: usize,
}

impl Elements<'_> {
    /// Shape, steps and type.
    pub fn extent(&self) -> &Extent {
        self.extent
    }

    /// The first element's index in the slices; not zero if a step is negative.
    pub fn first(&self) -> usize {
        self.first
    }

    /// The memory from the lowest to the highest element: of a contiguous
    /// array, its elements.
    ///
    /// # Errors
    ///
    /// If the elements have another type.
    pub fn slice<T: Elem + Pod>(&self) -> Result<&[T]> {
        check_type(self.extent, T::DTYPE)?;
        let bytes = self.bytes();
        // No elements lie nowhere, aligned for nothing.
        Ok(if bytes.is_empty() { &[] } else { bytemuck::cast_slice(bytes) })
    }

    /// The elements, to write.
    ///
    /// # Errors
    ///
    /// If the elements have another type, or the argument is one to read.
    pub fn slice_mut<T: Elem + Pod>(&mut self) -> Result<&mut [T]> {
        check_type(self.extent, T::DTYPE)?;
        let bytes = self.bytes_mut()?;
        Ok(if bytes.is_empty() { &mut [] } else { bytemuck::cast_slice_mut(bytes) })
    }

    /// The bytes of [`Elements::slice`]; of `bool`, whose bytes are 0 and 1.
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            HostSpan::Read(bytes) => bytes,
            HostSpan::Write(bytes) => bytes,
        }
    }

    /// The bytes of [`Elements::slice_mut`].
    ///
    /// # Errors
    ///
    /// If the argument is one to read.
    pub fn bytes_mut(&mut self) -> Result<&mut [u8]> {
        match &mut self.bytes {
            HostSpan::Write(bytes) => Ok(bytes),
            HostSpan::Read(_) => {
                let message = "the argument is to be read; pass it by `Argument::write`".to_owned();
                Err(error::invalid("slice_mut", message))
            }
        }
    }
}

fn check_type(extent: &Extent, wanted: gpurepl_kernels::DType) -> Result<()> {
    if extent.dtype == wanted {
        return Ok(());
    }
    let message = format!("the elements are {}, not {wanted}; ask for {}", extent.dtype, extent.dtype.rust());
    Err(error::dtype("slice", message))
}

/// Does an operation, or asks the GPU to do it.
///
/// Expressions among the arguments are evaluated, and so are expressions that
/// still have to read what is written here. Streams and graphs see it as they
/// see a kernel.
///
/// # Errors
///
/// If arguments lie in two contexts, one that is written is not contiguous or
/// overlaps another one, or as the operation says.
pub fn perform(operation: Arc<dyn Operation>, arguments: &[Argument]) -> Result<()> {
    let name = operation.name();
    let (mut places, mut extents) = (Vec::new(), Vec::new());
    for argument in arguments {
        let place = argument.array.place()?;
        if argument.writes && !argument.array.is_contiguous_at(&place) {
            let message =
                "the array to write is not contiguous; write a new one, from `AnyArray::empty`".to_owned();
            return Err(error::invalid(name, message));
        }
        extents.push(argument.array.extent_of(&place));
        places.push(place);
    }
    let context = common_context(name, &extents)?;
    let reaches: Vec<Reach> = extents.iter().map(Reach::of).collect();
    let spans = arguments.iter().zip(&places).zip(&reaches).zip(&extents);
    let spans = spans.map(|(((argument, place), reach), extent)| reach.span(place, extent, argument.writes));
    let firsts = reaches.iter().map(|reach| reach.below).collect();
    let spans = spans.collect();
    let operation = LibraryOperation::new(Arc::new(Work { operation, extents, firsts }), spans)?;
    for (argument, place) in arguments.iter().zip(&places) {
        if argument.writes {
            place.buffer.before_write()?;
        }
    }
    context.backend().perform(&operation)
}

fn common_context(operation: &'static str, extents: &[Extent]) -> Result<Context> {
    let Some(first) = extents.first() else { return device::current() };
    extents.iter().try_for_each(|extent| first.context.check_same(operation, extent.context))?;
    Ok(first.context)
}

/// How far an array's elements lie around the first one.
struct Reach {
    below: usize,
    above: usize,
    is_empty: bool,
}

impl Reach {
    fn of(extent: &Extent) -> Reach {
        let mut reach = Reach { below: 0, above: 0, is_empty: extent.shape.contains(&0) };
        for (length, stride) in extent.shape.iter().zip(&extent.strides) {
            let distance = length.saturating_sub(1) * stride.unsigned_abs();
            if *stride < 0 { reach.below += distance } else { reach.above += distance }
        }
        if reach.is_empty {
            (reach.below, reach.above) = (0, 0);
        }
        reach
    }

    fn span(&self, place: &Place, extent: &Extent, writes: bool) -> Span {
        let size = extent.dtype.size();
        let count = if self.is_empty { 0 } else { self.below + self.above + 1 };
        let start = place.offset.saturating_sub(self.below) * size;
        let start = if self.is_empty { 0 } else { start };
        Span { buffer: Arc::clone(&place.buffer), start, bytes: count * size, writes }
    }
}

/// An operation with its arguments.
struct Work {
    operation: Arc<dyn Operation>,
    extents: Vec<Extent>,
    firsts: Vec<usize>,
}

impl LibraryWork for Work {
    fn name(&self) -> &'static str {
        self.operation.name()
    }

    fn on_host(&self, memory: &mut [HostSpan<'_>]) -> Result<()> {
        let mut arguments: Vec<Elements<'_>> = memory
            .iter_mut()
            .zip(&self.extents)
            .zip(&self.firsts)
            .map(|((span, extent), first)| {
                let bytes = match span {
                    HostSpan::Read(bytes) => HostSpan::Read(bytes),
                    HostSpan::Write(bytes) => HostSpan::Write(bytes),
                };
                Elements { bytes, extent, first: *first }
            })
            .collect();
        self.operation.on_host(&mut arguments)
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        self.operation.on_gpu(gpu, &self.extents)
    }
}
