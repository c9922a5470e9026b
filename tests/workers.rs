//! Several workers behind one session.
//!
//! What ranks print is compared rank by rank: whether equal lines are told as one depends on how far the ranks are
//! apart, which a busy machine decides. How lines are told is tested where they are merged.

use std::process::Command;
use std::time::{Duration, Instant};

use gpurepl_session::{Options, Outcome, Selection};
use gpurepl_tests::{Conversation, Finished, gpurepl, run_with_input};

/// A session of so many workers.
fn workers(count: usize) -> Conversation {
    Conversation::with_options(Options { workers: count, ..Options::default() })
}

/// The lines that each of so many ranks has printed.
fn by_rank(text: &[u8], count: usize) -> Vec<Vec<String>> {
    let mut lines = vec![Vec::new(); count];
    for line in String::from_utf8_lossy(text).lines() {
        let label = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
        let told =
            label.and_then(|(ranks, line)| Some((Selection::parse(ranks).ok()?.among(count).ok()?, line)));
        let (ranks, line) = told.unwrap_or(((0..count).collect(), line));
        for rank in ranks {
            lines[rank].push(line.to_owned());
        }
    }
    lines
}

/// Ends a process, and waits until it has ended: one that has a GPU takes a while.
fn kill(process: &str) {
    assert!(Command::new("kill").args(["-9", process]).status().unwrap().success());
    // The first thread is a zombie until the last one has ended, and then until its parent asks for it.
    let is_there = || {
        let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let threads = std::fs::read_dir(format!("/proc/{process}/task")).map_or(0, Iterator::count);
        threads > 1 || state.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
    };
    let start = Instant::now();
    while is_there() {
        assert!(start.elapsed() < Duration::from_secs(60), "process {process} has not ended");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_cell_runs_on_every_rank_and_equal_values_are_shown_once() {
    let mut cells = workers(3);
    cells.shows("(rank(), ranks())", "[0] (0, 3)\n[1] (1, 3)\n[2] (2, 3)");
    cells.ok("let a = arange(0..4) * (rank() as i32 / 2);");
    cells.shows("a.to_vec()", "[0,1] [0, 0, 0, 0]\n[2] [0, 1, 2, 3]");
    cells.shows("ranks() * 2", "6");
    cells
        .ok("println!(\"all\"); if rank() == 1 { println!(\"one\") } eprintln!(\"end\"); println!(\"all\");");
    assert_eq!(
        by_rank(cells.stdout(), 3),
        [vec!["all", "all"], vec!["all", "one", "all"], vec!["all", "all"]]
    );
    // Random arrays are the same on all, as those of one worker would be.
    cells.ok("rand::<f32>(3).to_vec()");
    let [random] = cells.results() else { panic!("{:?}", cells.results()) };
    assert!(!random.contains("[0] ") && random.starts_with('['), "{random}");
}

#[test]
fn the_values_of_other_ranks_are_a_command_away() {
    let mut cells = workers(2);
    cells.ok("arange(0..40).reshape((4, 10)) * (rank() as i32 + 1)");
    let [shown] = cells.results() else { panic!("{:?}", cells.results()) };
    assert!(
        shown.starts_with("[0]\n") && shown.ends_with("2 values on 2 workers; `:rank 1` shows another"),
        "{shown}"
    );
    cells.ok(":rank 1");
    assert!(cells.results()[0].contains("78"), "{:?}", cells.results());
    assert!(cells.noted().contains("rank 1:"), "{}", cells.noted());
    assert!(cells.fails(":rank 2").message.contains("ranks 0 and 1"));
    assert!(cells.fails(":rank one").message.contains("names no ranks"));
}

#[test]
fn some_ranks_run_a_cell_and_its_variables_are_theirs() {
    let mut cells = workers(3);
    cells.ok("%%rank 1..3\nlet b = rank() * 10;\nb");
    assert_eq!(cells.results(), ["[1] 10\n[2] 20"]);
    let error = cells.fails("b + 1");
    assert_eq!(error.message, "`b` is on ranks 1 and 2 alone, not on rank 0");
    assert!(error.helps[0].contains("%%rank 1,2"), "{:?}", error.helps);
    cells.shows("%%rank 2\nb + 1", "21");
    cells.ok("%%rank 0\nlet b = 7usize;");
    cells.shows("b", "[0] 7\n[1] 10\n[2] 20");
    // Of another type it would go on as what it was.
    cells.ok("%%rank 0\nlet b = \"text\";");
    assert!(cells.fails("b").message.contains("rank 0 alone"));
    // A function is everybody's, and so is a static.
    cells.ok("%%rank 0\nfn twice(x: i32) -> i32 { 2 * x }\nstatic COUNT: std::sync::atomic::AtomicI32 = std::sync::atomic::AtomicI32::new(5);");
    cells.shows("twice(COUNT.load(std::sync::atomic::Ordering::SeqCst))", "10");
    assert!(cells.fails("%%rank 3\n1").message.contains("no rank 3"));
    assert!(cells.fails("%%rank\n1").message.contains("ranks are expected"));
    let mut one = Conversation::start();
    one.shows("%%rank 0\n5", "5");
    assert!(one.fails("%%rank 1\n5").message.contains(":workers"), "{}", one.rendered());
    assert!(one.fails(":rank 0").message.contains("one worker"), "{}", one.rendered());
}

#[test]
fn a_failure_names_its_ranks_and_costs_what_only_some_have_made() {
    let mut cells = workers(3);
    cells.ok("let a = arange(0..3);");
    let error = cells.fails("let c = 1;\nif rank() == 1 { panic!(\"no luck\") }\nlet d = 2;");
    assert_eq!((error.message.as_str(), error.notes), ("panic: no luck", vec!["on rank 1".to_owned()]));
    cells.shows("c", "1");
    assert!(cells.fails("d").message.contains("cannot find value `d`"));
    // What all fail with is told once.
    assert_eq!(cells.fails("panic!(\"everywhere\")").notes, Vec::<String>::new());
    cells.shows("a.to_vec()", "[0, 1, 2]");
}

#[test]
fn ranks_wait_in_vain_for_one_that_has_failed_and_are_told() {
    let mut cells = workers(3);
    let error = cells.fails("if rank() == 2 { panic!(\"gone\") }\ndistributed::barrier()?;");
    assert_eq!(error.message, "panic: gone");
    assert_eq!(error.notes[0], "on rank 2");
    assert!(error.notes[1].starts_with("on ranks 0 and 1: barrier: rank 2"), "{:?}", error.notes);
    // The next one meets as if nothing had been.
    cells.ok("distributed::barrier()?;");
    let error = cells.fails("%%rank 0\ndistributed::barrier()?;");
    assert!(error.message.contains("ranks 1"), "{}", error.message);
    cells.shows("distributed::all_reduce(&(ones::<f32>(2) * (rank() + 1) as f32), distributed::Reduce::Sum)?.to_vec()", "[6.0, 6.0]");
}

#[test]
fn a_killed_rank_costs_the_session_nothing_that_a_replay_brings_back() {
    let mut cells = workers(3);
    cells.ok("let a = arange(0..3) + rank() as i32; let mut n = rank();");
    cells.ok("n += 10;");
    let pids = |cells: &mut Conversation| -> Vec<String> {
        cells.ok("std::process::id()");
        let lines = cells.results()[0].lines().map(|line| line.split_once("] ").unwrap().1.to_owned());
        lines.collect()
    };
    // While idle.
    let old = pids(&mut cells);
    kill(&old[1]);
    cells.shows("(a.to_vec(), n)", "[0] ([0, 1, 2], 10)\n[1] ([1, 2, 3], 11)\n[2] ([2, 3, 4], 12)");
    let new = pids(&mut cells);
    assert!(old.iter().all(|process| !new.contains(process)), "all are others: {old:?} {new:?}");
    // By itself, within a cell, while the others wait for it.
    let outcome = cells.run("if rank() == 2 { std::process::abort() }\ndistributed::barrier()?;");
    assert!(matches!(outcome, Outcome::Lost(_)), "{outcome:?}");
    assert!(cells.rendered().contains("rank 2: signal 6 (SIGABRT)"), "{}", cells.rendered());
    cells.shows("n", "[0] 10\n[1] 11\n[2] 12");
    // From outside, while all of them wait for nothing.
    let process = pids(&mut cells)[0].clone();
    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        kill(&process);
    });
    let outcome = cells.run("loop { std::thread::sleep(std::time::Duration::from_secs(1)); }");
    killer.join().unwrap();
    assert!(matches!(outcome, Outcome::Lost(_)), "{outcome:?}");
    assert!(cells.rendered().contains("rank 0: signal 9 (SIGKILL)"), "{}", cells.rendered());
    cells.shows("n", "[0] 10\n[1] 11\n[2] 12");
}

