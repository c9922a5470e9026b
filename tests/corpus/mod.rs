//! The documentation examples of the standard library as cells: a session for
//! each source file, a cell for each example.
//!
//! The usual run takes a sample. `GPUREPL_CORPUS=all` takes all of them, some
//! minutes, in as many sessions at once as `GPUREPL_CORPUS_JOBS` says (3);
//! `GPUREPL_CORPUS=core/src/option,core/src/result` those of the files whose
//! names begin so.

mod examples;
mod known;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gpurepl_session::Outcome;
use gpurepl_tests::Conversation;

use examples::{Example, examples, files};

/// One in so many files is in the sample, with so many of its examples.
const SAMPLE: (usize, usize) = (12, 12);

/// An example that takes longer is interrupted. None of them takes a second.
const LIMIT: Duration = Duration::from_secs(120);

/// What became of the examples.
#[derive(Default)]
struct Tally {
    passed: usize,
    excluded: usize,
    /// Where, why, and whether it is known.
    failures: Vec<(String, String, bool)>,
}

#[test]
fn examples_of_the_standard_library_are_cells() {
    let wanted = std::env::var("GPUREPL_CORPUS").unwrap_or_default();
    let mut corpus: Vec<(String, Vec<Example>)> = files(&library())
        .into_iter()
        .map(|(name, path)| {
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, examples(&text))
        })
        .filter(|(_, examples)| !examples.is_empty())
        .collect();
    match &*wanted {
        "all" => {}
        "" => {
            let (files, length) = SAMPLE;
            corpus = corpus.into_iter().step_by(files).collect();
            corpus.iter_mut().for_each(|(_, examples)| examples.truncate(length));
        }
        starts => corpus.retain(|(name, _)| starts.split(',').any(|start| name.starts_with(start))),
    }
    assert!(!corpus.is_empty(), "no examples in {} of {wanted:?}", library().display());
    let jobs = std::env::var("GPUREPL_CORPUS_JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(3);
    let tally = run(&corpus, jobs);
    println!("{}", report(&tally));
    let unknown: Vec<_> = tally.failures.iter().filter(|(_, _, is_known)| !is_known).collect();
    assert!(unknown.is_empty(), "{} examples fail that have passed: {unknown:#?}", unknown.len());
}

/// Where rustup keeps the library's sources.
fn library() -> PathBuf {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().expect("rustc runs");
    let sysroot = String::from_utf8(output.stdout).expect("a path");
    let library = PathBuf::from(sysroot.trim()).join("lib/rustlib/src/rust/library");
    assert!(
        library.is_dir(),
        "{} is not there: `rustup component add rust-src` installs it",
        library.display()
    );
    library
}

/// Runs all examples, some files at a time.
fn run(corpus: &[(String, Vec<Example>)], jobs: usize) -> Tally {
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some((name, examples)) = corpus.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let own = run_file(name, examples);
                    let mut all = tally.lock().unwrap_or_else(PoisonError::into_inner);
                    all.passed += own.passed;
                    all.excluded += own.excluded;
                    all.failures.extend(own.failures);
                }
            });
        }
    });
    let mut tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.failures.sort();
    tally
}

/// Runs the examples of a file in one session.
fn run_file(name: &str, examples: &[Example]) -> Tally {
    let (mut tally, mut cells) = (Tally::default(), Conversation::start());
    for example in examples {
        let place = format!("{name}:{}", example.line);
        if known::is_excluded(name, &example.source) {
            tally.excluded += 1;
            continue;
        }
        let outcome = within_limit(&mut cells, &example.source);
        match &outcome {
            Outcome::Done(_) => tally.passed += 1,
            _ => {
                let is_known = known::is_failure(name, &example.source);
                tally.failures.push((place, reason(&cells, &outcome), is_known));
            }
        }
        if matches!(outcome, Outcome::Lost(_)) {
            cells = Conversation::start();
        }
    }
    tally
}

fn within_limit(cells: &mut Conversation, source: &str) -> Outcome {
    let (interrupter, (end, is_over)) = (cells.interrupter(), channel::<()>());
    let watch = std::thread::spawn(move || {
        // The second interrupt ends the worker.
        for wait in [LIMIT, Duration::from_secs(5)] {
            if is_over.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            interrupter.interrupt();
        }
    });
    let outcome = cells.run(source);
    drop(end);
    watch.join().expect("it watches only");
    outcome
}

/// The first line of the message to the user.
fn reason(cells: &Conversation, outcome: &Outcome) -> String {
    let text = match outcome {
        Outcome::Failed(diagnostic) => {
            let code = diagnostic.code.as_ref().map(|code| format!("{code} ")).unwrap_or_default();
            format!("{code}{}", diagnostic.message)
        }
        other => format!("{other:?} {}", cells.stderr()),
    };
    text.lines().next().unwrap_or_default().to_owned()
}

fn report(tally: &Tally) -> String {
    let total = tally.passed + tally.failures.len();
    let mut text = format!("{} of {total} examples pass; {} are left out\n", tally.passed, tally.excluded);
    for (place, reason, _) in &tally.failures {
        let _ = writeln!(text, "  {place}: {reason}");
    }
    text
}
