//! Modules in C++.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use gpurepl_extend::compilers::{self, SystemCompiler};
use gpurepl_extend::{Context, DeviceKind, Result, error};

use crate::argument::{CppArgumentList, CppArguments};
use crate::builder::CppModuleBuilder;
use crate::call;
use crate::compiled::{Trampoline, compile_module};
use crate::linked::{self, Loaded};
use crate::result::CppResult;
use crate::source::{Source, Toolchain};
use crate::toolkit;
use crate::trampoline::{self, Signature};

/// A text in C++ whose functions are called with arrays: Python's bindings without a file for them.
///
/// ```
/// use gpurepl_prelude::*;
/// let module = CppModule::new(
///     "#include <cstddef>
///      template <typename T> T sum(const T *x, std::size_t n) {
///          T total = 0;
///          for (std::size_t i = 0; i < n; ++i) total += x[i];
///          return total;
///      }",
/// )?;
/// let x = arange(0.0..100.0);
/// # if device().kind() == DeviceKind::Host {
/// assert_eq!(module.call::<f64>("sum", (&x, x.len()))?, 4950.0);
/// assert_eq!(module.call::<f32>("sum", (&x.astype(f32), x.len()))?, 4950.0);
/// # }
/// # Ok::<(), Error>(())
/// ```
///
/// What a function takes is not read from the text: for each function, with the types of the arguments that it
/// is called with, a few lines are compiled that call it, once. So the compiler chooses among functions of one
/// name, deduces the types of templates and checks the rest, and what it refuses is an error of the call.
///
/// | given | C++ has |
/// |---|---|
/// | `2.0`, `2_i32`, `true`, `x.len()`, `Complex64` | `double`, `std::int32_t`, `bool`, `std::size_t`, `std::complex<double>`, by value |
/// | `&array`, `&slice`, `&vector` of `f32` | `const float *` |
/// | `&mut array`, `&mut slice`, `&mut vector` | `float *` |
/// | `&mut number` | `float *` |
/// | `"text"` | `const char *` |
/// | `Struct(value)` | the structure of this name, which the text declares |
/// | a `*mut c_void` that a function has returned | a pointer to anything |
///
/// On the host device arrays are in the program's memory. A GPU's are not, so a module is given them only if it
/// was made with [`CppModuleBuilder::cuda`]: its functions get device pointers then.
#[derive(Clone)]
pub struct CppModule {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) source: Source,
    pub(crate) toolchain: Toolchain,
    pub(crate) loaded: Loaded,
    instance: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    trampolines: HashMap<Signature, Arc<Trampoline>>,
    /// Trampolines that hold variables which others search before their own.
    with_variables: Vec<String>,
}

/// A function of a [`CppModule`], by its name.
#[derive(Clone)]
pub struct CppFunction {
    module: CppModule,
    name: String,
}

impl CppModule {
    /// Compiles a text in C++17, or takes it from the cache.
    ///
    /// # Errors
    ///
    /// If the text does not compile; the error shows its lines. If there is no compiler, it says which to install.
    pub fn new(text: &str) -> Result<CppModule> {
        CppModule::builder(text).compile()
    }

    /// [`CppModule::new`] of a file, beside which `#include "name.hpp"` is searched.
    ///
    /// # Errors
    ///
    /// As [`CppModule::new`], or if the file cannot be read.
    pub fn from_file(path: impl AsRef<Path>) -> Result<CppModule> {
        CppModule::file_builder(path)?.compile()
    }

    /// A text that is to be compiled with options, folders or libraries.
    pub fn builder(text: &str) -> CppModuleBuilder {
        CppModuleBuilder::of(Source {
            text: text.to_owned(),
            name: "module.cpp".to_owned(),
            ..Source::default()
        })
    }

