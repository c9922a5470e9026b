//! PETSc from cells, on one process and on several.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gpurepl_tests::{Conversation, Finished, device, is_on_host, program};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::ignored;

/// Vectors, raw memory, a kernel on it, back, and a view: the walkthrough of petsc4py and PyCUDA. On a GPU memory is lent
/// only by a PETSc that was built with CUDA.
const LENT: &str = r#"
// %% Three vectors.
let n = 8;
let mut a = petsc::Vector::zeros(n)?;
let mut b = petsc::Vector::zeros(n)?;
let mut c = petsc::Vector::zeros(n)?;
a.set(3.0)?;
b.set(2.0)?;
c.set(0.0)?;
// %% Their memory.
let a_array = a.borrow()?;
let b_array = b.borrow()?;
let mut c_array = c.borrow_mut()?;
// %% A kernel.
let kernel_text = r"
__global__ void gpuElemwiseProduct(double* a_d, double* b_d, double* c_d, int n) {
    int i = threadIdx.x + blockIdx.x*blockDim.x;
    if (i < n) c_d[i] = a_d[i]*b_d[i];
}
";
let mult = SourceModule::new(kernel_text)?.get_function("gpuElemwiseProduct")?;
// %% The product of what this process has.
let local = c_array.size();
mult.launch(1, local, (&a_array, &b_array, &mut c_array, local as i32))?;
// %% Back to PETSc.
a_array.restore()?;
b_array.restore()?;
c_array.restore()?;
// %% The result.
c.view()?;
"#;

/// The same with copies, which any PETSc can make on any device.
const COPIED: &str = r#"
// %%
let n = 8;
let (mut a, mut b) = (petsc::Vector::zeros(n)?, petsc::Vector::zeros(n)?);
a.set(3.0)?;
b.set(2.0)?;
let mut c = a.zeros_like()?;
// %%
let product = &a.to_array()? * &b.to_array()?;
c.copy_from(&product)?;
// %%
c.view()?;
"#;

