//! NVIDIA's libraries that others call: cuFFT, cuSOLVER.

use std::ffi::OsStr;

use libloading::os::unix::Library;

use super::library::{load, toolkit_folders};
use crate::error::{Problem, Result};

/// A library of NVIDIA's that is found at run time, as the driver is.
pub struct Vendor {
    /// What messages call it: "cuFFT".
    pub name: &'static str,
    /// The names of its versions, the newest first: `libcufft.so.12`. Whoever declares its functions
    /// has seen that these versions have them.
    pub files: &'static [&'static str],
    /// What installs it, besides the CUDA toolkit: "`pip install nvidia-cufft`".
    pub package: &'static str,
    /// The environment variable that keeps it away with `off`.
    pub switch: &'static str,
}

/// One of them, loaded for good.
pub struct VendorLibrary {
    name: &'static str,
    library: Library,
}

impl Vendor {
    /// Loads it, by the loader's paths, from toolkits, or from Python's packages.
    ///
    /// # Errors
    ///
    /// If none of its versions is installed, or the environment keeps it away.
    pub fn load(&self) -> Result<VendorLibrary> {
        let missing = |what: String, help: String| Problem::Missing { what, help };
        if std::env::var_os(self.switch).is_some_and(|wanted| wanted == OsStr::new("off")) {
            let what = format!("{} is switched off by {}=off", self.name, self.switch);
            return Err(missing(what, format!("unset {}", self.switch)).into());
        }
        match load(self.files, &toolkit_folders()) {
            Some(library) => Ok(VendorLibrary { name: self.name, library }),
            None => {
                let what = format!("{} ({}) was not found", self.name, self.files.join(", "));
                let help = format!(
                    "install the CUDA toolkit or {}, or set CUDA_PATH or LD_LIBRARY_PATH to where it is; or use the \
                     host device: `GPUREPL_DEVICE=host`",
                    self.package
                );
                Err(missing(what, help).into())
            }
        }
    }
}

impl VendorLibrary {
    /// A function of it.
    ///
    /// # Errors
    ///
    /// If it has none of this name: it is another version.
    ///
    /// # Safety
    ///
    /// `F` is the type that the library's headers give the function, in every version that
    /// [`Vendor::files`] names. The function may be called as long as the process lives if the
    /// library is not dropped.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> Result<F> {
        // SAFETY: the caller's promise.
        let found = unsafe { self.library.get::<F>(name.as_bytes()) };
        let found = found.map(|function| *function);
        found.map_err(|_| {
            let what = format!("this version of {} has no `{name}`", self.name);
            let help = "install the libraries of CUDA 12 or 13".to_owned();
            Problem::Missing { what, help }.into()
        })
    }
}
