//! Loading and linking what was compiled elsewhere, by the driver.

use std::ffi::{CString, c_uint, c_void};
use std::path::PathBuf;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUjit_option, CUjitInputType, CUlinkState, CUmodule, CUresult};

use super::context::Context;
use super::failure::error_with_log;
use super::launch::Image;
use super::library;
use crate::LinkPart;
use crate::error::{Problem, Result};

/// Bytes for what the driver's compiler and linker have to say.
const LOG: usize = 16 << 10;

/// What an image is, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Cubin,
    Ptx,
    FatBinary,
    /// An archive, as toolkits have them.
    Library,
}

/// What an image is; none if it is nothing that the driver knows.
pub(super) fn kind(image: &[u8]) -> Option<Kind> {
    let text = || {
        let start = &image[..image.len().min(4096)];
        std::str::from_utf8(start).or_else(|error| std::str::from_utf8(&start[..error.valid_up_to()])).ok()
    };
    match image {
        [0x7f, b'E', b'L', b'F', ..] => Some(Kind::Cubin),
        // The container of the toolkit's `fatbinary`, and the one around it
        // that programs hold.
        [0x50, 0xed, 0x55, 0xba, ..] | [0xb1, 0x43, 0x62, 0x46, ..] => Some(Kind::FatBinary),
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', b'\n', ..] => Some(Kind::Library),
        _ if text()
            .is_some_and(|text| text.lines().any(|line| line.trim_start().starts_with(".version"))) =>
        {
            Some(Kind::Ptx)
        }
        _ => None,
    }
}

/// That bytes are nothing that can be loaded.
#[cold]
pub(super) fn unknown(name: &str) -> crate::Error {
    Problem::Invalid {
        operation: "module",
        message: format!(
            "{name} is not machine code of a GPU: neither a cubin, a fatbin nor PTX\n  = help: `nvcc -cubin`, `nvcc \
             -fatbin` and `nvcc -ptx` make them, and `compile(source, \"cubin\")`; a source is compiled by \
             `SourceModule::new`"
        ),
    }
    .into()
}

/// The two logs that the driver's compiler and linker write.
struct Logs {
    errors: Vec<u8>,
    informations: Vec<u8>,
}

impl Logs {
    fn new() -> Logs {
        Logs { errors: vec![0; LOG], informations: vec![0; LOG] }
    }

    /// The options that name them. They hold addresses of the logs, which must
    /// not be moved or dropped while the driver has them.
    fn options(&mut self) -> ([CUjit_option; 4], [*mut c_void; 4]) {
        use CUjit_option::*;
        (
            [
                CU_JIT_ERROR_LOG_BUFFER,
                CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                CU_JIT_INFO_LOG_BUFFER,
                CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
            ],
            // Numbers go in the place of addresses.
            [
                self.errors.as_mut_ptr().cast(),
                LOG as *mut c_void,
                self.informations.as_mut_ptr().cast(),
                LOG as *mut c_void,
            ],
        )
    }

    fn text(&self) -> String {
        let text = |bytes: &[u8]| {
            let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
            String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
        };
        [text(&self.errors), text(&self.informations)].join("\n")
    }
}

/// What to do about an image that the driver does not take.
fn help(result: CUresult) -> &'static str {
    match result {
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU => {
            "machine code is for one architecture: compile it for this device's, or to PTX, which fits all later ones"
        }
        CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
            "the driver is older than the compiler that made the PTX: compile to machine code, or update the driver"
        }
        _ => "",
    }
}

/// Loads an image of the user's. What the driver's compiler says about PTX is
/// part of the error.
pub(super) fn load(context: &Arc<Context>, image: &[u8]) -> Result<Arc<Image>> {
    let operation = "loading a module";
    if !matches!(kind(image), Some(Kind::Cubin | Kind::Ptx | Kind::FatBinary)) {
        return Err(unknown("what was given"));
    }
    context.bind()?;
    // PTX is a text, which must end with a zero; the others are read as far
    // as their own headers say.
    let mut image = image.to_vec();
    image.push(0);
    let mut logs = Logs::new();
    let (names, values) = logs.options();
    let (mut names, mut values) = (names.to_vec(), values.to_vec());
    // The driver keeps the numbers of lines that PTX has where it is told to.
    if kind(&image) == Some(Kind::Ptx) && image.windows(6).any(|part| part == b"\n\t.loc") {
        names.push(CUjit_option::CU_JIT_GENERATE_LINE_INFO);
        values.push(std::ptr::without_provenance_mut(1));
    }
    let mut raw: CUmodule = std::ptr::null_mut();
    // SAFETY: the image starts as one of the kinds that the driver reads, ends
    // with a zero, and is copied; options and values are as many as is said,
    // and the logs outlive the call.
    let result = unsafe {
        sys::cuModuleLoadDataEx(
            &raw mut raw,
            image.as_ptr().cast(),
            names.len() as c_uint,
            names.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    match result {
        CUresult::CUDA_SUCCESS => Ok(Image::of(context, raw)),
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            context.check(result, operation)?;
            Err(unknown("what was given"))
        }
        failed => Err(error_with_log(failed, operation, &logs.text(), help(failed))),
    }
}

/// The driver's linker, destroyed when it is dropped.
struct Linker(CUlinkState);

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: the state was made by `cuLinkCreate` and is destroyed here
        // only.
        let _ = unsafe { sys::cuLinkDestroy(self.0) };
    }
}

