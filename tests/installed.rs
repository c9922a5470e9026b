//! The programs as `cargo install` leaves them, in an environment that has
//! nothing of cargo's: a test under cargo finds libraries and programs that a
//! user's shell does not.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use gpurepl_session::Toolchain;
use gpurepl_tests::{Finished, Screen, checkout};

use crate::ignored::{ignored, missing};

/// A folder with `bin/`, below the target folder: what was installed last is
/// replaced.
fn root() -> Option<&'static Path> {
    static ROOT: OnceLock<Option<PathBuf>> = OnceLock::new();
    ROOT.get_or_init(|| {
        let Some(cargo) = std::env::var_os("CARGO").filter(|_| std::env::var_os("GPUREPL_BIN").is_none())
        else {
            ignored("needs cargo");
            return None;
        };
        // Where the tests were built, so that crates are not built again.
        let target = gpurepl_tests::target();
        let root = target.join("installed");
        for package in ["repl", "analyser", "jupyter"] {
            let mut install = Command::new(&cargo);
            install.args(["install", "--quiet", "--locked", "--debug", "--force", "--path"]);
            install.arg(checkout().join(package)).arg("--root").arg(&root).arg("--target-dir").arg(&target);
            let finished = Finished::of(&mut install);
            assert_eq!(finished.status, Some(0), "{}{}", finished.stdout, finished.stderr);
        }
        Some(root)
    })
    .as_deref()
}

/// What a login without any configuration has, and the tests' own store.
fn clear(command: &mut Command, home: &Path) {
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("TERM", "xterm-256color");
    // Rust is where rustup has installed it for this user.
    for name in ["HOME", "CARGO_HOME", "RUSTUP_HOME"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    for (name, folder) in [
        ("XDG_STATE_HOME", "state"),
        ("XDG_CONFIG_HOME", "config"),
        ("JUPYTER_RUNTIME_DIR", "run"),
        ("JUPYTER_CONFIG_DIR", "config"),
        ("IPYTHONDIR", "ipython"),
    ] {
        command.env(name, home.join(folder));
    }
    command.env("GPUREPL_DEVICE", gpurepl_tests::device());
    for name in ["GPUREPL_STORE", "GPUREPL_CACHE_DIR", "XDG_CACHE_HOME"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
}

fn installed(root: &Path, program: &str, home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(root.join("bin").join(program));
    clear(&mut command, home);
    command.args(arguments).current_dir(home).stdin(std::process::Stdio::null());
    command
}

/// Cells with an array and with a kernel, and what they print.
const CELLS: [&str; 3] = [
    "let x = arange(0..5_i64) * 2; println!(\"{}\", x.sum().item());",
    "let twice = ElementwiseKernel::new(\"float *z, float *x\", \"z[i] = 2*x[i]\", \"twice\")?;",
    "let x = ones::<f32>(3); let mut z = empty_like(&x); twice.call((&mut z, &x))?; println!(\"{}\", z.sum().item());",
];

fn evaluated(root: &Path, options: &[&str]) -> Finished {
    let home = tempfile::tempdir().unwrap();
    let mut arguments = options.to_vec();
    CELLS.iter().for_each(|cell| arguments.extend(["-e", cell]));
    Finished::of(&mut installed(root, "gpurepl", home.path(), &arguments))
}

#[test]
fn the_shell_evaluates_cells_and_finds_all_that_it_needs() {
    let Some(root) = root() else { return };
    let finished = evaluated(root, &[]);
    assert_eq!((finished.status, finished.stdout.as_str()), (Some(0), "20\n6\n"), "{}", finished.stderr);
    let home = tempfile::tempdir().unwrap();
    let doctor = Finished::of(&mut installed(root, "gpurepl", home.path(), &["doctor"]));
    assert_eq!(doctor.status, Some(0), "{}{}", doctor.stdout, doctor.stderr);
    assert!(
        doctor.stdout.contains(&root.join("bin/gpurepl-analyser").display().to_string()),
        "{}",
        doctor.stdout
    );
    let toolchain = Toolchain::find().unwrap();
    assert!(doctor.stdout.contains(&toolchain.sysroot.display().to_string()), "{}", doctor.stdout);
}

/// The first session of evcxr's compiles the prelude.
#[test]
fn the_second_engine_has_the_prelude_and_finds_the_standard_library() {
    let Some(root) = root() else { return };
    let finished = evaluated(root, &["--engine", "evcxr"]);
    assert_eq!(finished.status, Some(0), "{}{}", finished.stdout, finished.stderr);
    assert_eq!(finished.stdout, "20\n6\n", "{}", finished.stderr);
}

#[test]
fn the_analyser_completes_at_the_prompt() {
    let Some(root) = root() else { return };
    let home = tempfile::tempdir().unwrap();
    let mut screen = Screen::of(&root.join("bin/gpurepl"), |command| clear(command, home.path()));
    screen.prompt(1);
    // The tables that answer without the analyser know nothing of closures.
    screen.types("let n = vec![1u8].iter().map(|x| x + 1).max_by_k");
    let end = Instant::now() + Duration::from_secs(900);
    while !screen.text().contains("max_by_key") {
        assert!(Instant::now() < end, "the analyser does not answer\n{}", screen.text());
        screen.types("\t");
        std::thread::sleep(Duration::from_millis(500));
    }
    screen.types("\x03");
    assert_eq!(screen.leave(), 0);
}

#[test]
fn the_kernel_runs_a_notebook() {
    let Some(root) = root() else { return };
    let Some(python) = std::env::var_os("GPUREPL_TEST_PYTHON").filter(|path| !path.is_empty()) else {
        return missing("Jupyter's clients", "GPUREPL_TEST_PYTHON");
    };
    let home = tempfile::tempdir().unwrap();
    let prefix = home.path().display().to_string();
    let mut install = installed(root, "gpurepl-jupyter", home.path(), &["install", "--prefix", &prefix]);
    let finished = Finished::of(&mut install);
    assert_eq!(finished.status, Some(0), "{}{}", finished.stdout, finished.stderr);
    let mut run = Command::new(python);
    clear(&mut run, home.path());
    run.env("JUPYTER_PATH", home.path().join("share/jupyter")).current_dir(home.path());
    run.arg("-c").arg(NOTEBOOK).args(CELLS);
    let finished = Finished::of(&mut run);
    assert_eq!(finished.status, Some(0), "{}{}", finished.stdout, finished.stderr);
    assert_eq!(finished.stdout, "20\n6\n", "{}", finished.stderr);
}

/// Runs the cells that are its arguments, and prints what they print.
const NOTEBOOK: &str = "
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in sys.argv[1:]])
NotebookClient(notebook, kernel_name='gpurepl', timeout=None, startup_timeout=900).execute()
for cell in notebook.cells:
    for output in cell.outputs:
        print(output.text, end='')
";
