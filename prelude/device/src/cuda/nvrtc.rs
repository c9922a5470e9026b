//! NVRTC's programs, and other calls of its library.

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cudarc::nvrtc::sys::{self, nvrtcProgram, nvrtcResult};

use super::failure::nvrtc_error;
use super::library;
use crate::cache;
use crate::error::{Problem, Result};

/// A program, destroyed when it is dropped.
pub(super) struct Program {
    raw: nvrtcProgram,
    what: String,
    expressions: Vec<CString>,
}

/// How a compilation ended.
pub(super) enum Outcome {
    Compiled,
    /// The source does not compile; the log says why.
    Refused,
}

/// How the making of a precompiled header ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precompiled {
    Made,
    NotTried,
    /// There must be room for so many bytes.
    NeedsRoom(usize),
    Failed,
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the program was made by `nvrtcCreateProgram` and is
        // destroyed here only.
        let _ = unsafe { sys::nvrtcDestroyProgram(&raw mut self.raw) };
    }
}

impl Program {
    /// Takes a source over. The caller has made sure of NVRTC.
    pub(super) fn new(
        what: &str,
        text: &str,
        name: &str,
        headers: &[(&'static CStr, &'static CStr)],
        kernels: &[String],
    ) -> Result<Program> {
        let (text, name) = (to_c(what, text)?, to_c(what, name)?);
        let expressions =
            kernels.iter().map(|kernel| to_c(what, kernel)).collect::<Result<Vec<CString>>>()?;
        let (contents, names): (Vec<_>, Vec<_>) =
            headers.iter().map(|(name, contents)| (contents.as_ptr(), name.as_ptr())).unzip();
        let mut program = Program { raw: std::ptr::null_mut(), what: what.to_owned(), expressions };
        // SAFETY: all texts end with a zero and outlive the call, which copies
        // them; the two lists are as long as is said.
        let result = unsafe {
            sys::nvrtcCreateProgram(
                &raw mut program.raw,
                text.as_ptr(),
                name.as_ptr(),
                headers.len() as c_int,
                contents.as_ptr(),
                names.as_ptr(),
            )
        };
        program.ok(result)?;
        for expression in &program.expressions {
            // SAFETY: the program is alive and has not been compiled yet.
            program.ok(unsafe { sys::nvrtcAddNameExpression(program.raw, expression.as_ptr()) })?;
        }
        Ok(program)
    }

    /// Compiles the program; once.
    pub(super) fn compile(&self, options: &[String]) -> Result<Outcome> {
        let given: Vec<CString> =
            options.iter().map(|option| to_c(&self.what, option)).collect::<Result<_>>()?;
        let pointers: Vec<*const c_char> = given.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the program is alive; the options end with zeros and are as
        // many as is said.
        match unsafe { sys::nvrtcCompileProgram(self.raw, pointers.len() as c_int, pointers.as_ptr()) } {
            nvrtcResult::NVRTC_SUCCESS => Ok(Outcome::Compiled),
            nvrtcResult::NVRTC_ERROR_COMPILATION => Ok(Outcome::Refused),
            nvrtcResult::NVRTC_ERROR_INVALID_OPTION => {
                // What the compiler says names the option.
                let log = self.log();
                let said =
                    log.lines().find(|line| !line.trim().is_empty()).map(|line| line.trim().to_owned());
                let message = said.unwrap_or_else(|| {
                    format!("the compiler does not know an option: {}", options.join(" "))
                });
                Err(nvrtc_error(nvrtcResult::NVRTC_ERROR_INVALID_OPTION, self.operation(), Some(message)))
            }
            failed => Err(nvrtc_error(failed, self.operation(), None)),
        }
    }

    /// The names in the machine code of the kernels that were asked for.
    pub(super) fn lowered_names(&self) -> Result<Vec<String>> {
        let lowered = |expression: &CString| {
            let mut name = std::ptr::null();
            // SAFETY: the program has been compiled with this expression; the
            // name that is returned lives as long as the program.
            unsafe {
                self.ok(sys::nvrtcGetLoweredName(self.raw, expression.as_ptr(), &raw mut name))?;
                Ok(CStr::from_ptr(name).to_string_lossy().into_owned())
            }
        };
        self.expressions.iter().map(lowered).collect()
    }

    /// Machine code for one architecture.
    pub(super) fn cubin(&self) -> Result<Vec<u8>> {
        let mut size = 0usize;
        // SAFETY: the program has been compiled; the buffer is as long as the
        // library says the image is.
        unsafe {
            self.ok(sys::nvrtcGetCUBINSize(self.raw, &raw mut size))?;
            let mut image = vec![0u8; size];
            self.ok(sys::nvrtcGetCUBIN(self.raw, image.as_mut_ptr().cast()))?;
            Ok(image)
        }
    }

    /// The text that a driver compiles further, with the zero at its end.
    pub(super) fn ptx(&self) -> Result<Vec<u8>> {
        let mut size = 0usize;
        // SAFETY: as for machine code.
        unsafe {
            self.ok(sys::nvrtcGetPTXSize(self.raw, &raw mut size))?;
            let mut image = vec![0u8; size];
            self.ok(sys::nvrtcGetPTX(self.raw, image.as_mut_ptr().cast()))?;
            Ok(image)
        }
    }

