//! The program with files, `-e` and pipes.

use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use gpurepl_tests::{Finished, gpurepl, run_with_input};

/// A script in a folder of its own.
struct Script {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Script {
    fn new(text: impl AsRef<[u8]>) -> Script {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("script.rs");
        std::fs::write(&path, text).unwrap();
        Script { _folder: folder, path }
    }

    fn run(&self) -> Finished {
        Finished::of(&mut gpurepl(&[self.path.to_str().unwrap()]))
    }
}

#[test]
fn a_script_runs_its_cells_and_shows_their_values() {
    let script = Script::new(
        "#!/usr/bin/env gpurepl\n// %% first\nlet a = arange(0..4);\nprintln!(\"printed\");\n\n// %%\n&a * 2\n\
         // %% [markdown]\n// not ) rust\n// %%\na.sum().item()\n",
    );
    assert_eq!(script.run().expect_success(), "printed\narray([0, 2, 4, 6], dtype=int32)\n6\n");
}

#[test]
fn a_file_without_marks_is_one_cell() {
    let script = Script::new("fn f(x: i32) -> i32 {\n    x + 1\n}\nlet a = f(1);\na\n    .pow(3)\n");
    assert_eq!(script.run().expect_success(), "8\n");
    assert_eq!(Script::new("").run().expect_success(), "");
    assert_eq!(Script::new("// only words\n").run().expect_success(), "");
}

#[test]
fn the_first_failing_cell_ends_a_script() {
    let script = Script::new("// %%\nlet a = 1;\n// %%\nassert_eq!(a, 2);\n// %%\nprintln!(\"never\");\n");
    let finished = script.run();
    assert_eq!((finished.stdout.as_str(), finished.status), ("", Some(1)));
    let place = format!("{}:4:1", script.path.display());
    assert!(finished.stderr.contains(&place), "{}", finished.stderr);
    assert!(!finished.stderr.contains('\x1b'), "no colours in a pipe");
}

#[test]
fn every_kind_of_failure_is_an_exit_status() {
    for source in [
        "1 +",
        "missing",
        "panic!()",
        "Err::<(), _>(\"no\")?",
        "std::process::abort()",
        "zeros::<f32>(2).reshape(3)",
        ":nonsense",
    ] {
        let finished = Finished::of(&mut gpurepl(&["-e", source]));
        assert_eq!(finished.status, Some(1), "{source}: {}", finished.stderr);
        assert!(finished.stderr.contains("error"), "{source}: {}", finished.stderr);
        assert_eq!(finished.stdout, "", "{source}");
    }
}

#[test]
fn codes_are_cells_of_one_session() {
    let finished =
        Finished::of(&mut gpurepl(&["-e", "let a = 20;", "-e", "a + 1", "--eval", "print!(\"end\")"]));
    assert_eq!(finished.expect_success(), "21\nend");
    let finished = Finished::of(&mut gpurepl(&["-e", "oops", "-e", "println!(\"never\")"]));
    assert_eq!((finished.stdout.as_str(), finished.status), ("", Some(1)));
}

#[test]
fn a_pipe_is_evaluated_cell_by_cell() {
    let input = "let a = 1;\nlet b = a\n    + 1;\n\nfn f() -> i32 {\n    b()\n}\nfn b() -> i32 { 5 }\nf() + b\n:vars\n";
    let finished = run_with_input(&mut gpurepl(&[]), input.as_bytes());
    // `f` failed, as `b` was no function yet; what follows went on.
    assert_eq!(finished.status, Some(1));
    assert!(finished.stderr.contains("stdin:6:5"), "{}", finished.stderr);
    // The function has taken the place of the variable of its name.
    assert!(finished.stderr.contains("`b` was dropped"), "{}", finished.stderr);
    assert!(finished.stdout.ends_with("a     i32   4 bytes\n"), "{}", finished.stdout);
    assert_eq!(run_with_input(&mut gpurepl(&[]), b"1 + 1\n").expect_success(), "2\n");
    assert_eq!(run_with_input(&mut gpurepl(&[]), b"").expect_success(), "");
}

#[test]
fn a_pipe_with_marks_is_a_script_and_so_is_a_dash() {
    let input = b"// %%\nlet a = 1;\n\nlet b = 2;\n// %%\na + b";
    assert_eq!(run_with_input(&mut gpurepl(&[]), input).expect_success(), "3\n");
    assert_eq!(run_with_input(&mut gpurepl(&["-"]), input).expect_success(), "3\n");
}

#[test]
fn a_program_can_converse_through_a_pipe() {
    use std::io::{BufRead as _, BufReader};
    let mut child = gpurepl(&[]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for k in 0..3 {
        // Each answer comes before the next question is asked.
        writeln!(stdin, "{k} + 1").unwrap();
        assert_eq!(lines.next().unwrap().unwrap(), (k + 1).to_string());
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn bytes_that_are_no_text_are_refused_by_their_line() {
    let finished = run_with_input(&mut gpurepl(&[]), b"let a = 1;\nlet b = \"\xff\";\na\n");
    assert_eq!((finished.stdout.as_str(), finished.status), ("1\n", Some(1)));
    assert!(finished.stderr.contains("line 2"), "{}", finished.stderr);
    let finished = Script::new(b"let a = 1;\nlet b = \"\xff\";\n").run();
    assert!(finished.stderr.contains("line 2"), "{}", finished.stderr);
    assert_eq!(finished.status, Some(1));
}

#[test]
fn a_cell_with_bytes_that_are_no_text_is_left_out_as_a_whole() {
    let input = b"fn f() {\n    let s = \"\xe9\";\n    println!(\"half\");\n}\nprintln!(\"next\");\n";
    let finished = run_with_input(&mut gpurepl(&[]), input);
    assert_eq!(finished.stdout, "next\n", "{}", finished.stderr);
    assert!(finished.stderr.contains("line 2 of the input is not UTF-8"), "{}", finished.stderr);
    let argument = std::ffi::OsStr::from_bytes(b"println!(\"\xe9\")");
    let output = gpurepl(&["-e"]).arg(argument).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(2), true), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("UTF-8"), "{output:?}");
}

#[test]
fn a_line_of_a_pipe_that_could_begin_a_cell_does() {
    let input = b"let x = 5\nlet y = &x\n-1\n&x * 2\nlet z = x\n    - 1\nz\n";
    let finished = run_with_input(&mut gpurepl(&[]), input);
    assert_eq!(finished.stdout, "-1\n10\n4\n", "{}", finished.stderr);
}

#[test]
fn what_only_later_cells_can_notice_is_told_where_one_comes() {
    let cell = "let v = vec![1]; let first = &v[0]; println!(\"{first}\");";
    let finished = Finished::of(&mut gpurepl(&["-e", cell]));
    assert_eq!((finished.stdout.as_str(), finished.stderr.as_str()), ("1\n", ""));
    let finished = Finished::of(&mut gpurepl(&["-e", cell, "-e", "v"]));
    assert!(finished.stderr.contains("`first` is not kept"), "{}", finished.stderr);
    assert_eq!(run_with_input(&mut gpurepl(&[]), cell.as_bytes()).expect_success(), "1\n");
}

#[test]
fn scripts_read_their_standard_input() {
    let code = "let mut name = String::new(); std::io::stdin().read_line(&mut name)?; name.trim()";
    let finished = run_with_input(&mut gpurepl(&["-e", code]), b"Ada\n");
    assert_eq!(finished.expect_success(), "\"Ada\"\n");
}

#[test]
fn output_passes_through_as_it_is() {
    let code = "use std::io::Write; print!(\"half\"); std::io::stdout().flush()?; eprint!(\"err\"); std::io::stdout().write_all(b\"\\xff\\x00\")?;";
    let output = gpurepl(&["-e", code]).output().unwrap();
    assert_eq!(output.stdout, b"half\xff\x00");
    assert_eq!(output.stderr, b"err");
    // A value stands on a line of its own.
    assert_eq!(Finished::of(&mut gpurepl(&["-e", "print!(\"half\"); 5"])).expect_success(), "half\n5\n");
}

#[test]
fn a_reader_that_goes_away_ends_an_endless_cell() {
    let mut child = gpurepl(&["-e", "loop { println!(\"y\"); }"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    std::io::Read::read_exact(&mut stdout, &mut [0; 100]).unwrap();
    drop(stdout);
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(300), "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_interrupt_ends_a_script_with_its_own_status() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let script =
        Script::new("// %%\nprintln!(\"on\");\nloop { check_interrupt(); }\n// %%\nprintln!(\"never\");\n");
    let mut child = gpurepl(&[script.path.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let process = Pid::from_raw(child.id().try_into().unwrap());
    // The cell has begun when it prints.
    let mut printed = [0; 3];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut printed).unwrap();
    assert_eq!(&printed, b"on\n");
    kill(process, Signal::SIGINT).unwrap();
    let finished = Finished::from(child.wait_with_output().unwrap());
    assert_eq!((finished.stdout.as_str(), finished.status), ("", Some(130)));
}

#[test]
fn a_wrong_command_line_is_status_two() {
    for arguments in [&["--no-such-option"][..], &["--device", "opencl"], &["-e", "1", "a.rs"]] {
        let finished = Finished::of(&mut gpurepl(arguments));
        assert_eq!(finished.status, Some(2), "{arguments:?}");
    }
    let finished = Finished::of(&mut gpurepl(&["no-such-file.rs"]));
    assert_eq!(finished.status, Some(1));
    assert!(finished.stderr.contains("there is no file no-such-file.rs"), "{}", finished.stderr);
    let help = Finished::of(&mut gpurepl(&["--help"])).expect_success();
    for word in ["devices", "doctor", "--device", "GPUREPL_DEVICE", "exit status"] {
        assert!(help.contains(word), "{word}: {help}");
    }
}

#[test]
fn devices_and_doctor_tell_what_is_there() {
    let devices = Finished::of(&mut gpurepl(&["devices"])).expect_success();
    assert!(devices.contains("host"), "{devices}");
    assert_eq!(devices.lines().filter(|line| line.starts_with('*')).count(), 1, "{devices}");
    let devices = Finished::of(&mut gpurepl(&["devices", "--device", "host"])).expect_success();
    assert!(devices.lines().any(|line| line.starts_with("* host")), "{devices}");
    let finished = Finished::of(&mut gpurepl(&["doctor", "--device", "host"]));
    assert_eq!(finished.status, Some(0), "{}", finished.stdout);
    for word in ["Rust", "linker", "prelude", "arrays and kernels work"] {
        assert!(finished.stdout.contains(word), "{word}: {}", finished.stdout);
    }
}

#[test]
fn the_cache_of_kernels_is_told_about_and_emptied() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = gpurepl(arguments);
        command.env("GPUREPL_CACHE_DIR", folder.path()).env("GPUREPL_CACHE_LIMIT", "7");
        Finished::of(&mut command).expect_success()
    };
    let cell = "SourceModule::new(\"__global__ void k(int *a) { a[threadIdx.x] = 1; }\")?;";
    assert!(
        run(&["-e", cell, "-e", cell, "-e", ":cache"]).contains("this session: 1 found there, 1 compiled")
    );
    let told = run(&["cache", "info"]);
    assert!(told.contains(&*folder.path().to_string_lossy()) && told.contains("of at most 7 MiB"), "{told}");
    assert!(told.contains("1 kernel,"), "{told}");
    assert!(run(&["cache", "clear"]).contains("removed 1 kernel,"));
    assert!(run(&["cache"]).contains("0 kernels,"));
    let mut command = gpurepl(&["cache"]);
    command.env("GPUREPL_CACHE_DIR", folder.path()).env("GPUREPL_CACHE_LIMIT", "7 MiB");
    let finished = Finished::of(&mut command);
    assert!(
        finished.status == Some(0) && finished.stdout.contains("of at most 512 MiB"),
        "{}",
        finished.stdout
    );
    let unread = "GPUREPL_CACHE_LIMIT is no number of MiB: `7 MiB`; kernels are kept up to 512 MiB";
    assert!(finished.stderr.contains(unread), "{}", finished.stderr);
    let finished = Finished::of(&mut gpurepl(&["-e", ":cache everything"]));
    assert_eq!(finished.status, Some(1), "{}", finished.stderr);
}

#[test]
fn a_kernel_for_a_debugger_leaves_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let cell = "SourceModule::new(\"__global__ void k(int *a) { a[threadIdx.x] = 1; }\")?;";
    let mut command = gpurepl(&["-e", cell, "-e", ":cache"]);
    command.env("GPUREPL_CACHE_DIR", folder.path()).env("GPUREPL_DEBUG", "1");
    let finished = Finished::of(&mut command);
    assert!(finished.stderr.contains("their sources are kept in"), "{}", finished.stderr);
    assert!(finished.status == Some(0) && finished.stdout.contains("0 kernels,"), "{}", finished.stdout);
    let sources = std::fs::read_dir(folder.path().join("debug")).unwrap();
    // Beside the folder of the source stands the module that a debugger reads.
    let folder = sources.flatten().find(|entry| entry.path().is_dir()).unwrap();
    let source = folder.path().join("kernel.cu");
    assert!(std::fs::read_to_string(source).unwrap().contains("__global__ void k"));
}

#[test]
fn doctor_says_what_is_missing() {
    let empty = tempfile::tempdir().unwrap();
    let mut command = gpurepl(&["doctor"]);
    // Where rustup puts a toolchain, there is none either.
    command.env("PATH", empty.path()).env("CARGO_HOME", empty.path()).env_remove("GPUREPL_RUSTC");
    let finished = Finished::of(&mut command);
    assert_eq!(finished.status, Some(1));
    assert!(finished.stdout.contains("rustup.rs"), "{}", finished.stdout);
    let finished = Finished::of(gpurepl(&["doctor", "--device", "host"]).env("CXX", "no-such-compiler"));
    assert!(finished.stdout.contains("set CXX to a compiler"), "{}", finished.stdout);
}

#[test]
fn the_status_of_exit_is_the_scripts() {
    for status in [0, 3] {
        let code = format!("let a = 1; println!(\"before\"); std::process::exit({status})");
        let finished = Finished::of(&mut gpurepl(&["-e", &code, "-e", "panic!()"]));
        assert_eq!((finished.status, finished.stderr.as_str()), (Some(status), ""));
        assert_eq!(finished.stdout, "before\n");
    }
}

#[test]
fn a_script_has_arguments() {
    let script = Script::new("std::env::args().skip(1).collect::<Vec<_>>()");
    let path = script.path.to_str().unwrap();
    let finished = Finished::of(&mut gpurepl(&[path, "one", "2", "--three"]));
    assert_eq!(finished.expect_success(), "[\"one\", \"2\", \"--three\"]\n");
}

#[test]
fn a_program_with_a_main_function_runs() {
    let program = "use std::fmt::Write as _;\nfn main() -> Result<(), std::fmt::Error> {\n    let mut s = String::new();\n    \
                   write!(s, \"from main\")?;\n    println!(\"{s}\");\n    Ok(())\n}\n";
    assert_eq!(Script::new(program).run().expect_success(), "from main\n");
    let failing = Script::new("fn main() {\n    panic!(\"oh\");\n}\n").run();
    assert_eq!(failing.status, Some(1));
    assert!(failing.stderr.contains("script.rs:2:5"), "{}", failing.stderr);
}

#[test]
fn variables_are_dropped_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out.txt");
    let code = format!(
        "use std::io::Write; let mut out = std::io::BufWriter::new(std::fs::File::create({file:?})?); writeln!(out, \"kept\")?;"
    );
    let drops = "struct D(i32); impl Drop for D { fn drop(&mut self) { println!(\"drop {}\", self.0); } } let first = D(1);";
    let finished = Finished::of(&mut gpurepl(&["-e", &code, "-e", drops, "-e", "let second = D(2);"]));
    assert_eq!(finished.expect_success(), "drop 2\ndrop 1\n");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "kept\n");
}

