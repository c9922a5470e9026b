//! `gpurepl-jupyter tutorial`: the notebooks of the course, in a folder of the reader's.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use gpurepl_book::chapters;

/// Why the course could not be copied or opened.
#[derive(Debug, thiserror::Error)]
pub enum TutorialError {
    /// A file or the folder could not be written.
    #[error(
        "writing {path}: {error}\n  = help: name a folder that can be written, `gpurepl-jupyter tutorial FOLDER`"
    )]
    Write {
        /// Which.
        path: String,
        /// What the system says.
        error: io::Error,
    },
    /// There is no JupyterLab.
    #[error(
        "JupyterLab could not be started: {0}\n  = help: `pip install jupyterlab`, or open the folder by the one you have"
    )]
    Lab(io::Error),
}

/// What has become of the chapters.
#[derive(Debug, Default, PartialEq, Eq)]
struct Copied {
    new: usize,
    /// Those that are there already, and are left as they are: the reader may have worked in them.
    kept: usize,
}

/// Copies the chapters, and opens them if that is wanted.
///
/// # Errors
///
/// If they cannot be written, or JupyterLab is not there.
pub fn run(folder: &Path, open: bool) -> Result<(), TutorialError> {
    let copied = copy(folder)?;
    let place = folder.display();
    match copied {
        Copied { new, kept: 0 } => println!("{new} notebooks are in {place}"),
        Copied { new: 0, kept } => println!("all {kept} notebooks are in {place}, and are left as they are"),
        Copied { new, kept } => {
            let new =
                if new == 1 { "1 new notebook is".to_owned() } else { format!("{new} new notebooks are") };
            println!("{new} in {place}; those that were there are left as they are: {kept}");
        }
    }
    let first = chapters()
        .iter()
        .map(|chapter| format!("{}.ipynb", chapter.name()))
        .find(|name| name.starts_with("01"));
    let first = folder.join(first.unwrap_or_default());
    if open {
        let status = Command::new("jupyter-lab").arg(&first).status().map_err(TutorialError::Lab)?;
        std::process::exit(status.code().unwrap_or(1));
    }
    println!("open the first one by: jupyter lab {}", first.display());
    if which("jupyter-lab").is_none() {
        println!(
            "JupyterLab is not on the path: `pip install jupyterlab` installs it; editors that know notebooks open them too"
        );
    }
    Ok(())
}

fn copy(folder: &Path) -> Result<Copied, TutorialError> {
    let failed = |path: &Path, error| TutorialError::Write { path: path.display().to_string(), error };
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    let mut copied = Copied::default();
    for chapter in chapters() {
        let path = folder.join(format!("{}.ipynb", chapter.name()));
        // A whole file or none.
        let made = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
            io::Write::write_all(&mut file, chapter.notebook().as_bytes())?;
            file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
            file.persist_noclobber(&path).map(drop).map_err(|error| error.error)
        });
        match made {
            Ok(()) => copied.new += 1,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => copied.kept += 1,
            Err(error) => return Err(failed(&path, error)),
        }
    }
    Ok(copied)
}

fn which(program: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_are_copied_once_and_work_in_them_is_kept() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a/course");
        let all = chapters().len();
        assert_eq!(copy(&folder).unwrap(), Copied { new: all, kept: 0 });
        let (first, second) = (folder.join("01_first_steps.ipynb"), folder.join("02_source_modules.ipynb"));
        fs::write(&first, "mine").unwrap();
        fs::remove_file(&second).unwrap();
        assert_eq!(copy(&folder).unwrap(), Copied { new: 1, kept: all - 1 });
        assert_eq!(fs::read_to_string(&first).unwrap(), "mine");
        assert!(fs::read_to_string(&second).unwrap().contains("\"nbformat\""));
        fs::write(parent.path().join("file"), "").unwrap();
        assert!(copy(&parent.path().join("file")).unwrap_err().to_string().contains("name a folder"));
    }
}
