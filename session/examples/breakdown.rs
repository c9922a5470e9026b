//! Where the milliseconds of a cell go.
//!
//! ```text
//! cargo build --release -p gpurepl
//! cargo run --release -p gpurepl-session --example breakdown
//! ```
//!
//! Prints Markdown: medians over cells of each kind, each with another number
//! in it, and what a cell costs over an empty one. `--brief` leaves it at the
//! first table and fewer cells: what the prelude's code adds to cells shows in
//! that already.
//!
//! Between the cells `rustc` compiles a crate with nothing in it, without the
//! prelude. A cell's time over that one is much the same on any machine, and
//! stands beside the ratio that was recorded when the list of cells was last
//! measured on a quiet one: a person reads both, and no test compares them.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gpurepl_session::{Deaf, Options, Outcome, Report, Session, Toolchain};

const TURNS: u32 = 21;

/// With `--brief`.
const BRIEF_TURNS: u32 = 7;

/// Between two cells: someone types. Meanwhile the next compiler starts.
const TYPING: Duration = Duration::from_millis(150);

/// What a cell is, its text, and its time over that of an empty crate as
/// recorded.
const CELLS: &[(&str, &str, f64)] = &[
    ("nothing", "(); // {k}", 0.91),
    ("an expression", "{k} + 2", 1.11),
    ("`let`", "let v{k} = vec![{k}, 2, 3];", 1.23),
    ("an array", "let a{k} = arange(0..{k} + 10);", 1.34),
    ("an array expression, shown", "&x * {k} + 1", 1.30),
    ("a sum of a vector", "v0.iter().sum::<i32>() + {k}", 1.48),
    (
        "a function of slices",
        "fn t{k}(x: &[f32], y: &mut [f32]) { for i in 0..y.len() { y[i] = x[i] * {k} as f32; } }",
        0.75,
    ),
    (
        "a kernel in Rust",
        "#[kernel] fn r{k}(x: &[f32], y: &mut [f32]) { for i in thread::range(y.len()) { y[i] = x[i] * {k} as f32; } }",
        0.75,
    ),
    ("items alone", "fn f{k}(x: i32) -> i32 { x * {k} }", 0.80),
    ("does not compile", "let w: String = {k};", 1.43),
];

/// The session grows by as many items and variables before the second table.
const GROWTH: u32 = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let is_brief = std::env::args().any(|argument| argument == "--brief");
    let turns = if is_brief { BRIEF_TURNS } else { TURNS };
    let options = Options { worker: Some(program()?), ..Options::default() };
    let mut session = Session::start(options, &mut Deaf)?;
    session.run("let x = arange(0..1000);", &mut Deaf);
    session.run("let v0 = vec![1, 2, 3];", &mut Deaf);
    let baseline = EmptyCrate::new()?;
    println!("Typed:\n");
    table(&mut session, TYPING, turns, &baseline)?;
    if is_brief {
        return Ok(());
    }
    println!("\nOne after the other, as a notebook or a script has them:\n");
    table(&mut session, Duration::ZERO, turns, &baseline)?;
    for k in 0..GROWTH {
        session.run(
            &format!(
                "struct S{k} {{ a: u32 }} impl S{k} {{ fn get(&self) -> u32 {{ self.a }} }} let s{k} = S{k} {{ a: {k} }};"
            ),
            &mut Deaf,
        );
    }
    println!("\nWith {GROWTH} items and variables more, typed:\n");
    table(&mut session, TYPING, turns, &baseline)?;
    Ok(())
}

/// The shell of the same profile, which is one folder above this example.
fn program() -> Result<PathBuf, Box<dyn std::error::Error>> {
    let example = std::env::current_exe()?;
    let program = example.parent().and_then(|folder| folder.parent()).map(|folder| folder.join("gpurepl"));
    program.filter(|program| program.is_file()).ok_or_else(|| {
        "the shell has not been built; run `cargo build -p gpurepl`, with --release if this has it".into()
    })
}

fn table(
    session: &mut Session,
    pause: Duration,
    turns: u32,
    baseline: &EmptyCrate,
) -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "| cell, ms | all, median | over an empty one | all, 95 % | rustc | linker | around them | running | frames, loading | over an empty crate | as recorded |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let mut empty = None;
    for (title, text, recorded) in CELLS {
        let mut alone = Vec::new();
        let mut rows: Vec<[Duration; 6]> = Vec::new();
        for k in 0..=turns {
            alone.push(baseline.compile()?);
            std::thread::sleep(pause);
            let start = Instant::now();
            let outcome = session.run(&text.replace("{k}", &(k + 1).to_string()), &mut Deaf);
            let all = start.elapsed();
            let Report { compile, run, rustc, link, .. } = match outcome {
                Outcome::Done(report) if report.compiler_runs == 1 => report,
                Outcome::Failed(_) if title.contains("not compile") => Report::default(),
                outcome => return Err(format!("{title}: {outcome:?}").into()),
            };
            // The first warms up.
            if k > 0 {
                let around = compile.saturating_sub(rustc + link);
                rows.push([all, rustc, link, around, run, all.saturating_sub(compile + run)]);
            }
        }
        let quantile = |column: usize, percent: usize| {
            let mut times: Vec<Duration> = rows.iter().map(|row| row[column]).collect();
            times.sort();
            times
                .get((times.len() * percent / 100).min(times.len() - 1))
                .map_or("-".to_owned(), |time| format!("{:.1}", time.as_secs_f64() * 1e3))
        };
        let mut all: Vec<Duration> = rows.iter().map(|row| row[0]).collect();
        all.sort();
        let median = all[all.len() / 2].as_secs_f64() * 1e3;
        let over = median - *empty.get_or_insert(median);
        alone.sort();
        let ratio = median / (alone[alone.len() / 2].as_secs_f64() * 1e3);
        let columns: Vec<String> = (1..6).map(|column| quantile(column, 50)).collect();
        println!(
            "| {title} | {} | {over:+.1} | {} | {} | {ratio:.2} | {recorded:.2} |",
            quantile(0, 50),
            quantile(0, 95),
            columns.join(" | ")
        );
    }
    Ok(())
}

/// A crate with nothing in it, which the compiler is timed on.
struct EmptyCrate {
    rustc: PathBuf,
    folder: PathBuf,
}

impl EmptyCrate {
    fn new() -> Result<EmptyCrate, Box<dyn std::error::Error>> {
        let folder = std::env::temp_dir().join(format!("gpurepl-breakdown-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("empty.rs"), "#[unsafe(no_mangle)] pub extern \"C\" fn f() {}")?;
        Ok(EmptyCrate { rustc: Toolchain::find()?.rustc, folder })
    }

    fn compile(&self) -> Result<Duration, Box<dyn std::error::Error>> {
        let start = Instant::now();
        let status = Command::new(&self.rustc)
            .current_dir(&self.folder)
            .args(["--edition", "2024", "--crate-type", "cdylib", "-Cprefer-dynamic", "-Ccodegen-units=1"])
            .args(["--emit=obj=empty.o", "empty.rs"])
            .stdout(Stdio::null())
            .status()?;
        if !status.success() {
            return Err("rustc does not compile an empty crate".into());
        }
        Ok(start.elapsed())
    }
}

impl Drop for EmptyCrate {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