#[test]
fn places_in_what_is_printed_are_the_users() {
    let script = Script::new(
        "let a = 20;\ndbg!(a + 1);\nstd::thread::spawn(|| {\n    panic!(\"in a thread\");\n}).join().is_err()\n",
    );
    let finished = script.run();
    assert_eq!((finished.stdout.as_str(), finished.status), ("true\n", Some(0)));
    assert!(finished.stderr.contains("script.rs:2:1] a + 1 = 21\n"), "{}", finished.stderr);
    assert!(finished.stderr.contains("script.rs:4:5:\nin a thread\n"), "{}", finished.stderr);
}

/// Starts a cell that never ends, sends a signal, and returns the status.
fn stopped_by(signal: nix::sys::signal::Signal, folder: &std::path::Path) -> std::process::ExitStatus {
    let mut command = gpurepl(&["-e", "println!(\"running\"); loop { std::hint::spin_loop(); }"]);
    let mut child =
        command.env("TMPDIR", folder).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.as_mut().unwrap()), &mut line)
        .unwrap();
    assert_eq!(line, "running\n");
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(child.id() as i32), signal).unwrap();
    child.wait().unwrap()
}

#[test]
fn one_interrupt_ends_a_script_that_does_not_listen() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(stopped_by(nix::sys::signal::Signal::SIGINT, folder.path()).code(), Some(130));
    assert_eq!(stopped_by(nix::sys::signal::Signal::SIGTERM, folder.path()).code(), Some(143));
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.path()).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A notebook of Jupyter with these cells, each a kind and a text.
fn notebook(cells: &[(&str, &str)]) -> (tempfile::TempDir, String) {
    let cells: Vec<String> = cells
        .iter()
        .map(|(kind, source)| {
            format!("{{\"cell_type\": \"{kind}\", \"metadata\": {{}}, \"source\": {source:?}}}")
        })
        .collect();
    let text = format!(
        "{{\"nbformat\": 4, \"nbformat_minor\": 5, \"metadata\": {{}}, \"cells\": [{}]}}",
        cells.join(", ")
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.ipynb");
    std::fs::write(&path, text).unwrap();
    let path = path.display().to_string();
    (folder, path)
}

#[test]
fn a_notebook_runs_its_code_cells() {
    let (_folder, path) = notebook(&[
        ("markdown", "# not ) rust"),
        ("code", "let a = 20;\nprintln!(\"{}\", std::env::args().nth(1).unwrap());"),
        ("raw", "not ) rust"),
        ("code", "!echo from the shell\na + 1"),
        ("code", "%%bash\nfor word in one two; do\n  echo \"$word's\"\ndone"),
    ]);
    let finished = Finished::of(&mut gpurepl(&[&path, "argument"]));
    assert_eq!(finished.expect_success(), "argument\nfrom the shell\n21\none's\ntwo's\n");
}

#[test]
fn a_notebooks_errors_name_the_cell_and_its_lines() {
    let (_folder, path) = notebook(&[("code", "let a = 1;"), ("code", ""), ("code", "\nlet b: u8 = \"x\";")]);
    let finished = Finished::of(&mut gpurepl(&[&path]));
    assert_eq!(finished.status, Some(1));
    assert!(finished.stderr.contains("some.ipynb, cell 2:2:13"), "{}", finished.stderr);
    let (folder, path) = notebook(&[("code", "%%writefile x\n1")]);
    let finished = Finished::of(&mut gpurepl(&[&path]));
    assert!(
        finished.stderr.contains("some.ipynb, cell 1: there is no cell magic `%%writefile`"),
        "{}",
        finished.stderr
    );
    let broken = folder.path().join("broken.ipynb");
    std::fs::write(&broken, "{\"nbformat\": 4,\n \"cells\": [").unwrap();
    let finished = Finished::of(&mut gpurepl(&[broken.to_str().unwrap()]));
    assert_eq!(finished.status, Some(1));
    assert!(
        finished.stderr.contains("broken.ipynb is not a notebook: EOF") && finished.stderr.contains("line 2"),
        "{}",
        finished.stderr
    );
}

/// A notebook says so of a cell by a tag, as nbclient has it.
#[test]
fn a_notebooks_cell_that_may_fail_does_not_end_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.ipynb");
    let cell = |tag: &str, source: &str| {
        format!("{{\"cell_type\": \"code\", \"metadata\": {{\"tags\": [{tag}]}}, \"source\": \"{source}\"}}")
    };
    let cells = [cell("\"raises-exception\"", "let a: u8 = 1.0;"), cell("", "%%time\\nprintln!(\\\"on\\\")")];
    std::fs::write(&path, format!("{{\"nbformat\": 4, \"cells\": [{}]}}", cells.join(","))).unwrap();
    let finished = Finished::of(&mut gpurepl(&[path.to_str().unwrap()]));
    assert_eq!((finished.stdout.as_str(), finished.status), ("on\n", Some(0)), "{}", finished.stderr);
    assert!(finished.stderr.contains("error[E0308]"), "{}", finished.stderr);
}

