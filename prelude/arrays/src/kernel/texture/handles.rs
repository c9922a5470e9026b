//! The references of a module in a user's hands, by PyCUDA's names.

use std::sync::Arc;

use super::binding::{Binding, check_surfaces, memory};
use super::reference::Reference;
use crate::array::Elem;
use crate::array::{GpuArray, Raw};
use crate::device::Buffer;
use crate::device::image::{AddressMode, ArrayFormat, FilterMode, ReadMode};
use crate::error::Result;
use crate::kernel::source_module::Inner;
use crate::memory::{ArrayData, CudaArray, DeviceAllocation, Order};

/// A texture that a source declares: `texture<float, 2> tex;`. Clones are the
/// same one. What is set here holds for every launch that comes after.
///
/// One that nothing is bound to reads zeros. A reference holds its module and
/// what it is bound to.
///
/// The source says what elements are and whether integers are read as floats
/// (`cudaReadModeNormalizedFloat`), so nothing is to be said about it here.
#[derive(Clone)]
pub struct TextureReference {
    module: Arc<Inner>,
    reference: Arc<Reference>,
}

impl TextureReference {
    pub(in crate::kernel) fn new(module: &Arc<Inner>, name: &str) -> Result<TextureReference> {
        let reference = Reference::find(module, name, false)?;
        Ok(TextureReference { module: Arc::clone(module), reference })
    }

    /// Binds an array, which stays as it is: `tex2D(tex, x, y)` reads it.
    ///
    /// # Errors
    ///
    /// If the source declares other axes or other elements.
    pub fn set_array(&self, array: &CudaArray) -> Result<()> {
        self.reference.check_array(array)?;
        self.bind(Binding::Array(array.clone()));
        Ok(())
    }

    /// Binds the first `bytes` of device memory: `tex1Dfetch(tex, i)` reads
    /// them.
    ///
    /// # Errors
    ///
    /// If the source declares other axes than one, the memory does not have so many
    /// bytes, or they are not a whole number of elements.
    pub fn set_address(&self, memory: &DeviceAllocation, bytes: usize) -> Result<()> {
        if bytes > memory.len() {
            let message = format!(
                "{bytes} bytes requested from an allocation of {}; bind no more than it has",
                memory.len()
            );
            return Err(self.reference.wrong(message));
        }
        let offset = (memory.address() - memory.buffer().address()) as usize;
        self.bind_linear((Arc::clone(memory.buffer()), offset), bytes, None)
    }

    /// What lies outside along an axis: 0 for x, 1 for y, 2 for z. It is
    /// [`AddressMode::Clamp`] if nothing is set.
    ///
    /// # Errors
    ///
    /// If there is no such axis.
    pub fn set_address_mode(&self, dim: usize, mode: AddressMode) -> Result<()> {
        if dim >= 3 {
            return Err(self.reference.wrong(format!("axis {dim} does not exist; give 0, 1 or 2")));
        }
        self.reference.change(|settings| settings.descriptor.address_mode[dim] = mode);
        Ok(())
    }

    /// Single elements, or between them.
    ///
    /// # Errors
    ///
    /// If the elements are integers that are read as such.
    pub fn set_filter_mode(&self, mode: FilterMode) -> Result<()> {
        let declared = &self.reference.declared;
        let is_integer = declared.element.is_some_and(|(format, _)| !format.is_float());
        if mode == FilterMode::Linear && is_integer && declared.read == ReadMode::ElementType {
            let message = "integers cannot be filtered; declare the texture with cudaReadModeNormalizedFloat"
                .to_owned();
            return Err(self.reference.wrong(message));
        }
        self.reference.change(|settings| settings.descriptor.filter_mode = mode);
        Ok(())
    }

    /// Whether coordinates run from 0 to 1 rather than in elements: PyCUDA's
    /// flag `TRSF_NORMALIZED_COORDINATES`.
    pub fn set_normalized_coordinates(&self, normalized: bool) {
        self.reference.change(|settings| settings.descriptor.normalized_coordinates = normalized);
    }

    /// What [`AddressMode::Border`] reads.
    pub fn set_border_color(&self, color: [f32; 4]) {
        self.reference.change(|settings| settings.descriptor.border_color = color);
    }

    /// Binds nothing: the next launch releases what was bound.
    pub fn unbind(&self) {
        self.reference.change(|settings| settings.binding = None);
    }

    fn bind(&self, binding: Binding) {
        self.reference.change(|settings| settings.binding = Some(binding));
    }

