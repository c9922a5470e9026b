//! NVIDIA's compiler, and the headers and the run-time library of its toolkit.

use std::path::{Path, PathBuf};

use gpurepl_extend::{Context, Result, compilers, error};

use crate::source::Toolchain;

/// A toolkit on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Toolkit {
    pub(crate) nvcc: PathBuf,
    pub(crate) include: PathBuf,
    pub(crate) lib: PathBuf,
}

/// What compiles a module that is given device memory of a GPU.
///
/// # Errors
///
/// If there is neither nvcc, nor a C++ compiler with the toolkit's headers and run-time library.
pub(crate) fn for_gpu(context: Context) -> Result<Toolchain> {
    let folders = compilers::toolkits();
    let nvcc = folders.iter().map(|folder| folder.join("bin/nvcc")).find(|path| path.is_file());
    let with_headers = folders.iter().find_map(|folder| headers_and_library(folder));
    if let Some(nvcc) = nvcc {
        let (major, minor) = context.device().compute_capability().unwrap_or((7, 5));
        let toolkit = Toolkit { nvcc, include: PathBuf::new(), lib: PathBuf::new() };
        return Ok(Toolchain::Nvcc { toolkit, architecture: format!("sm_{major}{minor}") });
    }
    let Some((include, lib)) = with_headers else {
        return Err(error::missing(
            "a CppModule with `.cuda(true)` needs nvcc, or `cuda_runtime.h` and libcudart.so, and neither was found"
                .to_owned(),
            "install the CUDA toolkit, or set CUDA_PATH or PATH to where it is; or use the host device: \
             `GPUREPL_DEVICE=host`"
                .to_owned(),
        ));
    };
    let compiler = compilers::SystemCompiler::find("a CppModule")?;
    Ok(Toolchain::System { compiler, runtime: Some(Toolkit { nvcc: PathBuf::new(), include, lib }) })
}

/// Where a toolkit has `cuda_runtime.h` and `libcudart.so`.
fn headers_and_library(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let include = ["include", "targets/x86_64-linux/include"]
        .map(|name| folder.join(name))
        .into_iter()
        .find(|include| include.join("cuda_runtime.h").is_file())?;
    let lib = ["lib64", "lib", "targets/x86_64-linux/lib"]
        .map(|name| folder.join(name))
        .into_iter()
        .find(|lib| lib.join("libcudart.so").is_file())?;
    Some((include, lib))
}
