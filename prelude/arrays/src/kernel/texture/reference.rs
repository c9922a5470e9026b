//! References to textures and surfaces: variables of a source that hold an
//! object, put there before a launch.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gpurepl_kernels::globals::{Global, GlobalKind};

use super::binding::{Binding, Bound};
use super::object::TextureDescriptor;
use crate::device::image::{ArrayFormat, Axes, Layout, ReadMode};
use crate::device::{self, Buffer};
use crate::error::{Error, Problem, Result};
use crate::kernel::globals;
use crate::kernel::source_module::Inner;
use crate::memory::CudaArray;

/// The references of a module that have been asked for.
#[derive(Default)]
pub(in crate::kernel) struct References(Mutex<Vec<Arc<Reference>>>);

/// What a reference is declared as, from its variable: `gpurepl_declared` of
/// `references.hpp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    /// `cudaTextureType2D` and so on.
    pub(super) dimensions: u32,
    pub(super) read: ReadMode,
    /// None for surfaces, which may hold anything.
    pub(super) element: Option<(ArrayFormat, u32)>,
}

impl Declared {
    fn read(words: &[u32; 8]) -> Declared {
        let [_, _, dimensions, read, size, parts, kind, _] = *words;
        let format = match (size, kind) {
            (1, 0) => Some(ArrayFormat::SignedInt8),
            (1, _) => Some(ArrayFormat::UnsignedInt8),
            (2, 0) => Some(ArrayFormat::SignedInt16),
            (2, _) => Some(ArrayFormat::UnsignedInt16),
            (4, 0) => Some(ArrayFormat::SignedInt32),
            (4, 1) => Some(ArrayFormat::UnsignedInt32),
            (4, _) => Some(ArrayFormat::Float),
            _ => None,
        };
        let read = if read == 1 { ReadMode::NormalizedFloat } else { ReadMode::ElementType };
        Declared { dimensions, read, element: format.map(|format| (format, parts)) }
    }

    /// The axes that it is declared with, in words.
    pub(super) fn axes(&self) -> &'static str {
        axes_of(self.dimensions)
    }
}

fn axes_of(dimensions: u32) -> &'static str {
    match dimensions {
        0x01 => "one axis",
        0x02 => "two axes",
        0x03 => "three axes",
        0xF1 => "layers of one axis",
        0xF2 => "layers of two axes",
        _ => "cubemaps",
    }
}

fn dimensions(layout: &Layout) -> u32 {
    match layout.axes {
        Axes::One => 0x01,
        Axes::Two => 0x02,
        Axes::Three => 0x03,
        Axes::OneLayered => 0xF1,
        Axes::TwoLayered => 0xF2,
    }
}

/// A reference and what it is bound to. The module holds it, so it does not
/// hold the module.
pub(in crate::kernel) struct Reference {
    global: Global,
    pub(super) declared: Declared,
    settings: Mutex<Settings>,
}

pub(super) struct Settings {
    pub(super) binding: Option<Binding>,
    pub(super) descriptor: TextureDescriptor,
    /// What the variable holds now.
    current: Option<Arc<Bound>>,
    is_changed: bool,
}

