//! Tests of the kernel by the clients that people use, which are written in
//! Python: see `python/`.
//!
//! They run in a virtual environment. `GPUREPL_TEST_PYTHON` names the Python
//! of one that `python/environment` has made; without it one is made below the
//! target folder, once for each state of what it holds. Where that cannot be,
//! the tests are ignored.

#[path = "../../tests/support/ignored.rs"]
mod ignored;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

const MANIFEST: &str = env!("CARGO_MANIFEST_DIR");

fn run(command: &mut Command, advice: &str) {
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}\n{advice}"));
    println!("{}", text(&output.stdout));
    assert!(
        output.status.success(),
        "{command:?} has failed\n{}{}\n{advice}",
        text(&output.stdout),
        text(&output.stderr)
    );
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A Python with the clients; none after noting that the test is ignored.
fn python() -> Option<&'static Path> {
    static PYTHON: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let python = PYTHON.get_or_init(|| {
        let named = std::env::var_os("GPUREPL_TEST_PYTHON").filter(|path| !path.is_empty());
        match (named, std::env::var("GPUREPL_TEST_PYTHON_MISSING")) {
            (Some(named), _) => Ok(named.into()),
            (None, Ok(cause)) => Err(cause),
            (None, Err(_)) => made(),
        }
    });
    match python {
        Ok(python) => Some(python),
        Err(cause) => {
            ignored::ignored(&format!("needs Jupyter's clients: {cause}"));
            None
        }
    }
}

fn made() -> Result<PathBuf, String> {
    // Beside the programs: the target folder may lie anywhere.
    let target = Path::new(env!("CARGO_BIN_EXE_gpurepl-jupyter")).parent().expect("it lies in a folder");
    let folder = target.join("jupyter-test-python");
    let make = Command::new(Path::new(MANIFEST).join("tests/python/environment")).arg(&folder).output();
    let make = make.map_err(|error| error.to_string())?;
    if make.status.success() {
        return Ok(folder.join("bin/python"));
    }
    let said = text(&make.stderr);
    Err(said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("python3 with venv and pip").to_owned())
}

/// Runs one of the files in `python/`.
fn pytest(file: &str) {
    let program = env!("CARGO_BIN_EXE_gpurepl-jupyter");
    let Some(python) = python() else { return };
    // Kernels answer in time if there are not too many.
    static ONE_BY_ONE: Mutex<()> = Mutex::new(());
    let _turn = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    // What the first session builds takes longer than clients wait.
    static PRELUDE: OnceLock<()> = OnceLock::new();
    PRELUDE.get_or_init(|| {
        let script = Path::new(MANIFEST).join("tests/python/warm_up.py");
        run(Command::new(python).arg(script).env("GPUREPL_JUPYTER", program), "the kernel does not start");
    });
    let mut command = Command::new(python);
    command.args([
        "-m",
        "pytest",
        "-rA",
        "-p",
        "no:cacheprovider",
        "--timeout",
        "1800",
        "--tb",
        "short",
        file,
    ]);
    command.current_dir(Path::new(MANIFEST).join("tests/python"));
    command.env("PYTHONDONTWRITEBYTECODE", "1").env("GPUREPL_JUPYTER", program);
    // Tests of cargo's own are no tests of a user's.
    command.env_remove("RUST_BACKTRACE").env_remove("CARGO");
    run(&mut command, "");
}

/// By this name `tests/run --fast` leaves them out.
mod clients {
    use super::pytest;

    #[test]
    fn jupyter_kernel_test_passes_with_every_optional_part() {
        pytest("test_kernel_test.py");
    }

    #[test]
    fn cells_are_counted_shown_told_and_aborted() {
        pytest("test_execution.py");
    }

    #[test]
    fn requests_are_answered_while_a_cell_runs() {
        pytest("test_requests.py");
    }

    #[test]
    fn kernels_are_asked_interrupted_and_ended() {
        pytest("test_life.py");
    }

    #[test]
    fn messages_that_are_wrong_or_not_read_do_no_harm() {
        pytest("test_fuzzing.py");
    }

    #[test]
    fn the_programs_that_people_use_run_notebooks() {
        pytest("test_clients.py");
    }

    #[test]
    fn controls_call_their_function_again() {
        pytest("test_widgets.py");
    }

    #[test]
    fn parameters_of_papermill_are_written_in_rust() {
        pytest("test_papermill_parameters.py");
    }

    #[test]
    fn the_notebooks_for_beginners_run_unchanged() {
        pytest("test_notebooks.py");
    }

    #[test]
    fn jupyterlab_shows_completes_interrupts_and_restarts() {
        pytest("test_lab.py");
    }

    #[test]
    fn jupyter_notebook_shows_completes_interrupts_and_restarts() {
        pytest("test_notebook7.py");
    }

    #[test]
    fn what_vs_code_sends_is_answered() {
        pytest("test_vscode.py");
    }
}