#[test]
fn quiet_shows_what_is_printed_and_errors() {
    let code = [
        "--quiet",
        "-e",
        "println!(\"printed\"); 1",
        "-e",
        "let unused = 1; let b = 2; b",
        "-e",
        "let c: u8 = 1.0;",
    ];
    let finished = Finished::of(&mut gpurepl(&code));
    assert_eq!((finished.stdout.as_str(), finished.status), ("printed\n", Some(1)));
    assert!(finished.stderr.starts_with("error[E0308]"), "{}", finished.stderr);
    let finished = Finished::of(&mut gpurepl(&["-q", "-e", ":vars"]));
    assert_eq!(finished.expect_success(), "no variables\n");
}

#[test]
fn times_are_told_on_the_standard_error() {
    let finished = Finished::of(&mut gpurepl(&["--time", "-e", "let a = 1;", "-e", ":vars", "-e", "a + 1"]));
    assert_eq!(
        (finished.stdout.as_str(), finished.status),
        ("name  type  value\na     i32   4 bytes\n2\n", Some(0))
    );
    let lines: Vec<&str> = finished.stderr.lines().collect();
    assert_eq!(lines.len(), 3, "{}", finished.stderr);
    assert!(lines[0].starts_with("-e:1: compiled in ") && lines[0].contains("ran in "), "{}", lines[0]);
    assert!(lines[2].starts_with("total: 2 cells in "), "{}", lines[2]);
}

