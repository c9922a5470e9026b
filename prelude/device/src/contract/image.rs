//! Images: memory that textures and surfaces read and write, CUDA's arrays.
//!
//! The names are the driver's where it has some; "image" stands for its
//! "array", which is a `GpuArray` everywhere else.

use std::sync::Arc;

use gpurepl_kernels::DType;

use crate::error::Result;
use crate::{Buffer, Context};

/// The numbers that an image or a texture holds.
///
/// The order is the one of `gpurepl_image::format` in the host's shim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[allow(missing_docs)] // The names say all there is to say.
pub enum ArrayFormat {
    SignedInt8,
    UnsignedInt8,
    SignedInt16,
    UnsignedInt16,
    SignedInt32,
    UnsignedInt32,
    Half,
    Float,
}

impl ArrayFormat {
    /// How elements of this type are stored: the format, and how many numbers
    /// of it an element has. None for those that an image cannot hold.
    ///
    /// Doubles are two integers, as with PyCUDA; `fp_tex2D` and its like of
    /// `pycuda-helpers.hpp` put them together again.
    pub fn of(dtype: DType) -> Option<(ArrayFormat, u32)> {
        use ArrayFormat::*;
        Some(match dtype {
            DType::Int8 => (SignedInt8, 1),
            DType::Bool | DType::UInt8 => (UnsignedInt8, 1),
            DType::Int16 => (SignedInt16, 1),
            DType::UInt16 => (UnsignedInt16, 1),
            DType::Int32 => (SignedInt32, 1),
            DType::UInt32 => (UnsignedInt32, 1),
            DType::Float16 => (Half, 1),
            DType::Float32 => (Float, 1),
            DType::Float64 => (SignedInt32, 2),
            DType::Complex64 => (Float, 2),
            DType::Complex128 => (SignedInt32, 4),
            DType::Int64 | DType::UInt64 => return None,
        })
    }

    /// The size of one number in bytes.
    pub fn size(self) -> usize {
        use ArrayFormat::*;
        match self {
            SignedInt8 | UnsignedInt8 => 1,
            SignedInt16 | UnsignedInt16 | Half => 2,
            SignedInt32 | UnsignedInt32 | Float => 4,
        }
    }

    /// Whether the numbers are floats.
    pub fn is_float(self) -> bool {
        matches!(self, ArrayFormat::Half | ArrayFormat::Float)
    }

    /// NumPy's name of the numbers.
    pub fn numpy(self) -> &'static str {
        use ArrayFormat::*;
        match self {
            SignedInt8 => "int8",
            UnsignedInt8 => "uint8",
            SignedInt16 => "int16",
            UnsignedInt16 => "uint16",
            SignedInt32 => "int32",
            UnsignedInt32 => "uint32",
            Half => "float16",
            Float => "float32",
        }
    }
}

/// What lies outside of an image along one axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum AddressMode {
    /// The image again. Only with normalized coordinates; else as `Clamp`.
    Wrap = 0,
    /// The element at the edge.
    #[default]
    Clamp = 1,
    /// The image mirrored. Only with normalized coordinates; else as `Clamp`.
    Mirror = 2,
    /// The border's colour, zeros unless it is set.
    Border = 3,
}

/// How a texture answers for places between elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum FilterMode {
    /// The element that the place lies in.
    #[default]
    Point = 0,
    /// Between the elements around it, with weights of 8 bits of fraction.
    Linear = 1,
}

/// What a fetch makes of integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ReadMode {
    /// The numbers as they are.
    #[default]
    ElementType = 0,
    /// Floats from 0 to 1, or from -1 to 1: of the largest number.
    NormalizedFloat = 1,
}

/// The axes of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Axes {
    One,
    Two,
    Three,
    /// Layers of one axis, of two.
    OneLayered,
    TwoLayered,
}

