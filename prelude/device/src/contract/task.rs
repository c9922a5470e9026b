//! What a device is asked to do with buffers.

use std::ffi::c_void;
use std::sync::Arc;

use gpurepl_kernels::{DType, View};
use smallvec::SmallVec;

use crate::Buffer;
use crate::scalar::ScalarBytes;
use crate::shape::{Shape, Strides};

/// An array's place: a buffer, where it starts and its steps, in elements.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct Strided<'a> {
    pub buffer: &'a Buffer,
    pub offset: usize,
    pub strides: Strides,
}

impl Strided<'_> {
    /// Makes sure that no element lies outside of the buffer. Backends rely
    /// on this before they touch memory.
    ///
    /// # Panics
    ///
    /// If one does: a mistake in this crate, which must not become a wild
    /// read or write.
    pub(crate) fn check(&self, shape: Shape, dtype: DType) {
        if shape.size() == 0 {
            return;
        }
        let (mut low, mut high) = (self.offset as i128, self.offset as i128);
        for (length, stride) in shape.lengths().iter().zip(self.strides) {
            let reach = (*length as i128 - 1) * stride as i128;
            if reach < 0 {
                low += reach;
            } else {
                high += reach;
            }
        }
        let count = (self.buffer.bytes() / dtype.size()) as i128;
        assert!(low >= 0 && high < count, "internal error: elements {low}..={high} of a buffer of {count}");
    }

    /// How a program walks this array.
    pub fn view(&self, shape: Shape) -> View {
        let steps = shape.strides();
        let walked = (0..shape.rank()).filter(|&axis| shape.lengths()[axis] > 1);
        if walked.clone().all(|axis| self.strides[axis] == steps[axis]) {
            View::Contiguous
        } else if walked.clone().all(|axis| self.strides[axis] == 0) {
            View::Single
        } else {
            View::Strided
        }
    }

    pub(crate) fn address(&self, dtype: DType) -> u64 {
        self.buffer.address() + (self.offset * dtype.size()) as u64
    }
}

/// A launch of a user's kernel whose limits have been checked.
#[doc(hidden)]
pub struct Launch<'a> {
    pub kernel: &'a str,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared_memory: u32,
    pub arguments: &'a [ScalarBytes],
    /// Those arguments that are larger: structures by value. What stands in
    /// their place above is not used.
    pub structures: &'a [Structure],
    /// The buffers whose addresses are among the arguments, and whether the
    /// kernel may write them.
    pub buffers: &'a [(&'a Buffer, bool)],
}

/// A structure that is passed by value.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Structure {
    /// Which argument it is.
    pub number: usize,
    /// Its bytes, aligned for anything that a structure may hold.
    pub(crate) bytes: Arc<[u128]>,
    pub size: usize,
}

impl Structure {
    /// A value as C has it, of so many bytes, which `write` fills in; what is
    /// between its fields is zero.
    pub fn new(size: usize, write: &dyn Fn(&mut [u8])) -> Structure {
        let mut bytes = vec![0_u128; size.div_ceil(16)];
        write(&mut bytemuck::cast_slice_mut(&mut bytes)[..size]);
        Structure { number: 0, bytes: bytes.into(), size }
    }
}

/// Where each value lies; structures are in the places that they are for.
pub(crate) fn pointers(values: &[ScalarBytes], structures: &[Structure]) -> SmallVec<[*mut c_void; 24]> {
    let mut pointers: SmallVec<_> =
        values.iter().map(|value| value.bytes().as_ptr() as *mut c_void).collect();
    for structure in structures {
        pointers[structure.number] = structure.bytes.as_ptr() as *mut c_void;
    }
    pointers
}

impl Launch<'_> {
    /// Where each argument lies: what launches take.
    pub(crate) fn pointers(&self) -> SmallVec<[*mut c_void; 24]> {
        pointers(self.arguments, self.structures)
    }

    /// The size of an argument in bytes.
    pub(crate) fn size_of(&self, number: usize) -> usize {
        let large = self.structures.iter().find(|structure| structure.number == number);
        large.map_or_else(|| self.arguments[number].bytes().len(), |structure| structure.size)
    }
}
