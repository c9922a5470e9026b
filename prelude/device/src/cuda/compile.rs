//! CUDA C to machine code, by NVRTC within the process, or from the cache.

use std::ffi::CStr;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::nvrtc::{self, Outcome, Program};
use super::{headers, library, precompiled, properties};
use crate::error::CompileError;
use crate::error::{Problem, Result};
use crate::includes::{self, Closure, Search};
use crate::{Target, cache, debug};

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
    compile_to(source, capability, Target::Cubin, properties::driver_version()?)
}

/// [`compile`] to machine code or PTX, under a driver of this version.
pub(super) fn compile_to(
    source: &Source<'_>,
    capability: (i32, i32),
    target: Target,
    driver: i32,
) -> Result<Compiled> {
    // What the library generates itself is nothing to look at in a debugger.
    if debug::is_on() && !source.texts.is_empty() {
        return with_debug_information(source, capability, target);
    }
    let files = Files::of(source);
    let mut parts: Vec<&[u8]> = Vec::new();
    let (mut options, kernels) = (source.options.join("\0"), source.kernels.join("\0"));
    options.push_str(line_information(source.options).unwrap_or_default());
    let (major, minor, driver) =
        (capability.0.to_le_bytes(), capability.1.to_le_bytes(), driver.to_le_bytes());
    parts.extend([b"cuda", source.text.as_bytes(), options.as_bytes(), kernels.as_bytes()]);
    parts.extend([&major[..], &minor, &driver, nvrtc::identity().as_bytes(), target.name().as_bytes()]);
    parts.extend(files.headers.iter().flat_map(|(name, contents)| [name.to_bytes(), contents.to_bytes()]));
    parts.push(files.closure.as_ref().map_or(&[], |closure| &closure.digest));
    let file = format!("{}.{}", cache::key(&parts), target.name());
    // What a macro includes is in no key.
    let is_whole = files.closure.is_some();
    if is_whole
        && let Some(compiled) = cache::kernel(&file).and_then(|bytes| unpack(&bytes, source.kernels.len()))
    {
        return Ok(compiled);
    }
    library::nvrtc()?;
    let compiled = run(source, capability, target, &files, &[])?;
    if is_whole {
        cache::write(&file, &pack(&compiled));
    }
    Ok(compiled)
}

