//! Machine code of GPUs as text, by a program of NVIDIA's toolkit.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::compilers::io;
use crate::error::{Problem, Result};

/// The program, where a toolkit has it.
fn program() -> Option<PathBuf> {
    const NAME: &str = "nvdisasm";
    let folders = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let mut folders = folders.chain([PathBuf::from("/usr/local/cuda")]).map(|folder| folder.join("bin"));
    which::which(NAME)
        .ok()
        .or_else(|| folders.find_map(|folder| which::which_in(NAME, Some(folder), "/").ok()))
}

/// The instructions of a cubin.
///
/// # Errors
///
/// If there is no `nvdisasm`, or it does not read the code.
pub fn disassembled(cubin: &[u8]) -> Result<String> {
    let program = program().ok_or_else(|| Problem::Missing {
        what: "machine code is shown by `nvdisasm`, which was not found".to_owned(),
        help: "install NVIDIA's CUDA toolkit or `pip install nvidia-cuda-nvdisasm`, and put its folder `bin` on PATH, or set CUDA_HOME; `ptx()` needs nothing".to_owned(),
    })?;
    let folder = crate::streams::temporary_folder("sass-")
        .map_err(|error| io("making a folder in", &std::env::temp_dir(), error))?;
    let path = folder.path().join("kernel.cubin");
    std::fs::write(&path, cubin).map_err(|error| io("writing", &path, error))?;
    let output = Command::new(&program)
        .args(["--print-code"])
        .arg(&path)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| io("running", &program, error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Problem::Device { operation: "disassembling a kernel".to_owned(), message }.into())
}
