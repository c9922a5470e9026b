//! The prelude and the standard library as rust-analyzer knows them, with one
//! more crate over them: the text of a session.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use gpurepl_wire::analysis::Project as Asked;
use ra_ap_hir::ChangeWithProcMacros;
use ra_ap_ide::{AnalysisHost, FileId};
use ra_ap_load_cargo::{LoadCargoConfig, ProcMacroServerChoice, load_workspace};
use ra_ap_paths::{AbsPathBuf, Utf8PathBuf};
use ra_ap_project_model::{CargoConfig, ProjectManifest, ProjectWorkspace, RustLibSource};
use ra_ap_vfs::VfsPath;

/// A loaded project.
pub struct Project {
    host: AnalysisHost,
    /// The file that holds the session's text.
    file: FileId,
    text: String,
    /// What could not be had.
    pub problems: Vec<String>,
}

impl Project {
    /// Loads the sources that a session stands on.
    ///
    /// # Errors
    ///
    /// If cargo cannot read the project, a crate of it is not there, or the
    /// folder cannot be written.
    pub fn open(asked: &Asked) -> anyhow::Result<Project> {
        write_manifest(asked)?;
        let folder = Utf8PathBuf::from_path_buf(asked.folder.clone())
            .map_err(|path| anyhow::anyhow!("{} is not text", path.display()))?;
        let folder =
            AbsPathBuf::try_from(folder).map_err(|path| anyhow::anyhow!("{path} is not absolute"))?;
        let config = CargoConfig {
            sysroot: Some(RustLibSource::Discover),
            // All crates are there: the prelude was built from them.
            metadata_extra_args: vec!["--offline".to_owned()],
            ..CargoConfig::default()
        };
        let manifest = ProjectManifest::from_manifest_file(folder.join("Cargo.toml"))?;
        let workspace = ProjectWorkspace::load(manifest, &config, &|_| {})
            .context("cargo cannot read the prelude's workspace")?;
        let mut problems = Vec::new();
        if workspace.sysroot.rust_lib_src_root().is_none() {
            problems.push(
                "the sources of the standard library are not installed: `rustup component add rust-src`"
                    .to_owned(),
            );
        }
        let load = LoadCargoConfig {
            load_out_dirs_from_check: false,
            with_proc_macro_server: ProcMacroServerChoice::None,
            prefill_caches: false,
            num_worker_threads: 1,
            proc_macro_processes: 1,
        };
        let (database, files, _) = load_workspace(workspace, &config.extra_env, &load)?;
        let path: VfsPath = folder.join("src").join("lib.rs").into();
        let (file, _) = files.file_id(&path).context("the session's own file was not loaded")?;
        let host = AnalysisHost::with_database(database);
        Ok(Project { host, file, text: String::new(), problems })
    }

    /// Takes a text for the session's.
    pub fn set_text(&mut self, text: String) {
        if text == self.text {
            return;
        }
        let mut change = ChangeWithProcMacros::default();
        change.change_file(self.file, Some(text.clone()));
        self.host.apply_change(change);
        self.text = text;
    }

    /// The session's text.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn file(&self) -> FileId {
        self.file
    }

    /// What answers questions about the text as it is now.
    pub fn analysis(&self) -> ra_ap_ide::Analysis {
        self.host.analysis()
    }
}

/// Writes a package that depends on the prelude. Its lock file is the
/// prelude's, so that cargo looks for no other versions.
fn write_manifest(asked: &Asked) -> anyhow::Result<()> {
    let write = |path: &Path, text: &str| {
        fs::write(path, text).with_context(|| format!("writing {}", path.display()))
    };
    let source = asked.folder.join("src");
    fs::create_dir_all(&source).with_context(|| format!("creating {}", source.display()))?;
    write(&source.join("lib.rs"), "")?;
    let mut manifest = String::from(
        "[package]\nname = \"ctx\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n",
    );
    if let Some(prelude) = &asked.prelude {
        let path = prelude.join("prelude");
        manifest.push_str(&format!("gpurepl-prelude = {{ path = {:?} }}\n", path.display().to_string()));
        // Without one cargo would look for versions, which needs a network.
        let _ = fs::copy(prelude.join("Cargo.lock"), asked.folder.join("Cargo.lock"));
    }
    for line in &asked.dependencies {
        manifest.push_str(line);
        manifest.push('\n');
    }
    write(&asked.folder.join("Cargo.toml"), &manifest)
}