#[test]
fn an_exit_of_all_ranks_is_one_and_an_exit_of_some_names_them() {
    let mut cells = workers(2);
    cells.ok("let a = 1;");
    let outcome = cells.run("std::process::exit(3)");
    let Outcome::Lost(loss) = &outcome else { panic!("{outcome:?}") };
    assert_eq!((loss.status, loss.cause.as_str()), (Some(3), "exit status 3"));
    let outcome = cells.run("if rank() == 1 { std::process::exit(4) }\nloop { std::thread::sleep(std::time::Duration::from_secs(1)); }");
    let Outcome::Lost(loss) = &outcome else { panic!("{outcome:?}") };
    assert_eq!((loss.status, loss.cause.as_str()), (Some(4), "rank 1: exit status 4"));
    cells.shows("a", "1");
}

#[test]
fn an_interrupt_reaches_all_ranks() {
    let mut cells = workers(3);
    cells.ok("let mut n = 0;");
    let source = "println!(\"on\"); loop { n += 1; let _ = arange(0..10).sum().item(); }";
    let (outcome, _) = cells.interrupted(source, &[Duration::from_millis(50)]);
    assert!(matches!(outcome, Outcome::Interrupted), "{outcome:?}");
    cells.shows("n > 0", "true");
    // Waiting for a rank that does not come is interrupted as well.
    let source = "println!(\"on\"); if rank() > 0 { distributed::barrier()?; } else { loop { let _ = arange(0..10).sum().item(); } }";
    let (outcome, _) = cells.interrupted(source, &[Duration::from_millis(50)]);
    assert!(matches!(outcome, Outcome::Interrupted), "{outcome:?}");
    // One that listens to nothing is ended with the others.
    let outcome =
        cells.interrupted_again("println!(\"on\"); if rank() == 1 { loop { std::hint::spin_loop() } }");
    assert!(matches!(outcome, Outcome::Lost(_)), "{outcome:?}");
    cells.shows("ranks()", "3");
}

