//! NVIDIA's compiler, and the headers and the run-time library of its toolkit.

use std::path::{Path, PathBuf};

use gpurepl_extend::{Context, Error, Result, compilers, error};

use crate::source::Toolchain;

/// A toolkit on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Toolkit {
    pub(crate) nvcc: PathBuf,
    pub(crate) include: PathBuf,
    pub(crate) lib: PathBuf,
    /// The file of the run-time library there: `libcudart.so`, or `libcudart.so.13` of a package for Python.
    pub(crate) runtime: String,
}

/// What compiles a module that is given device memory of a GPU.
///
/// # Errors
///
/// If there is neither nvcc, nor a C++ compiler with the toolkit's headers and run-time library.
pub(crate) fn for_gpu(context: Context) -> Result<Toolchain> {
    let kits: Vec<Toolkit> = compilers::toolkits().iter().filter_map(|folder| Toolkit::at(folder)).collect();
    let with_nvcc = kits.iter().find(|kit| kit.nvcc.is_file());
    if let Some(toolkit) = with_nvcc.cloned() {
        let (major, minor) = context.device().compute_capability().unwrap_or((7, 5));
        return Ok(Toolchain::Nvcc { toolkit, architecture: format!("sm_{major}{minor}") });
    }
    let toolkit = kits.into_iter().next().ok_or_else(without_runtime)?;
    let compiler = compilers::SystemCompiler::find("a CppModule")?;
    Ok(Toolchain::System { compiler, runtime: Some(toolkit) })
}

fn without_runtime() -> Error {
    error::missing(
        "a CppModule with `.cuda(true)` needs nvcc, or `cuda_runtime.h` and libcudart.so, and neither was found"
            .to_owned(),
        "install the CUDA toolkit, or set CUDA_PATH or PATH to where it is; or use the host device: \
         `GPUREPL_DEVICE=host`"
            .to_owned(),
    )
}

impl Toolkit {
    /// A toolkit in a folder, if it has `cuda_runtime.h` and the run-time library.
    pub(crate) fn at(folder: &Path) -> Option<Toolkit> {
        let include = ["include", "targets/x86_64-linux/include"].map(|name| folder.join(name));
        let include = include.into_iter().find(|include| include.join("cuda_runtime.h").is_file())?;
        let runtime_in = |lib: PathBuf| {
            let names = std::fs::read_dir(&lib).ok()?.flatten().map(|entry| entry.file_name());
            let mut names: Vec<String> = names
                .map(|name| name.to_string_lossy().into_owned())
                .filter(|name| name.starts_with("libcudart.so"))
                .collect();
            names.sort();
            Some((lib, names.into_iter().next()?))
        };
        let folders = ["lib64", "lib", "targets/x86_64-linux/lib"].map(|name| folder.join(name));
        let (lib, runtime) = folders.into_iter().find_map(runtime_in)?;
        Some(Toolkit { nvcc: folder.join("bin/nvcc"), include, lib, runtime })
    }
}