/// Compiles a source for a debugger: under the path of a file that holds it.
fn with_debug_information(source: &Source<'_>, capability: (i32, i32), target: Target) -> Result<Compiled> {
    library::nvrtc()?;
    let option = ["--device-debug".to_owned()];
    let files = Files::of(source);
    let users =
        source.texts.iter().find(|(name, _)| *name == source.name).map_or(source.text, |(_, text)| text);
    let Some(path) = debug::keep(source.name, users).map(|path| path.display().to_string()) else {
        return run(source, capability, target, &files, &option);
    };
    let (before, after) = (format!("#line 1 \"{}\"", source.name), format!("#line 1 \"{path}\""));
    let text = source.text.replace(&before, &after);
    let texts: Vec<(&str, &str)> = source
        .texts
        .iter()
        .map(|(name, text)| (if *name == source.name { path.as_str() } else { name }, *text))
        .collect();
    run(&Source { texts: &texts, text: &text, name: &path, ..*source }, capability, target, &files, &option)
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

/// Compiles a source. The caller has made sure of NVRTC.
fn run(
    source: &Source<'_>,
    capability: (i32, i32),
    target: Target,
    files: &Files,
    more: &[String],
) -> Result<Compiled> {
    let is_native = target == Target::Cubin && is_supported(capability);
    let mut options = options(source, capability, is_native, &files.toolkit);
    options.extend_from_slice(more);
    let attempt = |options: &[String]| -> Result<(Program, Outcome)> {
        let program = Program::new(source.what, source.text, source.name, &files.headers, source.kernels)?;
        let outcome = program.compile(options)?;
        Ok((program, outcome))
    };
    let has_toolkit = files.closure.as_ref().is_some_and(|closure| closure.has_toolkit);
    let precompiled_options = precompiled::options(source.text, has_toolkit, &options);
    let (program, outcome) = if precompiled_options.is_empty() {
        attempt(&options)?
    } else {
        match attempt(&[precompiled_options, options.clone()].concat()) {
            Ok((program, Outcome::Compiled)) => {
                precompiled::note(program.precompiled());
                (program, Outcome::Compiled)
            }
            // The source's own mistake, or the precompiled header's: without
            // one it is the source's.
            failed => {
                let again = attempt(&options)?;
                if failed.is_err() || matches!(again.1, Outcome::Compiled) {
                    precompiled::turn_off();
                }
                again
            }
        }
    };
    if matches!(outcome, Outcome::Refused) {
        let error = CompileError::from_nvrtc(source.what, source.texts, &program.log());
        return Err(Problem::Compile(error).into());
    }
    let names = program.lowered_names()?;
    let image = if is_native { program.cubin()? } else { program.ptx()? };
    Ok(Compiled { image, names })
}

fn is_supported((major, minor): (i32, i32)) -> bool {
    nvrtc::architectures().contains(&(10 * major + minor))
}

/// A header's name and its text.
type Header = (&'static CStr, &'static CStr);

/// What a source can include.
struct Files {
    /// The toolkits' folders.
    toolkit: Vec<PathBuf>,
    /// The headers that NVRTC gets beside them. Ours would be found before
    /// those of a folder, so they give way, also to a folder that the user
    /// names.
    headers: Vec<Header>,
    /// What it does include; none if that cannot be known.
    closure: Option<Closure>,
}

impl Files {
    fn of(source: &Source<'_>) -> Files {
        let mut toolkit = folders().to_vec();
        let named = Search::from_options(source.options).map(|search| search.named).unwrap_or_default();
        let included = includes::names(source.text);
        let headers_for = |toolkit: &[PathBuf]| headers::for_folders(&named, toolkit, &included);
        let mut headers = headers_for(&toolkit);
        // NVRTC carries more of the toolkit than it shows.
        let is_missing = |name: &String| {
            headers::is_in_toolkit(name)
                && !headers.iter().any(|(known, _)| known.to_bytes() == name.as_bytes())
                && !named.iter().chain(&toolkit).any(|folder| folder.join(name).is_file())
        };
        if included.iter().any(is_missing)
            && let Some(bundled) = nvrtc::bundled_headers()
        {
            toolkit.extend([bundled.to_owned(), bundled.join("cccl")]);
            headers = headers_for(&toolkit);
        }
        let closure = Search::from_options(source.options).and_then(|search| {
            let search = Search { toolkit: toolkit.clone(), ..search };
            includes::closure(source.text, std::env::current_dir().ok().as_deref(), &search)
        });
        Files { toolkit, headers, closure }
    }
}

/// The folders of the toolkits on this machine. They are searched once: a
/// kernel from the cache should cost no search.
fn folders() -> &'static [PathBuf] {
    static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOLDERS.get_or_init(|| {
        let of_toolkit = |toolkit: PathBuf| {
            let include = toolkit.join("include");
            // Since CUDA 13 libcu++ has a folder of its own.
            let libcu = include.join("cccl");
            [include, libcu]
        };
        let mut folders: Vec<PathBuf> = library::toolkits().into_iter().flat_map(of_toolkit).collect();
        folders.retain(|folder| folder.is_dir());
        folders
    })
}

fn options(
    source: &Source<'_>,
    (major, minor): (i32, i32),
    is_native: bool,
    folders: &[PathBuf],
) -> Vec<String> {
    let architecture = 10 * major + minor;
    let mut options = vec![
        if is_native {
            format!("--gpu-architecture=sm_{architecture}")
        } else {
            // The latest that is older than the device: the driver does the rest.
            let older = nvrtc::architectures().iter().copied().filter(|known| *known <= architecture).max();
            format!("--gpu-architecture=compute_{}", older.unwrap_or(architecture))
        },
        "--pre-include=gpurepl.h".to_owned(),
        "--device-as-default-execution-space".to_owned(),
    ];
    // A user's own standard takes its place.
    if !source.options.iter().any(|option| option.starts_with("--std") || option.starts_with("-std")) {
        options.push("--std=c++17".to_owned());
    }
    // The user's folders come first.
    options.extend(source.options.iter().cloned());
    options.extend(line_information(source.options).map(str::to_owned));
    options.extend(folders.iter().map(|folder| format!("--include-path={}", folder.display())));
    options
}

#[cfg(test)]
mod tests;