    pub(super) fn log(&self) -> String {
        let mut size = 0usize;
        // SAFETY: the program is alive; the buffer is as long as the library
        // says the log is, and the log ends with a zero within it.
        unsafe {
            if sys::nvrtcGetProgramLogSize(self.raw, &raw mut size) != nvrtcResult::NVRTC_SUCCESS {
                return String::new();
            }
            let mut log = vec![0u8; size];
            if sys::nvrtcGetProgramLog(self.raw, log.as_mut_ptr().cast()) != nvrtcResult::NVRTC_SUCCESS {
                return String::new();
            }
            String::from_utf8_lossy(&log).trim_end_matches('\0').to_owned()
        }
    }

    /// What became of the precompiled header that the options asked for.
    pub(super) fn precompiled(&self) -> Precompiled {
        type Status = unsafe extern "C" fn(nvrtcProgram) -> c_int;
        type Size = unsafe extern "C" fn(nvrtcProgram, *mut usize) -> c_int;
        // SAFETY: the functions have these types in `nvrtc.h`; the program is
        // alive and has been compiled; the pointer is to a valid integer.
        unsafe {
            let Some(status) = symbol::<Status>(c"nvrtcGetPCHCreateStatus") else {
                return Precompiled::NotTried;
            };
            match status(self.raw) {
                0 => Precompiled::Made,
                13 => Precompiled::NotTried,
                14 => {
                    let mut bytes = 0;
                    let size = symbol::<Size>(c"nvrtcGetPCHHeapSizeRequired");
                    match size.map(|size| size(self.raw, &raw mut bytes)) {
                        Some(0) => Precompiled::NeedsRoom(bytes),
                        _ => Precompiled::Failed,
                    }
                }
                _ => Precompiled::Failed,
            }
        }
    }

    fn operation(&self) -> String {
        format!("compiling {}", self.what)
    }

    fn ok(&self, result: nvrtcResult) -> Result<()> {
        match result {
            nvrtcResult::NVRTC_SUCCESS => Ok(()),
            failed => Err(nvrtc_error(failed, self.operation(), None)),
        }
    }
}

/// A function that older libraries do not have; none there.
///
/// # Safety
///
/// `F` is the type of a pointer to that function.
unsafe fn symbol<F: Copy>(name: &CStr) -> Option<F> {
    // SAFETY: the callers have made sure of NVRTC, without which `culib`
    // panics; the type is the caller's promise. The library is never closed.
    unsafe { sys::culib().get::<F>(name.to_bytes_with_nul()).ok().map(|function| *function) }
}

/// Makes room for precompiled headers, in bytes. Those that there were cannot
/// be used any more. False if the library has none.
pub(super) fn make_room(bytes: usize) -> bool {
    type Set = unsafe extern "C" fn(usize) -> c_int;
    // SAFETY: the function has this type in `nvrtc.h`.
    unsafe { symbol::<Set>(c"nvrtcSetPCHHeapSize").is_some_and(|set| set(bytes) == 0) }
}

/// The version of NVRTC; where it is not installed, cached code can still be
/// found by the version that made it last.
pub(super) fn identity() -> &'static str {
    static IDENTITY: OnceLock<String> = OnceLock::new();
    IDENTITY.get_or_init(|| {
        const LAST: &str = "nvrtc-version";
        if library::nvrtc().is_err() {
            let last = cache::read(LAST).and_then(|bytes| String::from_utf8(bytes).ok());
            return last.unwrap_or_default();
        }
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the library is there; the pointers are to valid integers.
        let _ = unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) };
        let identity = format!("{major}.{minor}");
        if cache::read(LAST).as_deref() != Some(identity.as_bytes()) {
            cache::write(LAST, identity.as_bytes());
        }
        identity
    })
}

/// The architectures that NVRTC makes machine code for: 90 for Hopper.
pub(super) fn architectures() -> &'static [i32] {
    static SUPPORTED: OnceLock<Vec<i32>> = OnceLock::new();
    SUPPORTED.get_or_init(|| {
        let mut count = 0;
        // SAFETY: the pointer is to a valid integer; the buffer is as long as
        // the library says the list is.
        unsafe {
            if sys::nvrtcGetNumSupportedArchs(&raw mut count) != nvrtcResult::NVRTC_SUCCESS {
                return Vec::new();
            }
            let mut list = vec![0; usize::try_from(count).unwrap_or(0)];
            if sys::nvrtcGetSupportedArchs(list.as_mut_ptr()) != nvrtcResult::NVRTC_SUCCESS {
                return Vec::new();
            }
            list
        }
    })
}

/// The toolkit's headers that NVRTC itself carries, since CUDA 13.3, written
/// out once for each version: CUB, Thrust and libcu++ among them. None if it
/// has none, or there is no folder to keep them in.
pub(super) fn bundled_headers() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOLDER
        .get_or_init(|| install_headers(&cache::folder_beside(&format!("headers-{}", identity()))?))
        .as_deref()
}

fn install_headers(folder: &Path) -> Option<PathBuf> {
    type Install = unsafe extern "C" fn(*const c_char, u32, *mut *const c_char) -> c_int;
    library::nvrtc().ok()?;
    let path = CString::new(folder.as_os_str().as_encoded_bytes()).ok()?;
    // SAFETY: the function has this type in `nvrtc.h`; the path ends with a
    // zero, and no message is asked for.
    let installed = unsafe {
        symbol::<Install>(c"nvrtcInstallBundledHeaders")
            .is_some_and(|install| install(path.as_ptr(), 0, std::ptr::null_mut()) == 0)
    };
    installed.then(|| folder.to_owned())
}

fn to_c(what: &str, text: &str) -> Result<CString> {
    CString::new(text).map_err(|error| {
        let message =
            format!("byte {} of the text is zero, which ends a C string; remove it", error.nul_position());
        Problem::Device { operation: format!("compiling {what}"), message }.into()
    })
}
