//! Libraries that are compiled already.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use gpurepl_extend::compilers::SystemCompiler;
use gpurepl_extend::{Context, DeviceKind, Error, Result, error, refuse_in_capture};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::argument::{CppArgumentList, CppArguments};
use crate::call::{self, Code};
use crate::compiled::{Trampoline, compile_module};
use crate::convert;
use crate::linked;
use crate::prototype::{self, CType, Prototype};
use crate::result::{CppResult, ResultType, Returned};
use crate::source::{Source, Toolchain};

/// A library that is compiled already, with an interface of C: `libm.so.6`, `libexample.so`.
///
/// ```
/// use gpurepl_prelude::*;
/// let math = SharedLibrary::open("libm.so.6")?;
/// // SAFETY: `math.h` declares it so.
/// let cos = unsafe { math.function("double cos(double x)") }?;
/// assert_eq!(cos.call::<f64>(0.0)?, 1.0);
/// # Ok::<(), Error>(())
/// ```
///
/// A library does not say what its functions take. A prototype that is another function's is undefined behaviour, so
/// giving one is `unsafe`. The safe way is a [`CppModule`](crate::CppModule) that includes the library's header and
/// links it: the compiler sees the declarations then, and templates and classes as well.
///
/// A library stays loaded for good.
#[derive(Clone)]
pub struct SharedLibrary {
    inner: Arc<Opened>,
    is_cuda: bool,
}

pub(crate) struct Opened {
    name: String,
    library: std::mem::ManuallyDrop<Library>,
}

/// A function of a [`SharedLibrary`].
#[derive(Clone)]
pub struct LibraryFunction {
    library: SharedLibrary,
    prototype: Arc<Prototype>,
    address: usize,
    trampoline: Arc<Trampoline>,
}

impl SharedLibrary {
    /// Loads a library, by its path, or by a name that the system's loader searches.
    ///
    /// # Errors
    ///
    /// If there is none of this name, or it cannot be loaded.
    pub fn open(name: impl AsRef<Path>) -> Result<SharedLibrary> {
        Ok(SharedLibrary { inner: Arc::new(Opened::new(name.as_ref())?), is_cuda: false })
    }

    /// Whether its functions take device memory: arrays on a GPU are refused without.
    #[must_use]
    pub fn cuda(mut self, is_cuda: bool) -> SharedLibrary {
        self.is_cuda = is_cuda;
        self
    }

    /// A function by its prototype in C: `"double cos(double x)"`.
    ///
    /// Parameters are numbers, pointers to numbers, `char *` and `void *`. What calls a function of these types is
    /// compiled once.
    ///
    /// # Errors
    ///
    /// If the text is not a prototype, has a type that is not passed, or the library has no such function; if there is
    /// no C++ compiler.
    ///
    /// # Safety
    ///
    /// The library has a function of this name with this very type. Where it takes pointers, it reads and writes no
    /// more elements than the arrays have that it is called with.
    pub unsafe fn function(&self, prototype: &str) -> Result<LibraryFunction> {
        let prototype = prototype::parse(prototype)?;
        let address = self.inner.address(&prototype.name)?;
        let trampoline = trampoline(&prototype)?;
        Ok(LibraryFunction { library: self.clone(), prototype: Arc::new(prototype), address, trampoline })
    }

    /// Whether it has a function or a variable of this name.
    pub fn has(&self, name: &str) -> bool {
        self.inner.find(name).is_some()
    }
}

impl Opened {
    pub(crate) fn new(name: &Path) -> Result<Opened> {
        let shown = name.display().to_string();
        // SAFETY: loading runs the library's initialisers, which the user asks for by naming it.
        match unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) } {
            Ok(library) => Ok(Opened { name: shown, library: std::mem::ManuallyDrop::new(library) }),
            Err(why) => Err(not_opened(name, &why)),
        }
    }

    fn find(&self, name: &str) -> Option<usize> {
        // SAFETY: the symbol is looked up, and not used as anything.
        unsafe { self.library.get::<*const ()>(name.as_bytes()) }.ok().map(|found| *found as usize)
    }

    /// The address of a function.
    pub(crate) fn address(&self, name: &str) -> Result<usize> {
        self.find(name).filter(|address| *address != 0).ok_or_else(|| {
            let message = format!(
                "{} has no function of this name\n  = help: `nm -D --defined-only` lists what a library has; a function of C++ \
                 is there under another name unless it is `extern \"C\"`: use a CppModule with the library's header",
                self.name
            );
            error::argument(name, message)
        })
    }
}