/// Links images to machine code for the device.
pub(super) fn link(context: &Arc<Context>, parts: &[LinkPart]) -> Result<Vec<u8>> {
    context.bind()?;
    let operation = "linking";
    // The linker writes to the logs until it is destroyed, so they come first
    // and are dropped last.
    let mut logs = Logs::new();
    let (mut names, mut values) = logs.options();
    let mut linker = Linker(std::ptr::null_mut());
    // SAFETY: options and values are as many as is said; the logs outlive the
    // linker, and so do the two lists.
    let result = unsafe {
        sys::cuLinkCreate_v2(
            names.len() as c_uint,
            names.as_mut_ptr(),
            values.as_mut_ptr(),
            &raw mut linker.0,
        )
    };
    if result != CUresult::CUDA_SUCCESS {
        // There is nothing to destroy.
        std::mem::forget(linker);
        return Err(error_with_log(result, operation, &logs.text(), ""));
    }
    for part in parts {
        let input = match kind(&part.data) {
            Some(Kind::Cubin) => CUjitInputType::CU_JIT_INPUT_CUBIN,
            Some(Kind::Ptx) => CUjitInputType::CU_JIT_INPUT_PTX,
            Some(Kind::FatBinary) => CUjitInputType::CU_JIT_INPUT_FATBINARY,
            Some(Kind::Library) => CUjitInputType::CU_JIT_INPUT_LIBRARY,
            None => return Err(unknown(&part.name)),
        };
        let name = CString::new(part.name.replace('\0', " ")).unwrap_or_default();
        let mut data = part.data.clone();
        if input == CUjitInputType::CU_JIT_INPUT_PTX {
            data.push(0);
        }
        // SAFETY: the linker is alive; the data is as long as is said and, if
        // it is a text, ends with a zero; the linker reads it before it
        // returns. There are no options.
        let result = unsafe {
            sys::cuLinkAddData_v2(
                linker.0,
                input,
                data.as_mut_ptr().cast(),
                data.len(),
                name.as_ptr(),
                0,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            )
        };
        if result != CUresult::CUDA_SUCCESS {
            let log = logs.text();
            return Err(error_with_log(result, &format!("{operation} {}", part.name), &log, help(result)));
        }
    }
    let (mut image, mut size): (*mut c_void, usize) = (std::ptr::null_mut(), 0);
    // SAFETY: the linker is alive; the pointers are to valid variables.
    let result = unsafe { sys::cuLinkComplete(linker.0, &raw mut image, &raw mut size) };
    if result != CUresult::CUDA_SUCCESS {
        let help = "what is missing must be added: other sources, or `add_stdlib(\"cudadevrt\")`";
        return Err(error_with_log(result, operation, &logs.text(), help));
    }
    // SAFETY: the image is the linker's, as long as it says, and lives until
    // the linker is destroyed.
    Ok(unsafe { std::slice::from_raw_parts(image.cast::<u8>(), size) }.to_vec())
}

/// The path of a library of the toolkit's for kernels: `libcudadevrt.a`.
pub(super) fn standard_library(name: &str) -> Result<PathBuf> {
    let file = format!("lib{name}.a");
    let found =
        library::toolkit_folders().into_iter().map(|folder| folder.join(&file)).find(|path| path.is_file());
    found.ok_or_else(|| {
        Problem::Missing {
            what: format!("the library {file} was not found"),
            help: "install the CUDA toolkit (`cuda-cudart-dev`), or nvidia-cuda-runtime of pip, and set CUDA_PATH to \
                   where it is"
                .to_owned(),
        }
        .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_known_by_its_start() {
        assert_eq!(kind(b"\x7fELF\x02\x01"), Some(Kind::Cubin));
        assert_eq!(kind(b"//\n// Generated\n.version 8.5\n.target sm_90\n"), Some(Kind::Ptx));
        assert_eq!(kind(&[0x50, 0xed, 0x55, 0xba, 1, 0]), Some(Kind::FatBinary));
        assert_eq!(kind(b"!<arch>\n/   "), Some(Kind::Library));
        for no_image in [&b"__global__ void k() {}"[..], b"", b"\x7fEL", &[0xff; 64]] {
            assert_eq!(kind(no_image), None);
        }
    }

    #[test]
    fn logs_end_at_their_zeros() {
        let mut logs = Logs::new();
        logs.errors[..6].copy_from_slice(b"wrong\n");
        assert_eq!(logs.text(), "wrong\n");
        let (names, values) = logs.options();
        assert_eq!((names.len(), values[1] as usize), (values.len(), LOG));
    }
}