impl Reference {
    pub(super) fn find(module: &Arc<Inner>, name: &str, is_surface: bool) -> Result<Arc<Reference>> {
        let global = if is_surface {
            module.globals.find(name, "surface reference", |kind| kind == GlobalKind::Surface)?
        } else {
            module.globals.find(name, "texture reference", |kind| kind == GlobalKind::Texture)?
        };
        let mut known = module.references.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reference) = known.iter().find(|reference| reference.global == *global) {
            return Ok(Arc::clone(reference));
        }
        let buffer = globals::buffer_of(module, global)?;
        let mut words = [0_u32; 8];
        let bytes = bytemuck::cast_slice_mut(&mut words);
        if buffer.bytes() != bytes.len() {
            let message = "this variable is not a texture or surface reference; declare it with `texture<float, 2> name;`".to_owned();
            return Err(Problem::Argument { kernel: name.to_owned(), message }.into());
        }
        module.context.download(&buffer, 0, bytes)?;
        let declared = Declared::read(&words);
        let descriptor = TextureDescriptor { read_mode: declared.read, ..Default::default() };
        let settings = Mutex::new(Settings { binding: None, descriptor, current: None, is_changed: false });
        let reference = Arc::new(Reference { global: global.clone(), declared, settings });
        known.push(Arc::clone(&reference));
        Ok(reference)
    }

    fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut Settings)) {
        let mut settings = self.settings();
        change(&mut settings);
        settings.is_changed = true;
    }

    pub(super) fn wrong(&self, message: String) -> Error {
        Problem::Argument { kernel: self.global.qualified_name(), message }.into()
    }

    pub(super) fn name(&self) -> String {
        self.global.qualified_name()
    }

    /// Checks that an array is what the source declares.
    pub(super) fn check_array(&self, array: &CudaArray) -> Result<()> {
        let layout = array.layout();
        let given = dimensions(layout);
        if given != self.declared.dimensions {
            let (declared, given) = (self.declared.axes(), axes_of(given));
            return Err(self.wrong(format!("the source declares {declared}, the array has {given}")));
        }
        self.check_element(layout.format, layout.channels)
    }

    pub(super) fn check_element(&self, format: ArrayFormat, channels: u32) -> Result<()> {
        let Some((declared, parts)) = self.declared.element else { return Ok(()) };
        // Halves are read as floats; a sign is a matter of the type that reads.
        let is_same = declared == format
            || (declared == ArrayFormat::Float && format == ArrayFormat::Half)
            || (!declared.is_float() && !format.is_float() && declared.size() == format.size());
        if is_same && parts == channels {
            return Ok(());
        }
        Err(self.wrong(format!(
            "the source declares elements of {parts} x {}, the array has {channels} x {}",
            declared.numpy(),
            format.numpy()
        )))
    }

    /// Puts what has changed into the variable; answers what it holds, and the
    /// variable.
    fn flush(&self, module: &Arc<Inner>) -> Result<(Option<Arc<Bound>>, Arc<Buffer>)> {
        let mut settings = self.settings();
        let buffer = globals::buffer_of(module, &self.global)?;
        if settings.is_changed {
            device::refuse_in_capture(
                "binding a texture or surface reference (launch once before the capture)",
            )?;
            let bound = match &settings.binding {
                None => None,
                Some(Binding::Array(array)) if self.global.kind == GlobalKind::Surface => {
                    Some(Bound::surface("surface reference", array)?)
                }
                Some(binding) => {
                    let sampling = settings.descriptor.sampling();
                    Some(Bound::texture("texture reference", binding.clone(), sampling)?)
                }
            };
            let handle = bound.as_ref().map_or(0, |bound| bound.handle());
            module.context.upload(&buffer, 0, &handle.to_ne_bytes())?;
            // Nothing finds the former one any more, so it may go.
            (settings.current, settings.is_changed) = (bound, false);
        }
        Ok((settings.current.clone(), buffer))
    }
}

/// What a launch holds: everything that the module's references are bound to.
#[derive(Default)]
pub(in crate::kernel) struct Ready {
    bound: Vec<Arc<Bound>>,
    variables: Vec<Arc<Buffer>>,
}

impl Ready {
    /// To be called before a launch on the current stream.
    pub(in crate::kernel) fn enter(&self) -> Result<()> {
        self.bound.iter().try_for_each(Bound::enter)
    }

    /// What must be locked while the kernel runs.
    pub(in crate::kernel) fn buffers(&self) -> impl Iterator<Item = &Buffer> {
        let bound = self.bound.iter().filter_map(|bound| bound.buffer());
        bound.chain(&self.variables).map(Arc::as_ref)
    }
}

/// Makes a module's references ready for a launch.
///
/// # Errors
///
/// If what is bound cannot be read as it is set.
pub(in crate::kernel) fn ready(module: &Arc<Inner>) -> Result<Ready> {
    let references: Vec<Arc<Reference>> =
        module.references.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut ready = Ready::default();
    for reference in references {
        let (bound, variable) = reference.flush(module)?;
        ready.bound.extend(bound);
        ready.variables.push(variable);
    }
    Ok(ready)
}
