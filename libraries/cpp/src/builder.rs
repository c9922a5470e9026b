//! A text in C++ on its way to a module.

use std::path::{Path, PathBuf};

use gpurepl_extend::Result;

use crate::module::CppModule;
use crate::source::Source;

/// A text in C++ with what it is to be compiled with.
///
/// ```
/// use gpurepl_prelude::*;
/// let module = CppModule::builder("int factor() { return FACTOR; }").option("-DFACTOR=3").compile()?;
/// assert_eq!(module.call::<i32>("factor", ())?, 3);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CppModuleBuilder {
    source: Source,
}

impl CppModuleBuilder {
    pub(crate) fn of(source: Source) -> CppModuleBuilder {
        CppModuleBuilder { source }
    }

    /// Adds an option for the compiler, such as `-O3`, `-march=native` or `-std=c++20`. Without any, a text is
    /// compiled as C++17 by `-O2`.
    #[must_use]
    pub fn option(mut self, option: &str) -> CppModuleBuilder {
        self.source.options.push(option.to_owned());
        self
    }

    /// Adds a folder that files are included from. What is compiled is compiled again when a file that it includes
    /// has changed.
    #[must_use]
    pub fn include_dir(self, folder: impl AsRef<Path>) -> CppModuleBuilder {
        let folder = absolute(folder.as_ref());
        self.option(&format!("-I{}", folder.display()))
    }

    /// Links a library: `link("example")` for `libexample.so` or `libexample.a`, or the path of one.
    #[must_use]
    pub fn link(mut self, library: &str) -> CppModuleBuilder {
        let library = if library.contains('/') {
            absolute(Path::new(library)).display().to_string()
        } else {
            library.to_owned()
        };
        self.source.libraries.push(library);
        self
    }

    /// Adds a folder that libraries are searched in, when they are linked and when they are loaded.
    #[must_use]
    pub fn library_dir(mut self, folder: impl AsRef<Path>) -> CppModuleBuilder {
        self.source.library_dirs.push(absolute(folder.as_ref()));
        self
    }

    /// Adds another source file to the module, whose functions the text declares.
    #[must_use]
    pub fn file(mut self, path: impl AsRef<Path>) -> CppModuleBuilder {
        self.source.files.push(absolute(path.as_ref()));
        self
    }

    /// Whether functions get the device pointers of arrays on a GPU.
    ///
    /// On a GPU the text is compiled by nvcc then; where that is not installed, by the C++ compiler with the
    /// toolkit's headers and its run-time library, for a text without kernels. The context of the cell is current in
    /// a call, and all of its work is done before the call and after it. On the host device the text is compiled as
    /// any other, arrays being in the host's memory: `#ifdef __CUDACC__` tells the two apart.
    #[must_use]
    pub fn cuda(mut self, is_cuda: bool) -> CppModuleBuilder {
        self.source.is_cuda = is_cuda;
        self
    }

    /// Compiles the text, or takes it from the cache.
    ///
    /// # Errors
    ///
    /// As [`CppModule::new`], or if a file or a library is not there.
    pub fn compile(self) -> Result<CppModule> {
        CppModule::compile(self.source)
    }
}

/// A path that is right in any folder: the compiler runs in one of its own.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
