//! The kernel's registration with Jupyter: a folder with `kernel.json` and logos.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use etcetera::BaseStrategy as _;
use jupyter_protocol::JupyterKernelspec;

use crate::arguments::{Install, Place, Uninstall};

const LOGOS: [(&str, &[u8]); 3] = [
    ("logo-svg.svg", include_bytes!("../logo/logo-svg.svg")),
    ("logo-64x64.png", include_bytes!("../logo/logo-64x64.png")),
    ("logo-32x32.png", include_bytes!("../logo/logo-32x32.png")),
];

/// Why the kernel was not registered.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum KernelspecError {
    #[error("`{0}` is not a valid kernel name: use letters, digits, `.`, `-` and `_`")]
    Name(String),
    #[error("{what} {}: {error}\n  = help: name a writable folder by `--prefix`", path.display())]
    Folder { what: &'static str, path: PathBuf, error: std::io::Error },
    #[error("there is no kernel at {}\n  = help: `jupyter kernelspec list` shows where kernels are", .0.display())]
    Missing(PathBuf),
    #[error(
        "there is no active Python environment: {0}\n  = help: activate one, or name its folder by `--prefix`"
    )]
    NoPython(String),
    #[error("{0}")]
    Workers(String),
    #[error("this user has no home folder\n  = help: set JUPYTER_DATA_DIR, or use `--prefix`")]
    NoHome,
    #[error("cannot locate this executable: {0}")]
    Program(std::io::Error),
}

/// Tells Jupyter of the kernel. Returns the folder.
///
/// # Errors
///
/// If there is no such place, or it cannot be written.
pub fn install(options: &Install) -> Result<PathBuf, KernelspecError> {
    options.workers.launch().map_err(KernelspecError::Workers)?;
    let folder = folder(&options.place, &options.name)?;
    let program = std::env::current_exe().map_err(KernelspecError::Program)?;
    let text = kernel_json(&program, options);
    // As Jupyter does: the files there are another version's.
    if folder.exists() {
        let removed = std::fs::remove_dir_all(&folder);
        removed.map_err(|error| failed("removing", &folder, error))?;
    }
    std::fs::create_dir_all(&folder).map_err(|error| failed("making", &folder, error))?;
    let files = LOGOS.into_iter().chain([("kernel.json", text.as_bytes())]);
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|error| failed("writing", &path, error))?;
    }
    Ok(folder)
}

/// Makes Jupyter forget the kernel. Returns the folder.
///
/// # Errors
///
/// If there is none, or it cannot be removed.
pub fn uninstall(options: &Uninstall) -> Result<PathBuf, KernelspecError> {
    let folder = folder(&options.place, &options.name)?;
    if !folder.join("kernel.json").exists() {
        return Err(KernelspecError::Missing(folder));
    }
    std::fs::remove_dir_all(&folder).map_err(|error| failed("removing", &folder, error))?;
    Ok(folder)
}

fn failed(what: &'static str, path: &Path, error: std::io::Error) -> KernelspecError {
    KernelspecError::Folder { what, path: path.to_owned(), error }
}

fn kernel_json(program: &Path, options: &Install) -> String {
    let mut argv: Vec<String> =
        [&program.to_string_lossy(), "run", "-f", "{connection_file}"].map(str::to_owned).into();
    argv.extend(options.workers.arguments());
    let specification = JupyterKernelspec {
        argv,
        display_name: options.display_name.clone(),
        language: "rust".to_owned(),
        // Nothing may be null: Jupyter would not see the kernel.
        metadata: Some(HashMap::from([("debugger".to_owned(), false.into())])),
        interrupt_mode: Some("message".to_owned()),
        env: Some(options.env.iter().cloned().collect()),
    };
    let text = serde_json::to_string_pretty(&specification).unwrap_or_default();
    format!("{text}\n")
}