    /// [`CppModule::builder`] of a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn file_builder(path: impl AsRef<Path>) -> Result<CppModuleBuilder> {
        let path = path.as_ref();
        let text =
            std::fs::read_to_string(path).map_err(|why| error::io("read the C++ module", path, why))?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let whole = std::path::absolute(path).ok();
        let folder = whole.as_deref().and_then(Path::parent).map(Path::to_owned);
        Ok(CppModuleBuilder::of(Source { text, name, folder, ..Source::default() }))
    }

    /// Calls a function: `module.call::<f64>("sum", (&x, x.len()))`.
    ///
    /// The name may be qualified and may name an instance of a template: `example::sum<double>`. The call waits for
    /// what computes the arrays, and is done when it returns.
    ///
    /// # Errors
    ///
    /// If there is no such function, it does not take the arguments, what it returns cannot be asked for as `R`
    /// without a loss, an array is not contiguous or on a GPU, or the function throws an exception.
    pub fn call<'a, R: CppResult>(&self, function: &str, arguments: impl CppArguments<'a>) -> Result<R> {
        let mut list = CppArgumentList::default();
        arguments.list(&mut list);
        call::perform(self, function, list, R::TYPE).map(|returned| R::take(&returned))
    }

    /// A function, to be called several times.
    ///
    /// Whether the module has it is seen at its first call, as that depends on the arguments.
    ///
    /// # Errors
    ///
    /// If the text is not the name of a function.
    pub fn function(&self, name: &str) -> Result<CppFunction> {
        check_name(name)?;
        Ok(CppFunction { module: self.clone(), name: name.trim().to_owned() })
    }

    /// The text.
    pub fn source(&self) -> &str {
        &self.inner.source.text
    }

    pub(crate) fn compile(source: Source) -> Result<CppModule> {
        source.check()?;
        let toolchain = toolchain(&source)?;
        CppModule::by(source, toolchain)
    }

    fn by(source: Source, toolchain: Toolchain) -> Result<CppModule> {
        let bytes = compile_module(&source, &toolchain)?;
        let instance = linked::new_instance();
        let loaded = linked::load("the C++ module", bytes, &instance, false)?;
        let inner = Inner { source, toolchain, loaded, instance, state: Mutex::default() };
        Ok(CppModule { inner: Arc::new(inner) })
    }
}

impl CppFunction {
    /// Calls it, as [`CppModule::call`] does.
    ///
    /// # Errors
    ///
    /// As [`CppModule::call`].
    pub fn call<'a, R: CppResult>(&self, arguments: impl CppArguments<'a>) -> Result<R> {
        self.module.call(&self.name, arguments)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Debug for CppModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.inner.source.text.lines().count();
        write!(f, "CppModule({}, {lines} lines)", self.inner.source.name)
    }
}

impl fmt::Debug for CppFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CppFunction({} of {})", self.name, self.module.inner.source.name)
    }
}

pub(crate) fn check_name(name: &str) -> Result<()> {
    if trampoline::is_name(name) {
        return Ok(());
    }
    let message = "this is not the name of a function in C++; pass one such as \"sum\" or \"example::sum<double>\", and its \
                   arguments apart"
        .to_owned();
    Err(error::argument(name, message))
}

fn toolchain(source: &Source) -> Result<Toolchain> {
    if source.is_cuda {
        let context = Context::current()?;
        if context.device().kind() != DeviceKind::Host {
            return toolkit::for_gpu(context);
        }
    }
    Ok(Toolchain::System { compiler: SystemCompiler::find("a CppModule")?, runtime: None })
}

impl Inner {
    pub(crate) fn is_for_gpus(&self) -> bool {
        self.source.is_cuda && !matches!(self.toolchain, Toolchain::System { runtime: None, .. })
    }