#[test]
fn a_question_is_asked_once_and_answered_to_all() {
    let mut cells = workers(3);
    cells.reply(&["seven", "eight"]);
    cells.ok("let mut a = String::new(); std::io::stdin().read_line(&mut a)?;\nlet b = input(\"b? \");\n(a.trim().to_owned(), b)");
    assert_eq!(cells.results(), ["(\"seven\", \"eight\")"]);
    assert_eq!(cells.asked().len(), 2);
}

#[test]
fn the_number_of_workers_changes_and_the_cells_are_replayed() {
    let mut cells = Conversation::start();
    cells.ok("let a = arange(0..3) * (ranks() as i32);");
    cells.ok(":workers 3");
    let table = cells.displays()[0].get("text/plain").unwrap().to_owned();
    assert_eq!(table.lines().count(), 4, "{table}");
    cells.ok("%%rank 1\nlet large = ones::<f64>(1 << 20);");
    cells.ok(":workers");
    let table = cells.displays()[0].get("text/plain").unwrap().to_owned();
    let used: Vec<bool> = table.lines().skip(1).map(|line| line.contains(" 8.0 MiB")).collect();
    assert_eq!(used, [false, true, false], "{table}");
    cells.shows("(ranks(), a.to_vec())", "(3, [0, 3, 6])");
    cells.ok("%%rank 1\nlet only = 5;");
    cells.ok(":workers 2");
    cells.shows("a.to_vec()", "[0, 2, 4]");
    cells.shows("%%rank 1\nonly", "5");
    cells.ok(":workers 1");
    cells.shows("a.to_vec()", "[0, 1, 2]");
    for (wrong, words) in
        [(":workers 0", "1 to 1024"), (":workers x", "not `x`"), (":workers 5000", "1 to 1024")]
    {
        assert!(cells.fails(wrong).message.contains(words), "{wrong}");
    }
}