/// The folder of a kernel of a name.
fn folder(place: &Place, name: &str) -> Result<PathBuf, KernelspecError> {
    let is_name_part = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_name_part) {
        return Err(KernelspecError::Name(name.to_owned()));
    }
    let data = match place {
        Place { prefix: Some(prefix), .. } => prefix.join("share/jupyter"),
        Place { sys_prefix: true, .. } => python_prefix()?.join("share/jupyter"),
        _ => user_data()?,
    };
    // Jupyter finds kernels by their names in small letters.
    Ok(data.join("kernels").join(name.to_ascii_lowercase()))
}

fn user_data() -> Result<PathBuf, KernelspecError> {
    if let Some(folder) = std::env::var_os("JUPYTER_DATA_DIR").filter(|folder| !folder.is_empty()) {
        return Ok(folder.into());
    }
    let strategy = etcetera::choose_base_strategy().map_err(|_| KernelspecError::NoHome)?;
    if cfg!(target_os = "macos") {
        return Ok(strategy.home_dir().join("Library/Jupyter"));
    }
    Ok(strategy.data_dir().join("jupyter"))
}

/// The folder of the active Python environment.
fn python_prefix() -> Result<PathBuf, KernelspecError> {
    let named = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().find_map(std::env::var_os);
    if let Some(folder) = named.filter(|folder| !folder.is_empty()) {
        return Ok(folder.into());
    }
    let mut problem = "`python3` was not found".to_owned();
    for python in ["python3", "python"] {
        match Command::new(python).args(["-c", "import sys; print(sys.prefix)"]).output() {
            Ok(output) if output.status.success() => {
                return Ok(String::from_utf8_lossy(&output.stdout).trim().into());
            }
            Ok(output) => problem = format!("`{python}` ended with {}", output.status),
            Err(_) => {}
        }
    }
    Err(KernelspecError::NoPython(problem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Workers;

    fn options(prefix: &Path, name: &str) -> Install {
        Install {
            place: Place { prefix: Some(prefix.to_owned()), ..Place::default() },
            name: name.to_owned(),
            display_name: "Rust (gpurepl)".to_owned(),
            env: vec![("GPUREPL_DEVICE".to_owned(), "host".to_owned())],
            workers: Workers::default(),
        }
    }

    #[test]
    fn a_kernel_may_have_several_workers() {
        let prefix = tempfile::tempdir().unwrap();
        let text = |workers| {
            let workers = Workers { workers: Some(workers), ..Workers::default() };
            let options = Install { workers, ..options(prefix.path(), "gpurepl") };
            let text = kernel_json(Path::new("gpurepl-jupyter"), &options);
            serde_json::from_str::<serde_json::Value>(&text).unwrap()["argv"].clone()
        };
        let usual = ["gpurepl-jupyter", "run", "-f", "{connection_file}"];
        assert_eq!(text(1), serde_json::json!(usual));
        assert_eq!(text(4), serde_json::json!([&usual[..], &["--workers", "4"]].concat()));
    }

    #[test]
    fn a_kernel_is_installed_again_and_forgotten() {
        let prefix = tempfile::tempdir().unwrap();
        let options = options(prefix.path(), "GpuRepl");
        let folder = install(&options).unwrap();
        assert_eq!(folder, prefix.path().join("share/jupyter/kernels/gpurepl"));
        std::fs::write(folder.join("old"), "").unwrap();
        install(&options).unwrap();
        assert!(!folder.join("old").exists());
        let text = std::fs::read_to_string(folder.join("kernel.json")).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["argv"][3], "{connection_file}");
        assert_eq!((&value["language"], &value["interrupt_mode"]), (&"rust".into(), &"message".into()));
        assert_eq!(value["env"]["GPUREPL_DEVICE"], "host");
        assert!(!text.contains("null"));
        let forget = Uninstall { place: options.place.clone(), name: "gpurepl".to_owned() };
        assert_eq!(uninstall(&forget).unwrap(), folder);
        assert!(matches!(uninstall(&forget), Err(KernelspecError::Missing(_))));
    }

    #[test]
    fn names_are_checked() {
        for name in ["", "../x", "a b", ".hidden", "ä"] {
            assert!(
                matches!(install(&options(Path::new("/nowhere"), name)), Err(KernelspecError::Name(_))),
                "{name}"
            );
        }
    }
}
