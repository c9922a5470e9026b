//! Hundreds of cells in one session: what they leave behind stays in bounds.
//!
//! `GPUREPL_SOAK=500` runs that many cells; else there are fewer.

use std::path::Path;
use std::time::{Duration, Instant};

use gpurepl_tests::Conversation;

/// Cells, unless `GPUREPL_SOAK` says how many.
const CELLS: usize = 120;

/// Memory that a cell may cost for good, in KiB: its object, which is never
/// unloaded, takes some 100 in the worker; the session keeps its text.
const WORKER_GROWTH: u64 = 512;
const SESSION_GROWTH: u64 = 128;

/// What a session takes of the machine.
#[derive(Clone, Copy, Debug)]
struct Taken {
    /// Resident memory in KiB.
    worker: u64,
    session: u64,
    /// Open descriptors.
    worker_descriptors: usize,
    /// Of the whole process, which has no other test.
    session_descriptors: usize,
    folder: u64,
}

impl Taken {
    fn by(cells: &mut Conversation) -> Taken {
        let worker = cells.worker().to_string();
        wait_for_compilers();
        let folder = cells.session().folder().to_owned();
        Taken {
            worker: resident(&worker),
            session: resident("self"),
            worker_descriptors: descriptors(&worker),
            session_descriptors: descriptors("self"),
            folder: size(&folder) >> 10,
        }
    }
}

/// A cell runs as soon as its object file is there: its compiler, and the thread that waits for it, end while
/// it does, or after it.
fn wait_for_compilers() {
    let own = std::fs::read_link("/proc/thread-self").unwrap();
    let name = |thread: &std::ffi::OsStr| std::fs::read_to_string(tasks().join(thread).join("comm"));
    let starter = name(own.file_name().unwrap()).unwrap();
    let is_ending = |thread: &std::ffi::OsStr| {
        // A new thread has the name of its starter before it has its own.
        Some(thread) != own.file_name()
            && name(thread).is_ok_and(|name| name == starter || name.trim_end() == "compiler's end")
    };
    while std::fs::read_dir(tasks()).unwrap().flatten().any(|task| is_ending(&task.file_name())) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn tasks() -> &'static Path {
    Path::new("/proc/self/task")
}

fn resident(process: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn descriptors(process: &str) -> usize {
    std::fs::read_dir(format!("/proc/{process}/fd")).unwrap().count()
}

fn size(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).unwrap().flatten();
    files.map(|file| file.metadata().map_or(0, |data| data.len())).sum()
}

/// A cell of each kind by turns.
fn cell(cells: &mut Conversation, k: usize) {
    match k % 12 {
        0 => cells.ok(&format!("let a = arange(0..{}).astype(f32); let mut total = {k}_u64;", 1000 + k)),
        1 => cells.ok("total += a.len() as u64; let doubled = &a * 2.0;"),
        2 => cells.shows("(&doubled - &a - &a).sum().item()", "0.0"),
        3 => cells.ok(&format!("#[derive(Debug, Clone)] struct Point {{ x: i32, y{k}: i32 }} let p = Point {{ x: 1, y{k}: {k} }};")),
        4 => cells.ok("let list: Vec<_> = (0..10).map(|k| Point { x: k, ..p.clone() }).collect(); list.len()"),
        5 => drop(cells.fails("let v: i32 = \"no number\";")),
        6 => drop(cells.fails("total += 1; panic!(\"on purpose\");")),
        7 => cells.prints("println!(\"{}\", \"x\".repeat(5000));", &format!("{}\n", "x".repeat(5000))),
        8 => cells.ok("let k = ElementwiseKernel::new(\"float *z, const float *x\", \"z[i] = 3 * x[i]\", \"three\")?; let mut z = zeros_like(&a); k.call((&mut z, &a))?;"),
        9 => cells.ok("let r = rand::<f32>(1000); let m = r.max().item();"),
        10 => cells.ok(&format!("fn helper_{}(x: i32) -> i32 {{ x + {k} }}", k % 5)),
        _ => cells.ok("let boxed: Vec<Box<dyn Fn(i32) -> i32>> = vec![Box::new(|x| x + 1)]; boxed[0](1)"),
    }
}

/// A cell about a kernel in Rust that was not there before, of each kind by turns.
fn kernel_cell(cells: &mut Conversation, k: usize) {
    match k % 6 {
        0 => cells.ok(&format!("#[kernel] fn ramp(y: &mut [f32]) {{ let i = thread::index(); if i < y.len() {{ y[i] = i as f32 + {k}.0; }} }} let mut y = zeros::<f32>(1000); ramp.launch(4, 256, (&mut y,))?;")),
        1 => cells.shows("y[3].item() - y[0].item()", "3.0"),
        2 => cells.ok(&format!("let mapped = y.map(|v| v * 2.0 + {k}.0); assert_eq!(mapped[1].item(), 2.0 * y[1].item() + {k}.0);")),
        3 => cells.ok(&format!("#[kernel] fn turned(x: &[f32], y: &mut [f32]) {{ let part = shared!([f32; 128]); let t = thread::x(); part[t] = x[t] + {k}.0; block::sync(); y[t] = part[127 - t]; }} \
            let mut turn = zeros::<f32>(128); turned.launch(1, 128, (&y, &mut turn))?; assert_eq!(turn[0].item(), y[127].item() + {k}.0);")),
        4 => drop(cells.fails(&format!("#[kernel] fn beyond(y: &mut [f32]) {{ y[thread::index() + {}] = 0.0; }} beyond.launch(1, 1, (&mut y,))?;", 1000 + k))),
        _ => cells.ok(&format!("#[device] fn one(v: f32) -> f32 {{ v + {k}.0 }} #[kernel] fn by_one(y: &mut [f32]) {{ let i = thread::index(); if i < y.len() {{ y[i] = one(y[i]); }} }} by_one.launch_for(1000, (&mut y,))?;")),
    }
}

