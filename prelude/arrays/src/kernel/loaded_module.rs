//! Machine code that was compiled elsewhere: PyCUDA's `module_from_buffer`.

use std::path::Path;
use std::sync::{Arc, Mutex};

use gpurepl_kernels::DType;
use gpurepl_kernels::declaration::{CType, Parameter};
use gpurepl_kernels::signature::Signature;

use super::argument::Argument;
use super::globals::{self, Globals};
use super::listed::Records;
use super::source_module::{Function, Inner};
use super::texture::References;
use crate::activity;
use crate::device::{self, LoadedParameter};
use crate::error::{Problem, Result};
use crate::memory::DeviceAllocation;
use crate::scalar::Scalar;

/// A module without a source: machine code (a cubin or a fatbin), PTX, or what
/// [`DynamicModule`](super::DynamicModule) links.
///
/// There is no signature to check arguments against: their number and their
/// sizes are checked, and the types of floats where the PTX has them. Pass
/// numbers of the types that the kernel takes.
#[derive(Clone)]
pub struct LoadedModule {
    inner: Arc<Inner>,
}

/// Loads machine code (a cubin or a fatbin) or PTX, which the driver compiles.
///
/// # Errors
///
/// If the bytes are none of these, or not for this device; the error holds what
/// the driver's compiler says about PTX. On the host device always: it runs
/// kernels from their sources.
pub fn module_from_buffer(bytes: &[u8]) -> Result<LoadedModule> {
    let context = device::current()?;
    let (module, compilation) = activity::compiling(|| context.backend().load_module(bytes));
    let module = module?;
    let globals = Globals::named(&module.variables());
    Ok(LoadedModule {
        inner: Arc::new(Inner {
            context,
            module,
            source: String::new(),
            options: Vec::new(),
            is_checked: false,
            origin: None,
            signatures: Vec::new(),
            globals,
            references: References::default(),
            instances: Mutex::default(),
            records: Records::new(compilation),
        }),
    })
}

/// [`module_from_buffer`] with a file's contents.
///
/// # Errors
///
/// As [`module_from_buffer`], or if the file cannot be read.
pub fn module_from_file(path: impl AsRef<Path>) -> Result<LoadedModule> {
    module_from_buffer(&read(path.as_ref())?)
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path)
        .map_err(|error| Problem::Io { what: "reading", path: path.display().to_string(), error }.into())
}

impl LoadedModule {
    /// The kernel of this name: that of its source, or its symbol in the
    /// machine code, as it is for instances of templates and in a fatbin
    /// unless the kernel is `extern "C"`.
    ///
    /// # Errors
    ///
    /// If there is no such kernel, or its arguments are unknown,
    /// as with a driver before CUDA 12.4.
    pub fn get_function(&self, name: &str) -> Result<Function> {
        let entry = self.inner.module.function(name)?;
        let told = self.inner.module.parameters(name);
        let sizes = entry.argument_sizes().or_else(|| Some(told.as_ref()?.iter().map(|p| p.bytes).collect()));
        let Some(sizes) = sizes else {
            return Err(Problem::Unsupported {
                message: format!(
                    "{name}: this driver does not tell what arguments a kernel of machine code takes\n  = help: update \
                     it to one of CUDA 12.4 or later, or load PTX: `nvcc -ptx`"
                ),
            }
            .into());
        };
        let dtype =
            |k: usize| told.as_ref().and_then(|told| told.get(k)).and_then(|parameter| parameter.dtype);
        let loaded =
            sizes.iter().enumerate().map(|(k, bytes)| LoadedParameter { bytes: *bytes, dtype: dtype(k) });
        let (loaded, signature) = (Some(loaded.collect()), Signature::of(name, Vec::new()));
        Ok(Function::listed(&self.inner, entry, signature, Some(sizes), loaded))
    }

    /// The memory of a variable, by the name that it had in the source. It
    /// keeps the module alive. A fatbin does not tell its variables.
    ///
    /// # Errors
    ///
    /// If there is no such variable.
    pub fn get_global(&self, name: &str) -> Result<DeviceAllocation> {
        let buffer = globals::buffer(&self.inner, name)?;
        let bytes = buffer.bytes();
        Ok(DeviceAllocation::within(buffer, 0, bytes))
    }
}