impl Axes {
    /// How many coordinates a texture over it has, besides the layer.
    pub(crate) fn coordinates(self) -> usize {
        match self {
            Axes::One | Axes::OneLayered => 1,
            Axes::Two | Axes::TwoLayered => 2,
            Axes::Three => 3,
        }
    }
}

/// An image's size and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Layout {
    pub axes: Axes,
    /// At least one; the last is the number of layers where there are layers.
    pub lengths: [usize; 3],
    pub format: ArrayFormat,
    pub channels: u32,
    /// Whether surfaces can be bound to it.
    pub surfaces: bool,
}

impl Layout {
    /// The size of an element in bytes.
    pub fn element(&self) -> usize {
        self.format.size() * self.channels as usize
    }

    /// Its size in bytes, elements beside each other.
    pub fn bytes(&self) -> usize {
        self.lengths.iter().product::<usize>() * self.element()
    }
}

/// How a texture reads.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(hidden)]
pub struct Sampling {
    pub address: [AddressMode; 3],
    pub filter: FilterMode,
    pub read: ReadMode,
    pub normalized_coordinates: bool,
    pub border: [f32; 4],
}

impl Sampling {
    /// The address modes as they work: some need normalized coordinates.
    ///
    /// An axis that is not there has the mode that does nothing: a GPU reads
    /// one axis as two, the second of which lies at the border.
    pub(crate) fn resolved_address(&self, axes: usize) -> [AddressMode; 3] {
        let mut modes = self.address;
        modes[axes.min(3)..].fill(AddressMode::Clamp);
        modes.map(|mode| match mode {
            AddressMode::Wrap | AddressMode::Mirror if !self.normalized_coordinates => AddressMode::Clamp,
            mode => mode,
        })
    }
}

/// An image in the device's memory.
#[doc(hidden)]
pub trait Image: Send + Sync {
    /// Writes all of it; there are as many bytes as it has.
    fn upload(&self, from: &[u8]) -> Result<()>;

    /// Reads all of it; there is room for as many bytes as it has.
    fn download(&self, to: &mut [u8]) -> Result<()>;

    /// Writes all of it from a buffer that has as many bytes from an offset on.
    fn copy_from(&self, from: &Buffer, offset: usize) -> Result<()>;

    /// A texture over it. Whoever holds the texture holds the image.
    fn texture(&self, sampling: &Sampling) -> Result<Box<dyn Object>>;

    /// A surface over it. Whoever holds the surface holds the image.
    fn surface(&self) -> Result<Box<dyn Object>>;

    /// To be called before a kernel is launched on the current stream that may
    /// read it, or write it.
    fn enter(&self, writes: bool) -> Result<()>;

    /// What must be locked while a kernel runs that may use it.
    fn buffer(&self) -> Option<&Arc<Buffer>>;

    fn context(&self) -> Context;

    fn layout(&self) -> &Layout;

    /// The driver's handle (`CUarray`); zero on the host.
    fn handle(&self) -> u64;
}

/// Elements in a buffer that a texture reads.
#[doc(hidden)]
pub struct Linear<'a> {
    pub buffer: &'a Buffer,
    /// In bytes.
    pub offset: usize,
    /// How many elements; they lie within the buffer.
    pub length: usize,
    pub format: ArrayFormat,
    pub channels: u32,
}

impl Linear<'_> {
    pub(crate) fn bytes(&self) -> usize {
        self.length * self.format.size() * self.channels as usize
    }

    /// # Panics
    ///
    /// If elements lie outside of the buffer: a mistake in this crate.
    pub(crate) fn check(&self) {
        let end = self.offset.checked_add(self.bytes());
        assert!(end.is_some_and(|end| end <= self.buffer.bytes()), "internal error: outside of a buffer");
    }
}

/// A texture or surface object: valid until it is dropped, which waits for
/// kernels that may use it.
pub trait Object: Send + Sync {
    /// What a kernel knows it by.
    fn handle(&self) -> u64;
}
