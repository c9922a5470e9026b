//! Copies of rectangles.

use super::allocation::DeviceAllocation;
use super::cuda_array::CudaArray;
use super::host_array::HostElem;
use super::pagelocked::PageLocked;
use super::rectangle::{Request, Source, Target, execute, sides};
use crate::device::{Corner, Stream};
use crate::error::Result;

/// A copy of a rectangle between the host, the device and arrays for
/// textures: PyCUDA's `Memcpy2D`.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = ndarray::Array2::<f32>::from_shape_fn((3, 4), |(i, j)| (10 * i + j) as f32);
/// let (a_gpu, pitch) = mem_alloc_pitch(16, 3, 4)?;
/// let mut copy = Memcpy2D::new();
/// copy.set_src_host(&a);
/// copy.set_dst_device(&a_gpu);
/// copy.width_in_bytes = 16;
/// copy.src_pitch = 16;
/// copy.dst_pitch = pitch;
/// copy.height = 3;
/// copy.execute()?;
/// // The lower right corner of it:
/// let mut corner = [[0.0f32; 2]; 2];
/// let mut copy = Memcpy2D::new();
/// copy.set_src_device(&a_gpu);
/// (copy.src_x_in_bytes, copy.src_y, copy.src_pitch) = (8, 1, pitch);
/// copy.set_dst_host(&mut corner);
/// (copy.width_in_bytes, copy.height) = (8, 2);
/// copy.execute()?;
/// drop(copy);
/// assert_eq!(corner, [[12.0, 13.0], [22.0, 23.0]]);
/// # Ok::<(), Error>(())
/// ```
///
/// Both sides of a copy within one allocation must not overlap.
#[derive(Default)]
pub struct Memcpy2D<'a> {
    source: Source<'a>,
    target: Target<'a>,
    /// Bytes of a row before the rectangle, in the source.
    pub src_x_in_bytes: usize,
    /// Rows before the rectangle, in the source.
    pub src_y: usize,
    /// Bytes from one row of the source to the next; 0 for rows that end with
    /// the rectangle. Nothing to arrays.
    pub src_pitch: usize,
    /// As `src_x_in_bytes`, in the target.
    pub dst_x_in_bytes: usize,
    /// As `src_y`, in the target.
    pub dst_y: usize,
    /// As `src_pitch`, in the target.
    pub dst_pitch: usize,
    /// Bytes of a row of the rectangle.
    pub width_in_bytes: usize,
    /// Rows of the rectangle.
    pub height: usize,
    /// Whether pitches are unusual: PyCUDA's `aligned=False`. Between two
    /// places of a GPU its driver refuses pitches that it did not choose
    /// without this; the copy is then done when the call returns.
    pub unaligned: bool,
}

impl Memcpy2D<'_> {
    /// A copy without sides, of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    fn request(&self) -> Request {
        let corner = |x_in_bytes, y, pitch| Corner { x_in_bytes, y, z: 0, pitch, height: 0 };
        Request {
            operation: "Memcpy2D",
            from: corner(self.src_x_in_bytes, self.src_y, self.src_pitch),
            to: corner(self.dst_x_in_bytes, self.dst_y, self.dst_pitch),
            width_in_bytes: self.width_in_bytes,
            height: self.height,
            depth: 1,
            is_flat: true,
            is_aligned: !self.unaligned,
        }
    }
}

sides!(Memcpy2D);
