//! What a texture or surface stands for.

use std::sync::Arc;

use crate::array::Raw;
use crate::device::image::{ArrayFormat, FilterMode, Linear, Object, ReadMode, Sampling};
use crate::device::{self, Buffer};
use crate::error::{Problem, Result};
use crate::memory::CudaArray;

/// A texture on a GPU starts at a multiple of so many bytes.
const ALIGNMENT: usize = 512;

/// Elements for a texture or surface, held alive.
#[derive(Clone)]
pub(super) enum Binding {
    Array(CudaArray),
    /// Elements in a buffer, beside each other.
    Linear {
        buffer: Arc<Buffer>,
        /// In bytes.
        offset: usize,
        length: usize,
        format: ArrayFormat,
        channels: u32,
    },
}

impl Binding {
    /// Elements in a buffer.
    ///
    /// # Errors
    ///
    /// If they do not start where a GPU's textures can, or there are none.
    pub(super) fn linear(
        operation: &'static str,
        (buffer, offset): (Arc<Buffer>, usize),
        bytes: usize,
        format: ArrayFormat,
        channels: u32,
    ) -> Result<Binding> {
        let element = format.size() * channels as usize;
        if bytes == 0 || !bytes.is_multiple_of(element) {
            let message = format!(
                "{bytes} bytes are not a whole number of elements of {element} bytes; give a multiple"
            );
            return Err(Problem::Invalid { operation, message }.into());
        }
        if !offset.is_multiple_of(ALIGNMENT) {
            let message = format!(
                "the view starts {offset} bytes into its memory, and a texture must start at a multiple of {ALIGNMENT}; \
                 `.copy()` gives it memory of its own"
            );
            return Err(Problem::Invalid { operation, message }.into());
        }
        Ok(Binding::Linear { buffer, offset, length: bytes / element, format, channels })
    }

    pub(super) fn format(&self) -> ArrayFormat {
        match self {
            Binding::Array(array) => array.layout().format,
            Binding::Linear { format, .. } => *format,
        }
    }
}

/// A texture or surface with what it stands for. It is dropped before that.
pub(in crate::kernel) struct Bound {
    object: Box<dyn Object>,
    binding: Binding,
    is_surface: bool,
}

impl Bound {
    /// A texture that reads as `sampling` says.
    ///
    /// # Errors
    ///
    /// If such elements cannot be read so.
    pub(super) fn texture(
        operation: &'static str,
        binding: Binding,
        mut sampling: Sampling,
    ) -> Result<Arc<Bound>> {
        if matches!(binding, Binding::Linear { .. }) {
            // `tex1Dfetch` has nothing to filter, and a GPU refuses to try.
            (sampling.filter, sampling.normalized_coordinates) = (FilterMode::Point, false);
        }
        let format = binding.format();
        let wrong = |message: String| Err(Problem::Invalid { operation, message }.into());
        if format.is_float() {
            sampling.read = ReadMode::ElementType;
        } else if sampling.read == ReadMode::NormalizedFloat && format.size() > 2 {
            let message = format!(
                "elements of {} cannot be read as normalized floats; those of 8 and 16 bits can",
                format.numpy()
            );
            return wrong(message);
        } else if sampling.read == ReadMode::ElementType && sampling.filter == FilterMode::Linear {
            let message = format!(
                "elements of {} cannot be filtered; read them as floats (cudaReadModeNormalizedFloat)",
                format.numpy()
            );
            return wrong(message);
        }
        let object = match &binding {
            Binding::Array(array) => array.image().texture(&sampling)?,
            Binding::Linear { buffer, offset, length, format, channels } => {
                let from =
                    Linear { buffer, offset: *offset, length: *length, format: *format, channels: *channels };
                buffer.context().backend().linear_texture(&from, &sampling)?
            }
        };
        Ok(Arc::new(Bound { object, binding, is_surface: false }))
    }

    /// A surface over an array.
    ///
    /// # Errors
    ///
    /// If the array is not for surfaces.
    pub(super) fn surface(operation: &'static str, array: &CudaArray) -> Result<Arc<Bound>> {
        check_surfaces(operation, array)?;
        let object = array.image().surface()?;
        Ok(Arc::new(Bound { object, binding: Binding::Array(array.clone()), is_surface: true }))
    }

    /// To be called before a launch on the current stream.
    pub(in crate::kernel) fn enter(self: &Arc<Self>) -> Result<()> {
        device::keep_for_capture(self);
        match &self.binding {
            Binding::Array(array) => array.image().enter(self.is_surface),
            // The buffer is among those of the launch.
            Binding::Linear { .. } => Ok(()),
        }
    }

    pub(in crate::kernel) fn handle(&self) -> u64 {
        self.object.handle()
    }

    /// Its type in CUDA C.
    pub(in crate::kernel) fn kind(&self) -> &'static str {
        if self.is_surface { "cudaSurfaceObject_t" } else { "cudaTextureObject_t" }
    }

    /// What must be locked while a kernel uses it.
    pub(in crate::kernel) fn buffer(&self) -> Option<&Arc<Buffer>> {
        match &self.binding {
            Binding::Array(array) => array.image().buffer(),
            Binding::Linear { buffer, .. } => Some(buffer),
        }
    }
}

/// # Errors
///
/// If the array is not for surfaces.
pub(super) fn check_surfaces(operation: &'static str, array: &CudaArray) -> Result<()> {
    if array.layout().surfaces {
        return Ok(());
    }
    let message = "surfaces cannot use this array; make it with ArrayFlags::SURFACE_LDST".to_owned();
    Err(Problem::Invalid { operation, message }.into())
}

/// Where an array's elements lie, in order.
pub(super) fn memory(operation: &'static str, raw: &Raw) -> Result<(Arc<Buffer>, usize)> {
    let place = raw.place()?;
    if place.strided().view(raw.shape()) != gpurepl_kernels::View::Contiguous {
        let message =
            "the elements of this view do not lie in order; `.copy()` puts them in order".to_owned();
        return Err(Problem::Invalid { operation, message }.into());
    }
    Ok((place.buffer, place.offset * raw.dtype().size()))
}