    /// Binds memory of numbers of this format, or of any.
    fn bind_linear(
        &self,
        memory: (Arc<Buffer>, usize),
        bytes: usize,
        format: Option<ArrayFormat>,
    ) -> Result<()> {
        let declared = &self.reference.declared;
        if declared.dimensions != 0x01 {
            let axes = declared.axes();
            let message = format!(
                "the source declares {axes}, and memory without a shape has one axis; bind an array: `bind_array_to_texref`"
            );
            return Err(self.reference.wrong(message));
        }
        let (as_declared, channels) = declared.element.unwrap_or((ArrayFormat::Float, 1));
        if let Some(format) = format {
            self.reference.check_element(format, channels)?;
        }
        // The type that reads decides, but for halves.
        let format = format.filter(|format| *format == ArrayFormat::Half).unwrap_or(as_declared);
        let binding = Binding::linear("texture reference", memory, bytes, format, channels)?;
        self.bind(binding);
        Ok(())
    }
}

impl std::fmt::Debug for TextureReference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.reference.name();
        write!(
            f,
            "TextureReference({name}: {}, on {})",
            self.reference.declared.axes(),
            self.module.context.device().id()
        )
    }
}

/// A surface that a source declares: `surface<void, 2> out;`. Clones are the
/// same one.
///
/// One that nothing is bound to reads zeros, and what is written to it is
/// lost.
#[derive(Clone)]
pub struct SurfaceReference {
    module: Arc<Inner>,
    reference: Arc<Reference>,
}

impl SurfaceReference {
    pub(in crate::kernel) fn new(module: &Arc<Inner>, name: &str) -> Result<SurfaceReference> {
        let reference = Reference::find(module, name, true)?;
        Ok(SurfaceReference { module: Arc::clone(module), reference })
    }

    /// Binds an array that was made with
    /// `ArrayFlags::SURFACE_LDST`.
    ///
    /// # Errors
    ///
    /// If it was not, or the source declares other axes.
    pub fn set_array(&self, array: &CudaArray) -> Result<()> {
        check_surfaces("surface reference", array)?;
        self.reference.check_array(array)?;
        self.reference.change(|settings| settings.binding = Some(Binding::Array(array.clone())));
        Ok(())
    }

    /// Binds nothing: the next launch releases what was bound.
    pub fn unbind(&self) {
        self.reference.change(|settings| settings.binding = None);
    }
}

impl std::fmt::Debug for SurfaceReference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.reference.name();
        write!(
            f,
            "SurfaceReference({name}: {}, on {})",
            self.reference.declared.axes(),
            self.module.context.device().id()
        )
    }
}

/// Binds an array, to be read at the edge what is beyond it and element by
/// element.
///
/// # Errors
///
/// As [`TextureReference::set_array`].
pub fn bind_array_to_texref(array: &CudaArray, texref: &TextureReference) -> Result<()> {
    texref.set_array(array)?;
    texref.set_address_mode(0, AddressMode::Clamp)?;
    texref.set_address_mode(1, AddressMode::Clamp)?;
    texref.set_filter_mode(FilterMode::Point)
}

/// Copies a matrix to a new array and binds it: see [`bind_array_to_texref`].
///
/// # Errors
///
/// As `matrix_to_array` and
/// [`TextureReference::set_array`].
pub fn matrix_to_texref<A: ArrayData + ?Sized>(
    matrix: &A,
    texref: &TextureReference,
    order: Order,
) -> Result<()> {
    bind_array_to_texref(&crate::memory::matrix_to_array(matrix, order)?, texref)
}

impl<T: Elem> GpuArray<T> {
    /// Binds the memory of this array to a texture: `tex1Dfetch(tex, i)` reads
    /// element `i`. What is written to the array later is read as well.
    ///
    /// A texture of `float4` reads four elements of `f32` at a time. `f64` is
    /// read by `fp_tex1Dfetch` of `pycuda-helpers.hpp`, from a
    /// `texture<fp_tex_double>`; complex numbers likewise.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let module = SourceModule::new(
    ///     "texture<float> tex;
    ///      __global__ void turn(float *a, int n) { a[threadIdx.x] = tex1Dfetch(tex, n - 1 - threadIdx.x); }",
    /// )?;
    /// gpu![f32; 1, 2, 3].bind_to_texref_ext(&module.get_texref("tex")?)?;
    /// let mut a = zeros::<f32>(3);
    /// module.get_function("turn")?.launch(1, 3, (&mut a, 3))?;
    /// assert_eq!(a.to_vec(), [3.0, 2.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the texture is declared with other elements or more axes, or the
    /// array's elements do not lie in order.
    pub fn bind_to_texref_ext(&self, texref: &TextureReference) -> Result<()> {
        bind_to_texref_ext(&self.raw, texref)
    }
}

fn bind_to_texref_ext(raw: &Raw, texref: &TextureReference) -> Result<()> {
    let (format, _) = ArrayFormat::of(raw.dtype())
        .ok_or_else(|| texref.reference.wrong(format!("a texture cannot hold {}", raw.dtype())))?;
    let memory = memory("bind_to_texref_ext", raw)?;
    texref.bind_linear(memory, raw.shape().size() * raw.dtype().size(), Some(format))
}
