//! `gpurepl debug`: scripts under a debugger, which stops within kernels.

use std::path::Path;

use crate::ignored;
use gpurepl_tests::{Finished, Screen, gpurepl, is_on_host};

const SCRIPT: &str = r##"let module = SourceModule::new(r#"
__global__ void twice(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float old = a[i];
    a[i] = 2 * old;
  }
}
"#)?;
let mut a = arange(0..64).astype(f32);
module.get_function("twice")?.launch(2, 32, (&mut a, 64))?;
println!("the sum is {}", a.sum().item());
"##;

/// What a debugger shows that is told these commands; nothing where there is
/// none, or it may not look at other processes.
fn shown(options: &[&str], commands: &[&str]) -> Option<(Finished, tempfile::TempDir)> {
    let debugger = match is_on_host() {
        true => std::env::var("GPUREPL_TEST_GDB").unwrap_or_default(),
        false => "/usr/local/cuda/bin/cuda-gdb".to_owned(),
    };
    if !Path::new(&debugger).is_file() {
        ignored::missing("a debugger", "GPUREPL_TEST_GDB");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.rs");
    std::fs::write(&script, SCRIPT).unwrap();
    let mut arguments = vec!["debug", "--batch", "--debugger", &debugger];
    arguments.extend(options);
    for command in commands {
        arguments.extend(["--ex", command]);
    }
    arguments.push(script.to_str().unwrap());
    let mut command = gpurepl(&arguments);
    command.env("GPUREPL_CACHE_DIR", folder.path().join("kernels"));
    Some((Finished::of(&mut command), folder))
}

#[test]
fn it_stops_in_a_kernel_that_is_compiled_later() {
    let last = if is_on_host() { "print threadIdx.x" } else { "info cuda threads" };
    let commands =
        ["break twice", "run", "next", "next", "next", "info locals", last, "list", "delete", "continue"];
    let Some((finished, _folder)) = shown(&[], &commands) else { return };
    let text = &finished.stdout;
    assert!(finished.stderr.contains("kernels are built for a debugger"), "{}", finished.stderr);
    assert!(text.contains("Breakpoint 1") && text.contains("twice") && text.contains("kernel.cu"), "{text}");
    assert!(text.contains("i = 0") && text.contains("old = 0"), "{text}");
    assert!(text.contains("a[i] = 2 * old;"), "{text}");
    assert!(text.contains("the sum is 4032"), "{text}");
    assert_eq!(finished.status, Some(0), "{}", finished.stderr);
}

#[test]
fn it_stops_at_a_line_on_a_condition() {
    let condition = if is_on_host() { "if i == 37" } else { "if threadIdx.x == 5 && blockIdx.x == 1" };
    let at = format!("break kernel.cu:7 {condition}");
    let Some((finished, _folder)) = shown(&[], &[&at, "run", "print i", "kill"]) else { return };
    assert!(finished.stdout.contains("$1 = 37"), "{}", finished.stdout);
    // As if the cell had called `exit`.
    assert_eq!(finished.status, Some(0), "{}", finished.stderr);
}

#[test]
fn commands_come_from_a_file_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("commands");
    std::fs::write(&file, "break twice\nrun\nbacktrace 1\ndelete\ncontinue\n").unwrap();
    let Some((finished, _folder)) = shown(&["-x", file.to_str().unwrap()], &[]) else { return };
    assert!(
        finished.stdout.contains("#0") && finished.stdout.contains("the sum is 4032"),
        "{}",
        finished.stdout
    );
}

#[test]
fn a_debugger_that_is_not_there_is_named() {
    let finished = Finished::of(&mut gpurepl(&["debug", "--debugger", "/no/such/gdb", "-e", "1"]));
    assert_eq!(finished.status, Some(1));
    assert!(finished.stderr.contains("there is no program `/no/such/gdb`"), "{}", finished.stderr);
    let empty = tempfile::tempdir().unwrap();
    let mut command = gpurepl(&["debug", "--device", "host", "-e", "1"]);
    command.env("PATH", empty.path());
    let finished = Finished::of(&mut command);
    assert!(finished.stderr.contains("neither gdb nor lldb was found"), "{}", finished.stderr);
}

#[test]
fn a_session_shows_a_cell_to_a_debugger_and_stays_as_it_is() {
    let (true, Ok(_)) = (is_on_host(), std::env::var("GPUREPL_TEST_GDB")) else {
        return ignored::missing("a debugger", "GPUREPL_TEST_GDB");
    };
    let home = tempfile::tempdir().unwrap();
    let mut screen = Screen::start(home.path(), &[], &[]);
    screen.prompt(1);
    screen.types("let one = SourceModule::new(\"__global__ void one(int *a) { a[threadIdx.x] = 1; }\")?;\r");
    screen.prompt(2);
    screen.types("let mut a = zeros::<i32>(4);\r");
    screen.prompt(3);
    screen.types(":debug\r");
    screen.sees("needs a cell to run under the debugger");
    screen.types(":debug one.get_function(\"one\")?.launch(1, 4, &mut a)?\r");
    screen.sees("(gdb)");
    screen.types("set confirm off\rbreak one\rrun\r");
    screen.sees("hit Breakpoint 1");
    screen.types("print threadIdx.x\r");
    screen.sees("$1 = 0");
    screen.types("quit\r");
    screen.waits("the prompt", |text| text.trim_end().ends_with("In [3]:"));
    screen.types("a\r");
    screen.sees("array([0, 0, 0, 0], dtype=int32)");
    screen.leave();
}