fn not_opened(name: &Path, why: &libloading::Error) -> Error {
    let cause = std::error::Error::source(why).map_or_else(|| why.to_string(), ToString::to_string);
    let shown = name.display();
    let is_path = name.components().count() > 1;
    if is_path && !name.exists() {
        return error::missing(
            format!("the library {shown} does not exist"),
            "name the path of a `.so` file; `:cd` says which folder a path begins in".to_owned(),
        );
    }
    let is_absent = cause.contains(&format!("{shown}: cannot open shared object file: No such file"));
    if is_absent {
        return error::missing(
            format!("the library {shown} was not found"),
            "give its path, or set LD_LIBRARY_PATH to its folder before the start; `ldconfig -p` lists what is found by name"
                .to_owned(),
        );
    }
    error::missing(
        format!("the library {shown} cannot be loaded: {cause}"),
        "`ldd` shows which other libraries it needs; a file must be a shared library (`g++ -shared -fPIC`)"
            .to_owned(),
    )
}

impl LibraryFunction {
    /// Calls the function: `cos.call::<f64>(1.0)`. Numbers are converted to the types of the prototype where these can
    /// hold them.
    ///
    /// # Errors
    ///
    /// If the number or the type of an argument is not the prototype's, what it returns cannot be asked for as `R`, or
    /// an array is not contiguous or on a GPU.
    pub fn call<'a, R: CppResult>(&self, arguments: impl CppArguments<'a>) -> Result<R> {
        let mut list = CppArgumentList::default();
        arguments.list(&mut list);
        self.perform(list, R::TYPE).map(|returned| R::take(&returned))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.prototype.name
    }

    fn perform(&self, arguments: CppArgumentList<'_>, result: ResultType) -> Result<Returned> {
        let name = &self.prototype.name;
        refuse_in_capture("a call of a library")?;
        convert::check_result(name, &self.prototype.result, result)?;
        let mut items = arguments.checked(name)?;
        let (given, wanted) = (items.len(), self.prototype.parameters.len());
        if given != wanted {
            let message = format!("the prototype has {wanted} arguments, {given} are given: `{self:?}`");
            return Err(error::argument(name, message));
        }
        for (k, (item, of)) in items.iter_mut().zip(&self.prototype.parameters).enumerate() {
            convert::argument(name, k + 1, item, of)?;
        }
        let is_for_gpus = self.library.is_cuda && Context::current()?.device().kind() != DeviceKind::Host;
        let otherwise = "open a library that takes device memory by `SharedLibrary::open(name)?.cuda(true)`";
        call::check_arrays(name, &items, is_for_gpus, otherwise)?;
        let code = Code { trampoline: Arc::clone(&self.trampoline), function: self.address };
        let returned = call::call(name, &code, items, is_for_gpus)?;
        convert::result(name, &self.prototype.result, result, returned)
    }
}

/// What calls any function of the types of a prototype: compiled once for them.
fn trampoline(prototype: &Prototype) -> Result<Arc<Trampoline>> {
    static KNOWN: Mutex<Option<HashMap<String, Arc<Trampoline>>>> = Mutex::new(None);
    let text = text(prototype);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(made) = known.get(&text) {
        return Ok(Arc::clone(made));
    }
    let toolchain =
        Toolchain::System { compiler: SystemCompiler::find("a function of a library")?, runtime: None };
    let source = Source { text: text.clone(), name: "prototype.cpp".to_owned(), ..Source::default() };
    let bytes = compile_module(&source, &toolchain)?;
    let loaded = linked::load("the call of the library", bytes, &linked::new_instance(), false)?;
    let made = Arc::new(Trampoline::named("gpurepl_call", loaded)?);
    known.insert(text, Arc::clone(&made));
    Ok(made)
}

/// The text of an entry that calls a function of C by its address, which comes behind the arguments.
fn text(prototype: &Prototype) -> String {
    let types: Vec<String> = prototype.parameters.iter().map(CType::words).collect();
    let arguments: Vec<String> =
        types.iter().enumerate().map(|(k, of)| format!("*static_cast<{of} *>(arguments[{k}])")).collect();
    let result = prototype.result.words();
    let call = format!(
        "reinterpret_cast<{result} (*)({})>(arguments[{}])({})",
        types.join(", "),
        types.len(),
        arguments.join(", ")
    );
    let body = match prototype.result {
        CType::Void => format!("{call};"),
        _ => format!("{result} value = {call};\n        std::memcpy(result, &value, sizeof value);"),
    };
    format!(
        "#include <cstddef>\n#include <cstdint>\n#include <cstdio>\n#include <cstring>\n#include <sys/types.h>\n\
         typedef bool _Bool;\n\
         extern \"C\" int gpurepl_call(void **arguments, void *result, char *, std::size_t) {{\n    try {{\n        {body}\n    \
         }} catch (...) {{\n        return 3;\n    }}\n    std::fflush(stdout);\n    return 0;\n}}\n"
    )
}

impl fmt::Debug for SharedLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedLibrary({})", self.inner.name)
    }
}

impl fmt::Debug for LibraryFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let types: Vec<String> = self.prototype.parameters.iter().map(CType::words).collect();
        write!(f, "{} {}({})", self.prototype.result.words(), self.prototype.name, types.join(", "))
    }
}
