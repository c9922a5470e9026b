//! CUDA C to machine code, by NVRTC within the process.

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::PathBuf;
use std::sync::OnceLock;

use cudarc::nvrtc::sys::{self, nvrtcProgram, nvrtcResult};

use super::{headers, library, properties};
use crate::device::cache;
use crate::error::{Error, Problem, Result};
use crate::kernel::CompileError;

/// What to compile.
pub(super) struct Source<'a> {
    /// What the kernel is called in messages.
    pub(super) what: &'a str,
    /// The user's own texts by the names that the compiler knows them by, to
    /// show lines of.
    pub(super) texts: &'a [(&'a str, &'a str)],
    /// The CUDA C that goes to the compiler, and its name there.
    pub(super) text: &'a str,
    pub(super) name: &'a str,
    pub(super) options: &'a [String],
    /// Kernels whose names in the machine code are wanted.
    pub(super) kernels: &'a [String],
}

/// Machine code, and the names of kernels in it.
pub(super) struct Compiled {
    pub(super) image: Vec<u8>,
    pub(super) names: Vec<String>,
}

/// Compiles a source for an architecture, or takes it from the cache.
///
/// # Errors
///
/// If NVRTC is not installed, or the source does not compile.
pub(super) fn compile(source: &Source<'_>, capability: (i32, i32)) -> Result<Compiled> {
    let mut parts: Vec<&[u8]> = Vec::new();
    let (mut options, kernels) = (source.options.join("\0"), source.kernels.join("\0"));
    options.push_str(line_information(source.options).unwrap_or_default());
    let (major, minor, driver) =
        (capability.0.to_le_bytes(), capability.1.to_le_bytes(), properties::driver_version()?.to_le_bytes());
    parts.extend([b"cuda", source.text.as_bytes(), options.as_bytes(), kernels.as_bytes()]);
    parts.extend([&major[..], &minor, &driver, nvrtc_identity().as_bytes()]);
    let (folders, headers) = includes(source);
    parts.extend(headers.iter().flat_map(|(name, contents)| [name.to_bytes(), contents.to_bytes()]));
    // Files that are included may change; what they hold is in no key.
    let is_whole = !cache::includes_files(source.text, source.options);
    let file = format!("{}.cubin", cache::key(&parts));
    if is_whole
        && let Some(compiled) = cache::read(&file).and_then(|bytes| unpack(&bytes, source.kernels.len()))
    {
        return Ok(compiled);
    }
    library::nvrtc()?;
    let compiled = run(source, capability, folders, &headers)?;
    if is_whole {
        cache::write(&file, &pack(&compiled));
    }
    Ok(compiled)
}

/// The option for the numbers of lines, which tools such as compute-sanitizer
/// report, where `GPUREPL_LINEINFO` asks for it and the source does not.
fn line_information(options: &[String]) -> Option<&'static str> {
    let is_asked_for = std::env::var_os("GPUREPL_LINEINFO").is_some_and(|value| value == "1");
    missing_line_information(is_asked_for, options)
}

fn missing_line_information(is_asked_for: bool, options: &[String]) -> Option<&'static str> {
    let has_it = options.iter().any(|option| option == LINE_INFORMATION || option == "-lineinfo");
    (is_asked_for && !has_it).then_some(LINE_INFORMATION)
}

const LINE_INFORMATION: &str = "--generate-line-info";

/// Names on a line each, an empty line, the image.
fn pack(compiled: &Compiled) -> Vec<u8> {
    let mut bytes = compiled.names.join("\n").into_bytes();
    bytes.extend_from_slice(b"\n\n");
    bytes.extend_from_slice(&compiled.image);
    bytes
}

fn unpack(bytes: &[u8], kernels: usize) -> Option<Compiled> {
    let end = bytes.windows(2).position(|pair| pair == b"\n\n")?;
    let names = std::str::from_utf8(&bytes[..end]).ok()?;
    let names: Vec<String> = names.lines().map(str::to_owned).collect();
    (names.len() == kernels).then(|| Compiled { image: bytes[end + 2..].to_vec(), names })
}