impl std::fmt::Debug for LoadedModule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LoadedModule(on {})", self.inner.context.device().id())
    }
}

/// The signature that a kernel without a source has for these arguments, which
/// fit it in number and size.
pub(super) fn signature(
    kernel: &str,
    parameters: &[LoadedParameter],
    arguments: &[Argument<'_>],
) -> Result<Signature> {
    let wrong = |message| Problem::Argument { kernel: kernel.to_owned(), message }.into();
    if parameters.len() != arguments.len() {
        return Err(wrong(format!(
            "{} argument{} given, but it takes {}",
            arguments.len(),
            if arguments.len() == 1 { "" } else { "s" },
            parameters.len()
        )));
    }
    let mut made = Vec::new();
    for (number, (parameter, argument)) in parameters.iter().zip(arguments).enumerate() {
        let bytes = parameter.bytes;
        let ctype = match (argument, parameter.dtype) {
            (Argument::Scalar(..), Some(dtype)) => CType::Scalar(dtype),
            (Argument::Scalar(scalar, given), None) => {
                if given.size() != bytes {
                    return Err(wrong(format!(
                        "argument {} has {bytes} bytes in the machine code, and {} is {given}, of {} bytes; write it \
                         as {}",
                        number + 1,
                        shown(*scalar),
                        given.size(),
                        numbers_of(bytes)
                    )));
                }
                CType::Other
            }
            (Argument::Object(_), _) if bytes == 8 => CType::Other,
            (_, None) if bytes == 8 => CType::Pointer { element: None, is_const: false },
            (_, _) => {
                return Err(wrong(format!(
                    "argument {} has {bytes} bytes in the machine code, and an address has 8; pass a number",
                    number + 1
                )));
            }
        };
        made.push(Parameter {
            name: String::new(),
            ctype,
            is_char: false,
            spelling: format!("{bytes} bytes"),
            span: 0..0,
            default: None,
            is_pack: false,
            is_structure: false,
        });
    }
    Ok(Signature::of(kernel, made))
}

fn shown(scalar: Scalar) -> String {
    format!("{scalar}")
}

/// The types of numbers of a size, for a message.
fn numbers_of(bytes: usize) -> String {
    let all = [DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::Float32, DType::Float64];
    let fitting: Vec<&str> = all.into_iter().filter(|dtype| dtype.size() == bytes).map(DType::rust).collect();
    match fitting[..] {
        [] => format!("a value of {bytes} bytes"),
        _ => format!("{} or another type of {bytes} bytes", fitting.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(parameters: &[(usize, Option<DType>)], arguments: &[Argument<'_>]) -> String {
        let parameters: Vec<LoadedParameter> = parameters
            .iter()
            .map(|(bytes, dtype)| LoadedParameter { bytes: *bytes, dtype: *dtype })
            .collect();
        signature("k", &parameters, arguments).unwrap_err().to_string()
    }

    #[test]
    fn arguments_fit_in_number_and_size() {
        let number = Argument::Scalar(Scalar::Float(2.5), DType::Float64);
        assert_eq!(message(&[], &[number]), "k: 1 argument given, but it takes 0");
        let number = Argument::Scalar(Scalar::Float(2.5), DType::Float64);
        assert!(message(&[(4, None)], &[number]).contains("write it as i32, f32 or another type of 4 bytes"));
        let data = [1.0f32];
        let address = || Argument::In(super::super::HostData::data(&data));
        assert!(message(&[(4, None)], &[address()]).contains("an address has 8"));
        let pointer = [LoadedParameter { bytes: 8, dtype: None }];
        assert!(signature("k", &pointer, &[address()]).unwrap().parameters[0].is_pointer());
        let float = [LoadedParameter { bytes: 4, dtype: Some(DType::Float32) }];
        let number = Argument::Scalar(Scalar::Float(2.5), DType::Float64);
        // It is converted then.
        assert_eq!(signature("k", &float, &[number]).unwrap().parameters[0].dtype(), Some(DType::Float32));
    }
}