struct Script {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn script(text: &str) -> Script {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.rs");
    std::fs::write(&path, text).unwrap();
    Script { _folder: folder, path }
}

fn has_petsc() -> bool {
    let is_there = std::env::var_os("GPUREPL_TEST_PETSC").is_some_and(|value| !value.is_empty());
    if !is_there {
        ignored::missing("PETSc and mpiexec", "GPUREPL_TEST_PETSC");
    }
    is_there
}

/// The program with a script, on so many processes.
fn on(processes: usize, script: &Script) -> Command {
    let mut command = Command::new("mpiexec");
    // As many as a test wants, whoever runs it and however many cores there are.
    for name in
        ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"]
    {
        command.env(name, "1");
    }
    command.args(["-n", &processes.to_string()]).arg(program()).arg(&script.path);
    command.env("GPUREPL_DEVICE", device()).env_remove("RUST_BACKTRACE").stdin(Stdio::null());
    command
}

#[test]
fn the_walkthrough_runs_on_one_process() {
    if !has_petsc() {
        return;
    }
    let (lent, copied) = (script(LENT), script(COPIED));
    let expected = format!("Vec Object: 1 MPI process\n  type: seq\n{}", "6.\n".repeat(8));
    for script in [&lent, &copied] {
        if !is_on_host() && std::ptr::eq(script, &lent) {
            continue;
        }
        // With mpiexec, and without it, where MPI starts by itself.
        assert_eq!(Finished::of(&mut on(1, script)).expect_success(), expected);
        let mut alone = gpurepl_tests::gpurepl(&[script.path.to_str().unwrap()]);
        assert_eq!(Finished::of(&mut alone).expect_success(), expected);
    }
}

#[test]
fn the_walkthrough_runs_on_two_processes() {
    if !has_petsc() {
        return;
    }
    let half = "6.\n".repeat(4);
    let expected =
        format!("Vec Object: 2 MPI processes\n  type: mpi\nProcess [0]\n{half}Process [1]\n{half}");
    for text in [LENT, COPIED] {
        if is_on_host() || text != LENT {
            // PETSc prints on rank 0.
            let shown = Finished::of(&mut on(2, &script(text))).expect_success();
            let lines =
                shown.lines().map(|line| line.strip_prefix("[0] ").expect("what rank 0 alone prints"));
            assert_eq!(lines.map(|line| format!("{line}\n")).collect::<String>(), expected);
        }
    }
}

/// Rows and elements that belong to the other process are sent to it, and a system is solved by both.
const SYSTEM: &str = r#"
// %%
let (rank, n) = (petsc::rank()?, 10);
assert_eq!(petsc::size()?, 2);
// All entries are given by the last process.
let mut entries = petsc::MatrixBuilder::new([n, n])?;
assert_eq!(entries.local_rows(), [0..5, 5..10][rank]);
if rank == 1 {
    for i in 0..n {
        entries.add(i, i, 2.0)?;
        if i > 0 {
            entries.add(i, i - 1, -1.0)?;
            entries.add(i - 1, i, -1.0)?;
        }
    }
}
let a = entries.assemble()?;
assert_eq!((a.nnz()?, a.get_row(5 * rank)?.0.len()), (28, 2 + rank));
assert!(a.get_row(5 - 5 * rank).unwrap_err().to_string().contains("another process"));
// Rows of different numbers, from compressed rows.
let rows = 1 + rank;
let offsets: Vec<usize> = (0..=rows).collect();
let places: Vec<usize> = (rank..rank + rows).collect();
let diagonal = petsc::Matrix::from_csr(3, &offsets, &places, &vec![4.0; rows])?;
assert_eq!((diagonal.size()?, diagonal.ownership_range()?), ([3, 3], [0..1, 1..3][rank].clone()));
assert_eq!(diagonal.diagonal()?.to_vec()?, vec![4.0; rows]);
// %%
let mut b = petsc::Vector::zeros(n)?;
if rank == 0 { b.set_values(&[0, 9], &[1.0, 1.0])?; } else { b.set_values(&[], &[])?; }
assert_eq!((b.sum()?, b.max()?.1, b.local_size()?), (2.0, 1.0, 5));
let solution = petsc::Solver::new(&a)?.method("cg")?.preconditioner("bjacobi")?.tolerance(1e-10)?.solve(&b)?;
assert!(solution.is_converged());
assert!(solution.x.to_vec()?.iter().all(|x| (x - 1.0).abs() < 1e-6));
// %%
// ILU is made for one process.
let error = petsc::Solver::new(&a)?.preconditioner("ilu")?.solve(&b).unwrap_err().to_string();
assert!(error.contains("PETSc") && error.contains("bjacobi"), "{error}");
// %%
println!("rank {rank} of {}", petsc::size()?);
"#;

#[test]
fn two_processes_solve_a_system() {
    if !has_petsc() {
        return;
    }
    let shown = Finished::of(&mut on(2, &script(SYSTEM))).expect_success();
    let mut lines: Vec<&str> = shown.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["[0] rank 0 of 2", "[1] rank 1 of 2"]);
}

#[test]
fn cells_keep_what_borrows_and_show_it() {
    if !has_petsc() {
        return;
    }
    let mut cells = Conversation::start();
    cells.ok("let mut x = petsc::Vector::zeros(3)?; x.set(2.0)?;");
    let memory = if is_on_host() { "seq" } else { &shown_type(&mut cells) };
    cells.shows("x", &format!("Vec Object: 1 MPI process\n  type: {memory}\n2.\n2.\n2."));
    if is_on_host() {
        cells.ok("let mut array = x.borrow_mut()?;");
        cells.ok("*array *= 2.0;");
        cells.shows("array", "array([4., 4., 4.], dtype=float64)");
        cells.fails_with("x.norm()?", "the vector's memory is lent to an array that may write it");
        cells.ok("array.restore()?;");
        // A view that is left has the vector lent.
        cells.ok("let view = x.borrow()?.flip();");
        cells.fails_with("x.set(0.0)?", "the views of it");
        cells.ok("drop(view);");
        // Kernels in Rust take it as arrays are taken.
        cells.ok(
            "#[kernel]\nfn shift(by: f64, x: &mut [f64]) { let i = thread::index(); if i < x.len() { x[i] += by; } }",
        );
        cells.ok("shift.launch(1, 32, (0.5, &mut x.borrow_mut()?))?;");
        cells.shows("x.sum()?", "13.5");
    }
    cells.shows("x.dot(&x)?.sqrt() == x.norm()?", "true");
    // What PETSc prints is the cell's output.
    cells.ok("let a = petsc::Matrix::from_csr(2, &[0, 1, 2], &[0, 1], &[2.0, 4.0])?; let b = petsc::Vector::from_array(&[2.0, 8.0])?;");
    cells
        .ok("petsc::options(\"-ksp_monitor\")?; let s = petsc::Solver::new(&a)?.method(\"cg\")?.solve(&b)?;");
    let printed = String::from_utf8_lossy(cells.stdout()).into_owned();
    assert!(printed.contains("0 KSP Residual norm"), "{printed}");
    cells.shows("s.x.to_vec()?", "[1.0, 2.0]");
    // An error of PETSc's is one of the cell, and nothing is printed.
    cells.fails_with("petsc::Solver::new(&a)?.method(\"nonsense\")?;", "PETSc's KSPSetType says: ");
    assert_eq!((cells.stdout(), cells.stderr().as_str()), (&b""[..], ""));
    // The worker goes on, and finds faults of kernels as before.
    if is_on_host() {
        cells.ok(
            "let module = SourceModule::new(\"__global__ void f(int *a) { *(volatile int *)0 = 1; }\")?;",
        );
        cells.fails_with("module.get_function(\"f\")?.launch(1, 1, &mut zeros::<i32>(1))?;", "f");
    }
    cells.shows("x.size()?", "3");
    cells.finish();
}