/// The version of NVRTC; where it is not installed, cached code can still be
/// found by the version that made it last.
fn nvrtc_identity() -> &'static str {
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

/// A program of NVRTC's, destroyed when it is dropped.
struct Program(nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the program was made by `nvrtcCreateProgram` and is
        // destroyed here only.
        let _ = unsafe { sys::nvrtcDestroyProgram(&raw mut self.0) };
    }
}

/// Compiles a source. The caller has made sure of NVRTC.
fn run(
    source: &Source<'_>,
    capability: (i32, i32),
    folders: &[PathBuf],
    headers: &[Header],
) -> Result<Compiled> {
    let failed = |result: nvrtcResult| -> Error {
        Problem::Device { operation: format!("compiling {}", source.what), message: format!("{result:?}") }
            .into()
    };
    let ok = |result| if result == nvrtcResult::NVRTC_SUCCESS { Ok(()) } else { Err(failed(result)) };
    let text = to_c(source.what, source.text)?;
    let name = to_c(source.what, source.name)?;
    let (contents, names): (Vec<_>, Vec<_>) =
        headers.iter().map(|(name, contents)| (contents.as_ptr(), name.as_ptr())).unzip();
    let mut program = Program(std::ptr::null_mut());
    // SAFETY: all texts end with a zero and outlive the program; the two
    // lists are as long as is said.
    ok(unsafe {
        sys::nvrtcCreateProgram(
            &raw mut program.0,
            text.as_ptr(),
            name.as_ptr(),
            headers.len() as c_int,
            contents.as_ptr(),
            names.as_ptr(),
        )
    })?;
    let expressions =
        source.kernels.iter().map(|kernel| to_c(source.what, kernel)).collect::<Result<Vec<CString>>>()?;
    for expression in &expressions {
        // SAFETY: the program is alive and has not been compiled yet.
        ok(unsafe { sys::nvrtcAddNameExpression(program.0, expression.as_ptr()) })?;
    }
    let is_native = is_supported(capability);
    let options = options(source, capability, is_native, folders)?;
    let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    // SAFETY: the program is alive; the options end with zeros and are as
    // many as is said.
    let result = unsafe { sys::nvrtcCompileProgram(program.0, pointers.len() as c_int, pointers.as_ptr()) };
    if result == nvrtcResult::NVRTC_ERROR_COMPILATION {
        let log = log(&program);
        return Err(Problem::Compile(CompileError::from_nvrtc(source.what, source.texts, &log)).into());
    }
    if result == nvrtcResult::NVRTC_ERROR_INVALID_OPTION {
        let message = format!("an option is not known to the compiler: {}", source.options.join(" "));
        return Err(Problem::Device { operation: format!("compiling {}", source.what), message }.into());
    }
    ok(result)?;
    let mut names = Vec::new();
    for expression in &expressions {
        let mut lowered = std::ptr::null();
        // SAFETY: the program has been compiled with this expression; the
        // name that is returned lives as long as the program.
        names.push(unsafe {
            ok(sys::nvrtcGetLoweredName(program.0, expression.as_ptr(), &raw mut lowered))?;
            CStr::from_ptr(lowered).to_string_lossy().into_owned()
        });
    }
    Ok(Compiled { image: image(&program, is_native).map_err(failed)?, names })
}

/// Machine code, or PTX for the driver to compile where NVRTC does not know
/// the architecture.
fn image(program: &Program, is_native: bool) -> Result<Vec<u8>, nvrtcResult> {
    let ok = |result| if result == nvrtcResult::NVRTC_SUCCESS { Ok(()) } else { Err(result) };
    let mut size = 0usize;
    // SAFETY: the program has been compiled; the buffer is as long as the
    // library says the image is.
    unsafe {
        if is_native {
            ok(sys::nvrtcGetCUBINSize(program.0, &raw mut size))?;
            let mut image = vec![0u8; size];
            ok(sys::nvrtcGetCUBIN(program.0, image.as_mut_ptr().cast()))?;
            Ok(image)
        } else {
            ok(sys::nvrtcGetPTXSize(program.0, &raw mut size))?;
            let mut image = vec![0u8; size];
            ok(sys::nvrtcGetPTX(program.0, image.as_mut_ptr().cast()))?;
            Ok(image)
        }
    }
}