#[test]
fn commands_of_the_system_have_the_scripts_own_streams() {
    let mut command = gpurepl(&["-e", "!cat; echo error >&2", "-e", "! exit 4", "-e", "1"]);
    let finished = run_with_input(&mut command, b"typed\n");
    assert_eq!((finished.stdout.as_str(), finished.status), ("typed\n1\n", Some(0)));
    assert_eq!(finished.stderr, "error\nexit status 4\n");
}

#[test]
fn what_follows_a_script_is_the_scripts() {
    let script = Script::new("std::env::args().skip(1).collect::<Vec<_>>()");
    let path = script.path.to_str().unwrap();
    let finished = Finished::of(&mut gpurepl(&["--device", "host", path, "--quiet", "-e", "-i"]));
    assert_eq!(finished.expect_success(), "[\"--quiet\", \"-e\", \"-i\"]\n");
}

#[test]
fn cells_from_a_pipe_follow_a_script_that_asks_for_it() {
    let script = Script::new("let a = 20;");
    let path = script.path.to_str().unwrap();
    let finished = run_with_input(&mut gpurepl(&["-i", path]), b"a + 1\n");
    assert_eq!(finished.expect_success(), "21\n");
}

#[test]
fn a_configuration_holds_for_scripts_and_is_checked() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("gpurepl");
    std::fs::create_dir(&folder).unwrap();
    let file = folder.join("config.toml");
    let run = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let mut command = gpurepl(&["-e", "1"]);
        Finished::of(command.env("XDG_CONFIG_HOME", home.path()).env_remove("GPUREPL_DEVICE"))
    };
    assert_eq!(run("device = \"host\"\ntheme = \"mono\"\n").expect_success(), "1\n");
    let finished = run("device = \"host\"\nthem = \"mono\"\n");
    assert_eq!((finished.status, finished.stdout.as_str()), (Some(2), ""));
    assert!(
        finished.stderr.contains("config.toml:2:1") && finished.stderr.contains("`them`"),
        "{}",
        finished.stderr
    );
}

#[test]
fn shells_and_manuals_are_served() {
    for (shell, word) in
        [("bash", "_gpurepl()"), ("zsh", "#compdef gpurepl"), ("fish", "complete -c gpurepl")]
    {
        let text = Finished::of(&mut gpurepl(&["completions", shell])).expect_success();
        assert!(text.contains(word) && text.contains("edit-mode"), "{shell}: {text}");
    }
    let page = Finished::of(&mut gpurepl(&["man"])).expect_success();
    assert!(page.contains(".TH gpurepl 1") && page.contains("GPUREPL_DEVICE"), "{page}");
    let help = Finished::of(&mut gpurepl(&["--help"])).expect_success();
    for word in
        ["Scripts:", "Prompt:", "Environment:", "Files:", "--interactive", "VISUAL", "exit status is 0"]
    {
        assert!(help.contains(word), "{word} is not in\n{help}");
    }
    assert_eq!(Finished::of(&mut gpurepl(&["--nonsense"])).status, Some(2));
}