fn shown_type(cells: &mut Conversation) -> String {
    cells.ok("print!(\"{}\", x.type_name()?);");
    String::from_utf8_lossy(cells.stdout()).into_owned()
}

#[test]
fn an_interrupt_ends_a_solution() {
    if !has_petsc() {
        return;
    }
    let mut cells = Conversation::start();
    cells.ok(
        "let n = 20_000; let mut entries = petsc::MatrixBuilder::new([n, n])?;
         for i in 0..n { entries.add(i, i, 0.5)?; if i > 0 { entries.add(i, i - 1, -0.25)?; entries.add(i - 1, i, -0.25)?; } }
         let a = entries.assemble()?; let mut b = petsc::Vector::zeros(n)?; b.set(1.0)?;",
    );
    // It converges, but in more iterations than anybody waits for.
    let endless =
        "println!(\"begins\"); petsc::Solver::new(&a)?.method(\"richardson\")?.preconditioner(\"none\")?
         .tolerance(1e-15)?.max_iterations(1_000_000_000)?.solve(&b)?;";
    let (outcome, _) = cells.interrupted(endless, &[Duration::from_millis(50)]);
    assert!(matches!(outcome, gpurepl_session::Outcome::Interrupted), "{outcome:?}");
    cells.shows("b.sum()?", "20000.0");
}

/// Processes that wait for each other, and their numbers.
struct Job {
    mpiexec: Child,
    workers: Vec<i32>,
}

impl Job {
    /// Starts two, which print their numbers first.
    fn start(rest: &str) -> Job {
        let text = format!("petsc::rank()?; println!(\"worker {{}}\", std::process::id());\n// %%\n{rest}\n");
        let script = script(&text);
        let mut mpiexec =
            on(2, &script).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("mpiexec starts");
        let lines = BufReader::new(mpiexec.stdout.take().unwrap()).lines().map_while(Result::ok);
        let workers = lines.filter_map(|line| line.split_once("worker ")?.1.parse().ok()).take(2).collect();
        Job { mpiexec, workers }
    }

    /// Waits for the end; nobody is left.
    fn expect_failure(mut self) {
        assert_eq!(self.workers.len(), 2);
        assert!(!self.mpiexec.wait().unwrap().success());
        let is_there = |worker: &i32| kill(Pid::from_raw(*worker), None).is_ok();
        // A machine may be busy; nothing is lost by waiting for a process that ends.
        let start = Instant::now();
        while self.workers.iter().any(is_there) {
            assert!(start.elapsed() < Duration::from_secs(60), "{:?} are still there", self.workers);
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn nobody_is_left_when_one_fails() {
    if !has_petsc() {
        return;
    }
    for end in ["Err(\"no\")?", "std::process::abort()", "std::process::exit(3)"] {
        Job::start(&format!("if petsc::rank()? == 1 {{ {end}; }}\npetsc::barrier()?;")).expect_failure();
    }
}

#[test]
fn nobody_is_left_when_mpiexec_is_ended() {
    if !has_petsc() {
        return;
    }
    // One is busy by itself, the other waits for it.
    let job = Job::start("if petsc::rank()? == 1 { loop { std::hint::spin_loop(); } }\npetsc::barrier()?;");
    kill(Pid::from_raw(job.mpiexec.id() as i32), Signal::SIGINT).unwrap();
    job.expect_failure();
}
