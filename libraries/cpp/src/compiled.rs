//! Compiling a module, and what calls its functions.

use std::collections::BTreeSet;
use std::path::Path;

use gpurepl_extend::compilers::{self, SystemCompiler};
use gpurepl_extend::{Result, error};

use crate::assembly;
use crate::linked::{self, Loaded, PLACEHOLDER};
use crate::messages::{self, Conversion};
use crate::module::Inner;
use crate::source::{Source, Toolchain};
use crate::trampoline::{Signature, type_name};

/// The entry of a trampoline: arguments, the place of the result, and of words with their room.
pub(crate) type Entry = unsafe extern "C" fn(*mut *mut u8, *mut u8, *mut u8, usize) -> i32;

/// Code that calls a function with arguments of given types.
pub(crate) struct Trampoline {
    pub(crate) entry: Entry,
    /// What the entry lies in.
    _loaded: Loaded,
}

/// How many bytes of a message are kept.
pub(crate) const WORDS: usize = 4096;

impl Trampoline {
    /// A loaded file whose entry has this name.
    pub(crate) fn named(entry: &str, loaded: Loaded) -> Result<Trampoline> {
        let address = loaded.address(entry);
        let address =
            address.ok_or_else(|| error::device("C++", "what was compiled has no entry".to_owned()))?;
        // SAFETY: the text that was compiled defines the function with this type, and the file stays loaded.
        let entry = unsafe { std::mem::transmute::<usize, Entry>(address) };
        Ok(Trampoline { entry, _loaded: loaded })
    }

    /// The entry of a loaded file, if the function's result can be asked for as it is.
    pub(crate) fn new(signature: &Signature, loaded: Loaded) -> Result<Trampoline> {
        let made = Trampoline::named(&signature.entry(), loaded)?;
        let mut words = vec![0_u8; WORDS];
        // SAFETY: without arguments the entry writes words within their room, and calls nothing.
        let status = unsafe {
            (made.entry)(std::ptr::null_mut(), std::ptr::null_mut(), words.as_mut_ptr(), words.len())
        };
        let words = text_of(&words);
        if status == 0 {
            return Ok(made);
        }
        Err(messages::wrong_result(signature, type_name(&words)))
    }
}

/// The words before the first zero byte.
pub(crate) fn text_of(words: &[u8]) -> String {
    let end = words.iter().position(|byte| *byte == 0).unwrap_or(words.len());
    String::from_utf8_lossy(&words[..end]).into_owned()
}

/// The file of a module, compiled or kept.
pub(crate) fn compile_module(source: &Source, toolchain: &Toolchain) -> Result<Vec<u8>> {
    let key = source.key(toolchain, &["module"]);
    if let Some(bytes) = key.as_deref().and_then(compilers::kept) {
        return Ok(bytes);
    }
    let folder = folder()?;
    let is_nvcc = matches!(toolchain, Toolchain::Nvcc { .. });
    let input = folder.path().join(if is_nvcc { "module.cu" } else { "module.cpp" });
    let output = folder.path().join("module.so");
    write(&input, &format!("#line 1 \"{}\"\n{}\n", source.name, source.text))?;
    let mut command = source.command(toolchain);
    command.arg("-shared").arg("-o").arg(&output);
    if is_nvcc {
        command.args(["-x", "cu"]).arg(&input);
        command.arg(format!("-Xlinker=-soname,{PLACEHOLDER}")).arg("-Xlinker=-Bsymbolic");
    } else {
        // Lines for what the linker misses.
        command.arg("-g1").arg(&input);
        command.arg(format!("-Wl,-soname,{PLACEHOLDER}")).args(["-Wl,-Bsymbolic", "-Wl,--no-undefined"]);
    }
    command.args(source.link_arguments(toolchain));
    let (is_done, log) = compilers::run(&mut command, "the C++ module", folder.path())?;
    if !is_done {
        return Err(source.compile_error(&messages::as_gcc_writes(&log)));
    }
    let bytes = std::fs::read(&output).map_err(|why| error::io("reading", &output, why))?;
    if let Some(key) = key {
        compilers::keep(&key, &bytes);
    }
    Ok(bytes)
}

