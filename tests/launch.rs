//! Ranks that something else has started, as `mpiexec` does: the first is the session, the others are its workers.
//!
//! What counts is what `mpiexec` puts into the environment, so no MPI is needed here.

use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use gpurepl_tests::{gpurepl, program};

/// Starts so many ranks with these arguments.
fn ranks(count: usize, arguments: &[&str]) -> Vec<Child> {
    ranks_with(&vec![arguments; count])
}

/// Starts a rank with each of these arguments, in Open MPI's words.
fn ranks_with(arguments: &[&[&str]]) -> Vec<Child> {
    static JOBS: AtomicUsize = AtomicUsize::new(0);
    let job = format!("{}-{}", std::process::id(), JOBS.fetch_add(1, Ordering::Relaxed));
    let count = arguments.len().to_string();
    // The store is there.
    program();
    let start = |rank: usize| {
        let mut command: Command = gpurepl(arguments[rank]);
        command.env("OMPI_COMM_WORLD_RANK", rank.to_string()).env("OMPI_COMM_WORLD_SIZE", &count);
        command.env("OMPI_COMM_WORLD_LOCAL_SIZE", &count).env("PMIX_NAMESPACE", &job);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    };
    // The first one last: whoever comes before it waits.
    let mut started: Vec<Child> = (1..arguments.len()).map(start).collect();
    started.insert(0, start(0));
    started
}

/// What each of them has printed, and whether it has succeeded.
fn finished(ranks: Vec<Child>) -> Vec<(String, String, bool)> {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    ranks
        .into_iter()
        .map(|rank| {
            let output = rank.wait_with_output().unwrap();
            (text(output.stdout), text(output.stderr), output.status.success())
        })
        .collect()
}

fn script(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(".rs").tempfile().unwrap();
    std::fs::write(file.path(), text).unwrap();
    file
}

#[test]
fn ranks_of_a_job_are_the_workers_of_one_session() {
    // Each says its process and its arguments; the value is the same on all.
    let file = script(
        "assert_eq!((std::env::args().nth(1).as_deref(), ranks()), (Some(\"given\"), 3));\n\
         println!(\"process {} of rank {}\", std::process::id(), rank());\n\
         // %%\n\
         let x = distributed::all_gather(&(rank() as i64))?;\n\
         // %%\n\
         x.to_vec()\n",
    );
    let started = ranks(3, &[file.path().to_str().unwrap(), "given"]);
    let processes: Vec<u32> = started.iter().map(Child::id).collect();
    let all = finished(started);
    assert!(all.iter().all(|(.., is_well)| *is_well), "{all:?}");
    // The first one tells for all.
    let (stdout, stderr, _) = &all[0];
    assert!(all[1..].iter().all(|(stdout, stderr, _)| stdout.is_empty() && stderr.is_empty()), "{all:?}");
    assert!(stdout.contains("[0, 1, 2]") || stderr.contains("[0, 1, 2]"), "{stdout}{stderr}");
    // The others are the processes that were started, which MPI knows.
    for rank in [1, 2] {
        let line = format!("[{rank}] process {} of rank {rank}", processes[rank]);
        assert!(stdout.contains(&line), "{stdout}");
    }
    assert!(stdout.contains("[0] process "), "{stdout}");
}

#[test]
fn with_one_worker_each_rank_is_a_session_of_its_own() {
    let all = finished(ranks(2, &["--workers", "1", "-e", "println!(\"alone {}\", 6 * 7)"]));
    assert!(all.iter().all(|(stdout, _, is_well)| *is_well && stdout == "alone 42\n"), "{all:?}");
}

#[test]
fn a_rank_that_waits_for_one_that_has_failed_is_ended_and_the_failure_is_told() {
    // As one that waits in MPI, where nothing wakes it.
    let text = "if rank() == 1 { panic!(\"no luck\") } loop { std::thread::park() }";
    let start = Instant::now();
    let all = finished(ranks(2, &["-e", text]));
    assert!(start.elapsed() >= Duration::from_secs(10));
    let (_, stderr, is_well) = &all[0];
    assert!(!is_well && stderr.contains("no luck") && stderr.contains("on rank 1"), "{stderr}");
    assert!(stderr.contains("on rank 0: it has not ended the cell within 10 s"), "{stderr}");
}

#[test]
fn a_job_ends_when_one_of_its_ranks_is_killed() {
    let file = script("println!(\"ready\");\n// %%\nloop { std::thread::park() }\n");
    let mut started = ranks(3, &[file.path().to_str().unwrap()]);
    // It is a worker as soon as its standard output is not its own any more.
    let stdout = started[2].stdout.take().unwrap();
    let _ = std::io::read_to_string(stdout);
    started[2].kill().unwrap();
    let all = finished(started);
    let (_, stderr, is_well) = &all[0];
    assert!(!is_well && stderr.contains("rank 2"), "{stderr}");
}

#[test]
fn an_exit_on_all_ranks_is_the_jobs_status() {
    for status in [0, 3] {
        let text = format!("std::process::exit({status})");
        let mut started = ranks(2, &["-e", &text]);
        let statuses: Vec<_> = started.iter_mut().map(|rank| rank.wait().unwrap().code()).collect();
        assert_eq!(statuses, [Some(status); 2]);
    }
}

#[test]
fn ranks_of_a_script_without_a_statement_end_with_it() {
    let all = finished(ranks(3, &["-e", "fn f() -> i32 { 3 }"]));
    assert!(
        all.iter().all(|(stdout, stderr, is_well)| *is_well && stdout.is_empty() && stderr.is_empty()),
        "{all:?}"
    );
}

#[test]
fn what_would_start_ranks_anew_is_refused_and_costs_nothing() {
    let cell = |may_fail: bool, source: &str| {
        let tags = if may_fail { vec!["raises-exception"] } else { Vec::new() };
        serde_json::json!({ "cell_type": "code", "metadata": { "tags": tags }, "source": source })
    };
    let cells = [
        cell(false, "let x = distributed::all_reduce(&1_i32, distributed::Reduce::Sum)?;"),
        cell(true, ":reset"),
        cell(true, ":workers 3"),
        cell(false, "assert_eq!((x, ranks()), (2, 2)); if rank() == 0 { println!(\"both\") }"),
    ];
    let file = tempfile::Builder::new().suffix(".ipynb").tempfile().unwrap();
    std::fs::write(file.path(), serde_json::json!({ "nbformat": 4, "cells": cells }).to_string()).unwrap();
    let all = finished(ranks(2, &[file.path().to_str().unwrap()]));
    let (stdout, stderr, is_well) = &all[0];
    assert!(*is_well && stdout == "[0] both\n", "{all:?}");
    assert!(stderr.contains("the ranks of `mpiexec` are started once"), "{stderr}");
    assert!(stderr.contains("start it with another number: `mpiexec -n 3 gpurepl ..`"), "{stderr}");
}

#[test]
fn ranks_with_other_arguments_are_refused_by_name() {
    let all = finished(ranks_with(&[&["-e", "1"], &["-e", "2"]]));
    let (_, stderr, is_well) = &all[0];
    assert!(!is_well && stderr.contains("rank 1 was started with other arguments, `-e 2`"), "{stderr}");
    assert!(stderr.contains("with `--workers 1` each rank is a session of its own"), "{stderr}");
}