/// Runs a test, by its whole name, in a process of its own, or other tests would be counted. True
/// in that process.
pub fn is_alone(test: &str) -> bool {
    if std::env::var_os("GPUREPL_TEST_ALONE").is_some() {
        return true;
    }
    let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
    alone.args(["--exact", test, "--nocapture"]).env("GPUREPL_TEST_ALONE", "1");
    let output = alone.output().unwrap();
    println!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    false
}

#[test]
fn hundreds_of_cells_leave_little_behind() {
    if !is_alone("soak::hundreds_of_cells_leave_little_behind") {
        return;
    }
    leave_little_behind(cell);
}

#[test]
fn hundreds_of_kernels_in_rust_leave_little_behind() {
    if is_alone("soak::hundreds_of_kernels_in_rust_leave_little_behind") {
        leave_little_behind(kernel_cell);
    }
}

fn leave_little_behind(cell: fn(&mut Conversation, usize)) {
    let count: usize = std::env::var("GPUREPL_SOAK").ok().and_then(|text| text.parse().ok()).unwrap_or(CELLS);
    let step = (count / 5).max(12);
    let mut cells = Conversation::start();
    // What is loaded once is not growth.
    cells.ok("let kept = (0..10_u64).map(|v| v * v).collect::<Vec<_>>();");
    (0..24).for_each(|k| cell(&mut cells, k));
    let first = Taken::by(&mut cells);
    println!(
        "| cells | s per hundred | worker MiB | session MiB | descriptors of both | folder MiB |\n|---|---|---|---|---|---|"
    );
    let line = |done: usize, time: Duration, taken: Taken| {
        println!(
            "| {done} | {:.1} | {:.1} | {:.1} | {}, {} | {:.1} |",
            time.as_secs_f64() * 100.0 / step as f64,
            taken.worker as f64 / 1024.0,
            taken.session as f64 / 1024.0,
            taken.worker_descriptors,
            taken.session_descriptors,
            taken.folder as f64 / 1024.0
        );
    };
    line(24, Duration::ZERO, first);
    let mut start = Instant::now();
    let mut last = first;
    for k in 24..count.max(48) {
        cell(&mut cells, k);
        if (k + 1) % step == 0 {
            let time = start.elapsed();
            last = Taken::by(&mut cells);
            line(k + 1, time, last);
            start = Instant::now();
        }
    }
    let ran = (count.max(48) - 24) as u64;
    assert_eq!(last.worker_descriptors, first.worker_descriptors, "the worker's descriptors");
    let grown = last.worker.saturating_sub(first.worker);
    assert!(grown < ran * WORKER_GROWTH, "{grown} KiB in the worker for {ran} cells");
    let grown = last.session.saturating_sub(first.session);
    assert!(grown < ran * SESSION_GROWTH + (64 << 10), "{grown} KiB in the session for {ran} cells");
    // All of it comes back from the objects.
    let start = Instant::now();
    match cells.run("std::process::abort();") {
        gpurepl_session::Outcome::Lost(loss) => {
            assert!(loss.variables.is_empty(), "{loss:?}\n{}", cells.noted())
        }
        other => panic!("{other:?}"),
    }
    println!("{} ({:.2} s with the loss)", cells.noted(), start.elapsed().as_secs_f64());
    let replayed = Taken::by(&mut cells);
    line(count, Duration::ZERO, replayed);
    assert_eq!(replayed.worker_descriptors, first.worker_descriptors, "the new worker's descriptors");
    assert_eq!(replayed.session_descriptors, first.session_descriptors, "the session's descriptors");
    cells.shows("kept.iter().sum::<u64>()", "285");
}

/// Workers come and go: the session keeps nothing of those that are lost.
#[test]
fn lost_workers_leave_no_descriptors() {
    if !is_alone("soak::lost_workers_leave_no_descriptors") {
        return;
    }
    let mut cells = Conversation::start();
    cells.ok("let a = 1;");
    let mut first = None;
    for _ in 0..8 {
        let outcome = cells.run("std::process::abort();");
        assert!(matches!(outcome, gpurepl_session::Outcome::Lost(_)), "{outcome:?}");
        cells.shows("a", "1");
        wait_for_compilers();
        let now = (descriptors("self"), std::fs::read_dir(tasks()).unwrap().count());
        assert_eq!(now, *first.get_or_insert(now), "descriptors and threads");
    }
}