impl Inner {
    /// The file of a trampoline, and the name that it is to be found by if it holds variables of its own.
    pub(crate) fn compile_trampoline(
        &self,
        signature: &Signature,
        with_variables: &[String],
    ) -> Result<(Vec<u8>, Option<String>)> {
        let mut fitted: Vec<(usize, String)> = Vec::new();
        let folder = folder()?;
        loop {
            let text = format!(
                "{}#line 1 \"{}\"\n{}\n{}",
                signature.before(),
                self.source.name,
                self.source.text,
                signature.after(&fitted)
            );
            let log = self.to_assembly(signature, &text, folder.path())?;
            let new = messages::conversions(signature, &log)?;
            let known: BTreeSet<usize> = fitted.iter().map(|(number, _)| *number).collect();
            let new: Vec<Conversion> = new.into_iter().filter(|new| !known.contains(&new.number)).collect();
            if new.is_empty() {
                break;
            }
            fitted.extend(new.into_iter().map(|new| (new.number, new.to)));
        }
        self.link_trampoline(signature, with_variables, folder.path())
    }

    /// Compiles a trampoline to `call.s`, and returns the warnings.
    fn to_assembly(&self, signature: &Signature, text: &str, folder: &Path) -> Result<String> {
        let mut command = self.source.command(&self.toolchain);
        if let Toolchain::Nvcc { .. } = self.toolchain {
            // The host's half as the host's compiler is given it, with the kernels' code as data.
            let input = folder.join("call.cu");
            write(&input, text)?;
            command.args(["-x", "cu", "-c", "-Xcompiler=-S,-Wconversion,-Wsign-conversion"]).arg(&input);
        } else {
            let input = folder.join("call.cpp");
            write(&input, text)?;
            command.args(["-Wconversion", "-Wsign-conversion", "-S"]).arg(&input);
        }
        command.arg("-o").arg(folder.join("call.s"));
        let what = format!("the call of `{}`", signature.function);
        let (is_done, log) = compilers::run(&mut command, &what, folder)?;
        let log = messages::as_gcc_writes(&log);
        if is_done { Ok(log) } else { Err(messages::refused(signature, &self.source, &log)) }
    }

    fn link_trampoline(
        &self,
        signature: &Signature,
        with_variables: &[String],
        folder: &Path,
    ) -> Result<(Vec<u8>, Option<String>)> {
        let (path, output) = (folder.join("call.s"), folder.join("call.so"));
        let text = std::fs::read_to_string(&path).map_err(|why| error::io("reading", &path, why))?;
        let (text, initialisers) = assembly::without_initialisers(&text);
        let is_modules = |name: &str| self.loaded.address(name).is_some();
        let reached = assembly::reached(&text, &signature.entry(), &initialisers, &is_modules);
        if let [first, ..] = &reached.private[..] {
            return Err(messages::private_variable(signature, first));
        }
        if reached.launches_own && text.contains("__cudaRegisterVar") {
            return Err(messages::private_device_variable(signature));
        }
        write(&path, &text)?;
        let mut command = match &self.toolchain {
            Toolchain::System { .. } => self.source.command(&self.toolchain),
            Toolchain::Nvcc { .. } => SystemCompiler::find("a CppModule")?.command(),
        };
        command.arg("-shared").arg("-o").arg(&output).arg(&path);
        for instance in std::iter::once(PLACEHOLDER).chain(with_variables.iter().map(String::as_str)) {
            command.arg(format!("-Wl,-f,{instance}"));
        }
        if let Toolchain::Nvcc { toolkit, .. } = &self.toolchain {
            command.arg(format!("-L{}", toolkit.lib.display())).arg(format!("-l:{}", toolkit.runtime));
        }
        let own = reached.has_own.then(linked::new_instance);
        if let Some(own) = &own {
            command.arg(format!("-Wl,-soname,{own}"));
        }
        let (is_done, log) = compilers::run(&mut command, "the call", folder)?;
        if !is_done {
            return Err(self.source.compile_error(&log));
        }
        let bytes = std::fs::read(&output).map_err(|why| error::io("reading", &output, why))?;
        Ok((bytes, own))
    }
}

fn folder() -> Result<compilers::TemporaryFolder> {
    compilers::temporary_folder("cpp-")
        .map_err(|why| error::io("making a folder in", &std::env::temp_dir(), why))
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|why| error::io("writing", path, why))
}