    /// What calls a function with arguments of given types: made once.
    pub(crate) fn trampoline(&self, signature: Signature) -> Result<Arc<Trampoline>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = state.trampolines.get(&signature) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(self.make(&signature, &mut state)?);
        state.trampolines.insert(signature, Arc::clone(&made));
        Ok(made)
    }

    fn make(&self, signature: &Signature, state: &mut State) -> Result<Trampoline> {
        let what = format!("the call of `{}`", signature.function);
        let key = self.source.key(&self.toolchain, &[&signature.before(), &signature.after(&[])]);
        if let Some(bytes) = key.as_deref().and_then(compilers::kept)
            && let Ok(loaded) = linked::load(&what, bytes, &self.instance, true)
        {
            return Trampoline::new(signature, loaded);
        }
        let (bytes, own) = self.compile_trampoline(signature, &state.with_variables)?;
        match own {
            None => {
                if let Some(key) = key {
                    compilers::keep(&key, &bytes);
                }
            }
            Some(own) => state.with_variables.push(own),
        }
        let loaded = linked::load(&what, bytes, &self.instance, true)?;
        Trampoline::new(signature, loaded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolkit::Toolkit;

    const TEXT: &str = "
#include <cstddef>
#include <vector>
static int counter = 0;
std::vector<int> table{1, 2, 3};
__device__ int state = 0;
__global__ void scale_kernel(float *x, float by) { x[threadIdx.x] *= by; state = 1; }
void scale(float *x, float by) { scale_kernel<<<1, 32>>>(x, by); ++counter; }
int next(int by) { return counter += by; }
template <class T> T add(const T *x, std::size_t n, int more) { table.push_back(1); T s = more; while (n--) s += x[n]; return s; }
int size() { return static_cast<int>(table.size()); }
template <class T> __global__ void fill_kernel(T *x, T value) { x[threadIdx.x] = value; state = 2; }
template <class T> void fill(T *x, T value) { fill_kernel<<<1, 32>>>(x, value); }
double half(double x) { return x / 2; }
";

    /// nvcc needs no GPU to compile, nor do functions that launch nothing: `GPUREPL_TEST_NVCC` is its path.
    #[test]
    fn a_text_that_nvcc_compiles_is_called_as_any_other() {
        let Some(nvcc) = std::env::var_os("GPUREPL_TEST_NVCC").filter(|path| !path.is_empty()) else {
            crate::ignored::ignored(
                "needs nvcc, of the toolkit for an NVIDIA GPU: GPUREPL_TEST_NVCC is its path",
            );
            return;
        };
        let home = Path::new(&nvcc).parent().and_then(Path::parent).unwrap();
        let toolkit = Toolkit::at(home).unwrap();
        let by = |text: &str| {
            let toolchain = Toolchain::Nvcc { toolkit: toolkit.clone(), architecture: "sm_90".to_owned() };
            let source = Source { text: text.to_owned(), name: "module.cpp".to_owned(), ..Source::default() };
            CppModule::by(source, toolchain)
        };
        let module = by(TEXT).unwrap();
        let words = |result: Result<f64>| result.unwrap_err().to_string();
        assert_eq!(module.call::<i32>("next", 2).unwrap(), 2);
        assert_eq!(module.call::<i64>("next", 2_usize).unwrap(), 4);
        assert_eq!(module.call::<f64>("add", (&[1.0, 2.0], 2_usize, 1)).unwrap(), 4.0);
        assert_eq!(module.call::<f32>("add", (&[1.0_f32], 1_usize, 1)).unwrap(), 2.0);
        assert_eq!(module.call::<i32>("size", ()).unwrap(), 5);
        let found = words(module.call("half", &[1.0]));
        assert!(found.starts_with("half: no matching function for (const f64*)"), "{found}");
        let found = words(module.call("hall", 1.0));
        assert!(found.contains("did you mean `half`"), "{found}");
        let found = module.call::<()>("fill", (&mut [1.0_f32], 2.0_f32)).unwrap_err().to_string();
        assert!(found.contains("`__device__`"), "{found}");
        let found = by("int f() {\n    return missing;\n}\n").unwrap_err().to_string();
        assert!(found.contains("module.cpp line 2"), "{found}");
    }
}