fn log(program: &Program) -> String {
    let mut size = 0usize;
    // SAFETY: the program is alive; the buffer is as long as the library says
    // the log is, and the log ends with a zero within it.
    unsafe {
        if sys::nvrtcGetProgramLogSize(program.0, &raw mut size) != nvrtcResult::NVRTC_SUCCESS {
            return String::new();
        }
        let mut log = vec![0u8; size];
        if sys::nvrtcGetProgramLog(program.0, log.as_mut_ptr().cast()) != nvrtcResult::NVRTC_SUCCESS {
            return String::new();
        }
        String::from_utf8_lossy(&log).trim_end_matches('\0').to_owned()
    }
}

/// The architectures that NVRTC makes machine code for: 90 for Hopper.
fn supported() -> &'static [i32] {
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

fn is_supported((major, minor): (i32, i32)) -> bool {
    supported().contains(&(10 * major + minor))
}

/// A header's name and its text.
type Header = (&'static CStr, &'static CStr);

/// The toolkits' folders of headers, and the headers that NVRTC gets beside
/// them. Ours would be found before those of a folder, so they give way, also
/// to a folder that the user names.
fn includes(source: &Source<'_>) -> (&'static [PathBuf], Vec<Header>) {
    // They are looked for once: a kernel from the cache should cost no search.
    static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    let folders = FOLDERS.get_or_init(|| {
        let mut folders: Vec<PathBuf> =
            library::toolkits().into_iter().map(|toolkit| toolkit.join("include")).collect();
        folders.retain(|folder| folder.is_dir());
        folders
    });
    let named = source
        .options
        .iter()
        .filter_map(|option| option.strip_prefix("-I").or_else(|| option.strip_prefix("--include-path=")));
    let all: Vec<PathBuf> = named.map(PathBuf::from).chain(folders.iter().cloned()).collect();
    (folders, headers::for_folders(&all))
}

fn options(
    source: &Source<'_>,
    (major, minor): (i32, i32),
    is_native: bool,
    folders: &[PathBuf],
) -> Result<Vec<CString>> {
    let architecture = 10 * major + minor;
    let mut options = vec![
        if is_native {
            format!("--gpu-architecture=sm_{architecture}")
        } else {
            // The latest that is older than the device: the driver does the rest.
            let older = supported().iter().copied().filter(|known| *known <= architecture).max();
            format!("--gpu-architecture=compute_{}", older.unwrap_or(architecture))
        },
        "--std=c++17".to_owned(),
        "--pre-include=gpurepl.h".to_owned(),
        "--device-as-default-execution-space".to_owned(),
    ];
    for folder in folders {
        options.push(format!("--include-path={}", folder.display()));
        // Since CUDA 13 libcu++ has a folder of its own.
        options.push(format!("--include-path={}", folder.join("cccl").display()));
    }
    options.extend(source.options.iter().cloned());
    options.extend(line_information(source.options).map(str::to_owned));
    options.iter().map(|option| to_c(source.what, option)).collect()
}

fn to_c(what: &str, text: &str) -> Result<CString> {
    CString::new(text).map_err(|error| {
        let message = format!("byte {} is zero, which ends a text in C", error.nul_position());
        Problem::Device { operation: format!("compiling {what}"), message }.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_asked_for_once() {
        let options = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let missing = |is_asked_for, names: &[&str]| missing_line_information(is_asked_for, &options(names));
        assert_eq!(missing(true, &["--fmad=false"]), Some("--generate-line-info"));
        assert_eq!(missing(true, &["-lineinfo"]), None);
        assert_eq!(missing(true, &["--generate-line-info"]), None);
        assert_eq!(missing(false, &[]), None);
    }
}
