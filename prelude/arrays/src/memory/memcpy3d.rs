//! Copies of boxes.

use super::allocation::DeviceAllocation;
use super::cuda_array::CudaArray;
use super::host_array::HostElem;
use super::pagelocked::PageLocked;
use super::rectangle::{Request, Source, Target, execute, sides};
use crate::device::{Corner, Stream};
use crate::error::Result;

/// A copy of a box between the host, the device and arrays for textures:
/// PyCUDA's `Memcpy3D`.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = ndarray::Array3::<f32>::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as f32);
/// let a_gpu = mem_alloc(4 * a.len())?;
/// let mut copy = Memcpy3D::new();
/// copy.set_src_host(&a);
/// copy.set_dst_device(&a_gpu);
/// (copy.width_in_bytes, copy.height, copy.depth) = (16, 3, 2);
/// copy.execute()?;
/// assert_eq!(from_device::<f32>(&a_gpu, (2, 3, 4))?, a.view().into_dyn());
/// # Ok::<(), Error>(())
/// ```
///
/// Both sides of a copy within one allocation must not overlap.
#[derive(Default)]
pub struct Memcpy3D<'a> {
    source: Source<'a>,
    target: Target<'a>,
    /// Bytes of a row before the box, in the source.
    pub src_x_in_bytes: usize,
    /// Rows before the box, in the source.
    pub src_y: usize,
    /// Slices before the box, in the source.
    pub src_z: usize,
    /// Bytes from one row of the source to the next; 0 for rows that end with
    /// the box. Nothing to arrays.
    pub src_pitch: usize,
    /// Rows from one slice of the source to the next; 0 for slices that end
    /// with the box. Nothing to arrays.
    pub src_height: usize,
    /// As `src_x_in_bytes`, in the target.
    pub dst_x_in_bytes: usize,
    /// As `src_y`, in the target.
    pub dst_y: usize,
    /// As `src_z`, in the target.
    pub dst_z: usize,
    /// As `src_pitch`, in the target.
    pub dst_pitch: usize,
    /// As `src_height`, in the target.
    pub dst_height: usize,
    /// Bytes of a row of the box.
    pub width_in_bytes: usize,
    /// Rows of a slice of the box.
    pub height: usize,
    /// Slices of the box.
    pub depth: usize,
}

impl Memcpy3D<'_> {
    /// A copy without sides, of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    fn request(&self) -> Request {
        Request {
            operation: "Memcpy3D",
            from: Corner {
                x_in_bytes: self.src_x_in_bytes,
                y: self.src_y,
                z: self.src_z,
                pitch: self.src_pitch,
                height: self.src_height,
            },
            to: Corner {
                x_in_bytes: self.dst_x_in_bytes,
                y: self.dst_y,
                z: self.dst_z,
                pitch: self.dst_pitch,
                height: self.dst_height,
            },
            width_in_bytes: self.width_in_bytes,
            height: self.height,
            depth: self.depth,
            is_flat: false,
            is_aligned: true,
        }
    }
}

sides!(Memcpy3D);