#[test]
fn much_output_of_many_ranks_is_all_told() {
    let mut cells = workers(8);
    cells.ok("for i in 0..2000 { println!(\"line {i}\"); if i % 500 == rank() { println!(\"extra\") } }");
    for (rank, lines) in by_rank(cells.stdout(), 8).iter().enumerate() {
        let plain: Vec<&String> = lines.iter().filter(|line| *line != "extra").collect();
        assert!(plain.iter().enumerate().all(|(i, line)| **line == format!("line {i}")), "rank {rank}");
        assert_eq!((plain.len(), lines.len()), (2000, 2004), "rank {rank}");
    }
}

#[test]
fn a_rank_that_runs_out_of_memory_fails_alone() {
    let environment = vec![("GPUREPL_MEMORY_LIMIT".to_owned(), "64".to_owned())];
    let mut cells = Conversation::with_options(Options { workers: 2, environment, ..Options::default() });
    let error = cells.fails("let a = if rank() == 1 { ones::<f64>(100_000_000) } else { ones::<f64>(10) };");
    assert!(error.notes.contains(&"on rank 1".to_owned()), "{error:?}");
    cells.shows("ones::<f64>(10).sum().item()", "10.0");
}

#[test]
fn what_other_ranks_run_is_saved_as_a_script_and_not_as_a_program() {
    let mut cells = workers(2);
    cells.ok("let a = 5;");
    cells.ok("%%rank 1\nlet b = 7;");
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let error = cells.fails(&format!(":save {}/", at("project")));
    assert!(error.message.contains("cell 2 runs on other ranks than 0"), "{}", error.message);
    cells.ok(&format!(":save {}/ 1", at("project")));
    cells.ok(&format!(":save {}", at("work.rs")));
    let ran = Finished::of(&mut gpurepl(&["--workers", "2", &at("work.rs")]));
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(std::fs::read_to_string(at("work.rs")).unwrap().contains("%%rank 1"));
}

#[test]
fn a_notebook_has_a_card_for_each_value() {
    let mut cells = Conversation::with_options(Options { workers: 2, is_rich: true, ..Options::default() });
    cells.ok("arange(0..3) + rank() as i32");
    let [bundle] = cells.rich_results() else { panic!("{:?}", cells.rich_results()) };
    let html = bundle.get("text/html").unwrap();
    assert!(
        html.contains("<summary>rank 0</summary>") && html.contains("<summary>rank 1</summary>"),
        "{html}"
    );
}

#[test]
fn a_script_runs_on_workers_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.rs");
    let text = "let mut line = String::new();\nstd::io::stdin().read_line(&mut line)?;\nprintln!(\"{} {}\", rank(), line.trim());\nstd::process::exit(7)";
    std::fs::write(&script, text).unwrap();
    let finished = run_with_input(gpurepl(&["--workers", "2"]).arg(&script), b"given\n");
    assert_eq!(finished.status, Some(7), "{finished:?}");
    assert_eq!(by_rank(finished.stdout.as_bytes(), 2), [vec!["0 given"], vec!["1 given"]]);
    let wrong = Finished::of(&mut gpurepl(&["--workers", "0", "-e", "1"]));
    assert_eq!(wrong.status, Some(2));
    assert!(wrong.stderr.contains("1 to 1024 workers, not `0`"), "{}", wrong.stderr);
}

/// The walkthrough's example: rank 0 makes numbers, each rank scales its part a thousand times, rank 0 collects them.
#[test]
fn numbers_are_scattered_scaled_and_gathered() {
    let mut cells = workers(4);
    cells.ok("let x = (rank() == 0).then(|| randn::<f64>(1 << 22) * 1e16);");
    cells.ok("let mut part = distributed::scatter(x.as_ref(), 0)?;");
    cells.shows("part.size()", "1048576");
    cells.ok("%%time\nfor _ in 0..1000 { part *= 0.9; }");
    cells.ok("let all = distributed::gather(&part, 0)?;");
    cells.shows("all.is_some()", "[0] true\n[1..=3] false");
    let source = "let scale = 0.9f64.powi(1000);\nx.zip(all).map(|(x, all)| all.size() == 1 << 22 && allclose(all, x * scale))";
    cells.ok(source);
    assert_eq!(cells.results(), ["[0] Some(true)\n[1..=3] None"]);
}
