//! Scripts under compute-sanitizer: a program of the tests' own stands for it,
//! runs the worker and leaves a report as NVIDIA's does.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use gpurepl_tests::{Finished, gpurepl};

/// Takes the options apart as compute-sanitizer does, and says which it got.
/// Its descriptors are closed, as a program may do that does not know them.
const SANITIZER: &str = r#"#!/bin/bash
folder=$(dirname "$0")
while [ "$1" != -- ]; do
    echo "$1 $2" >> "$folder/options"
    [ "$1" = --log-file ] && log=${2//%p/$$}
    shift 2
done
shift
for descriptor in /proc/self/fd/*; do
    number=${descriptor##*/}
    [ "$number" -gt 2 ] && [ "$number" -lt 200 ] && eval "exec $number>&-"
done
"$@"
status=$?
echo "ended $status" >> "$folder/options"
[ -e "$folder/report" ] && cat "$folder/report" > "$log"
exit $status
"#;

const SCRIPT: &str = r##"// %% a kernel, and a line that uses no device
let text = r#"
__global__ void scale(float *a, int n) {
  a[threadIdx.x] *= 2;
}"#;
// %%
println!("{} {}", std::env::var("GPUREPL_LINEINFO")? + &std::env::var("GPUREPL_MEMORY_POOL")?, text.lines().count());
"##;

const REPORT: &str = "\
========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at scale(float *, int)+0x90 in kernel.cu:3
=========     by thread (100,0,0) in block (0,0,0)
=========     Access at 0x7f4a8de00190 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f4a8de00000 of size 400 bytes
=========
========= ERROR SUMMARY: 1 error
";

/// A folder with a script and a program in the place of compute-sanitizer.
fn folder(report: Option<&str>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("compute-sanitizer");
    std::fs::write(&program, SANITIZER).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(folder.path().join("script.rs"), SCRIPT).unwrap();
    if let Some(report) = report {
        std::fs::write(folder.path().join("report"), report).unwrap();
    }
    folder
}

/// `gpurepl sanitize`, which finds the folder's program first on its path.
fn sanitize(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = gpurepl(&["sanitize"]);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = vec![folder.to_owned()];
    folders.extend(std::env::split_paths(&path));
    command.args(arguments).current_dir(folder).env("PATH", std::env::join_paths(folders).unwrap());
    command
}

#[test]
fn what_the_tool_finds_is_shown_on_lines_of_the_script() {
    let folder = folder(Some(REPORT));
    let arguments = ["--device", "cuda", "--tool", "memcheck", "script.rs"];
    let finished = Finished::of(&mut sanitize(folder.path(), &arguments));
    assert_eq!((finished.stdout.as_str(), finished.status), ("10 4\n", Some(1)), "{}", finished.stderr);
    assert_eq!(
        finished.stderr,
        "error: Invalid __global__ write of size 4 bytes: out of bounds, 1 byte after the nearest allocation of size 400 bytes\n \
         --> script.rs:4:3\n  |\n4 |   a[threadIdx.x] *= 2;\n  |   ^^^^^^^^^^^^^^^^^^^^ thread (100,0,0) of block (0,0,0)\n  |\n  \
         = help: compare indices with the array's length before they are used: `if (i < n)`\n\
         note: memcheck: 1 error\n"
    );
    let options = std::fs::read_to_string(folder.path().join("options")).unwrap();
    assert!(options.contains("--tool memcheck\n") && options.ends_with("\nended 0\n"), "{options}");
}

#[test]
fn a_script_without_errors_has_its_own_status() {
    let folder = folder(Some("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"));
    for (code, status) in [("print!(\"end\")", 0), ("panic!()", 1), ("std::process::exit(7)", 7), ("oops", 1)]
    {
        let arguments = ["--device", "cuda", "--tool", "initcheck", "-e", "1", "-e", code];
        let finished = Finished::of(&mut sanitize(folder.path(), &arguments));
        assert_eq!(finished.status, Some(status), "{code}: {}", finished.stderr);
        assert!(finished.stderr.ends_with("note: initcheck: no errors\n"), "{code}: {}", finished.stderr);
        assert!(finished.stdout.starts_with("1\n"), "{code}: {}", finished.stdout);
    }
}

#[test]
fn every_worker_has_a_report() {
    let folder = folder(Some(REPORT));
    let arguments = ["--device", "cuda", "-e", "1", "-e", ":reset", "-e", "2"];
    let finished = Finished::of(&mut sanitize(folder.path(), &arguments));
    assert_eq!((finished.stdout.as_str(), finished.status), ("1\n2\n", Some(1)), "{}", finished.stderr);
    assert!(finished.stderr.contains("and 1 more like it"), "{}", finished.stderr);
    assert!(finished.stderr.ends_with("note: memcheck: 2 errors\n"), "{}", finished.stderr);
}

#[test]
fn a_report_that_is_missing_or_cut_is_no_success() {
    let none = folder(None);
    let arguments = ["--device", "cuda", "-e", "1"];
    let finished = Finished::of(&mut sanitize(none.path(), &arguments));
    assert_eq!((finished.stdout.as_str(), finished.status), ("1\n", Some(1)));
    assert!(finished.stderr.contains("left no report"), "{}", finished.stderr);
    let cut = folder(Some("========= COMPUTE-SANITIZER\n========= Error: the connection was lost\n"));
    let finished = Finished::of(&mut sanitize(cut.path(), &arguments));
    assert_eq!(finished.status, Some(1));
    for words in ["Error: the connection was lost", "ends without a count"] {
        assert!(finished.stderr.contains(words), "{words}: {}", finished.stderr);
    }
}

#[test]
fn a_tool_that_does_not_start_the_worker_is_said() {
    let folder = folder(None);
    let program = folder.path().join("compute-sanitizer");
    std::fs::write(&program, "#!/bin/sh\necho unrecognised option >&2\nexit 1\n").unwrap();
    let finished = Finished::of(&mut sanitize(folder.path(), &["--device", "cuda", "-e", "1"]));
    assert_eq!((finished.stdout.as_str(), finished.status), ("", Some(1)));
    for words in ["without starting the worker", "unrecognised option", "exit status 1"] {
        assert!(finished.stderr.contains(words), "{words}: {}", finished.stderr);
    }
}

#[test]
fn without_the_tool_there_is_a_next_step() {
    let folder = tempfile::tempdir().unwrap();
    // Of the toolchain and the linker only what is needed to come as far.
    let mut command = gpurepl(&["sanitize", "--device", "cuda", "-e", "1"]);
    for name in ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"] {
        command.env(name, folder.path());
    }
    if ["/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer"]
        .iter()
        .any(|path| Path::new(path).exists())
    {
        return crate::ignored::ignored("needs a machine without CUDA's toolkit");
    }
    let finished = Finished::of(command.env("PATH", folder.path()));
    assert_eq!(finished.status, Some(1));
    for words in ["compute-sanitizer was not found", "cuda-sanitizer-", "--device host"] {
        assert!(finished.stderr.contains(words), "{words}: {}", finished.stderr);
    }
    // Found in a toolkit that is named.
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::copy(self::folder(None).path().join("compute-sanitizer"), bin.join("compute-sanitizer"))
        .unwrap();
    std::fs::write(bin.join("report"), REPORT).unwrap();
    let mut command = gpurepl(&["sanitize", "--device", "cuda", "-e", "1"]);
    let finished = Finished::of(command.env("CUDA_HOME", folder.path()));
    assert!(finished.stderr.ends_with("note: memcheck: 1 error\n"), "{}", finished.stderr);
}

#[test]
fn the_host_device_checks_its_kernels_itself() {
    let module = "SourceModule::new(\"__global__ void k(int *a) { a[threadIdx.x] = 1; }\")?";
    let code = |threads: u32| {
        format!(
            "let m = {module}; let mut a = zeros::<i32>(4); \
             m.get_function(\"k\")?.launch(1, {threads}, (&mut a,))?; a.sum().item()"
        )
    };
    let sanitize = |words: &[&str]| {
        let mut command = gpurepl(&["sanitize", "--device", "host"]);
        Finished::of(command.args(words))
    };
    let finished = sanitize(&["-e", &code(4)]);
    assert_eq!((finished.stdout.as_str(), finished.status), ("4\n", Some(0)), "{}", finished.stderr);
    assert!(finished.stderr.contains("GPUREPL_CHECK=1"), "{}", finished.stderr);
    assert!(finished.stderr.ends_with("note: memcheck: no errors\n"), "{}", finished.stderr);
    let finished = sanitize(&["-e", &code(5)]);
    assert_eq!((finished.stdout.as_str(), finished.status), ("", Some(1)));
    for words in ["write of 4 bytes out of bounds", "thread [4, 0, 0]"] {
        assert!(finished.stderr.contains(words), "{words}: {}", finished.stderr);
    }
    assert!(!finished.stderr.contains("kernel.cu"), "{}", finished.stderr);
    // The kernel's line is the script's, and the launch is shown beside it.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.rs");
    let script = "// %% a kernel\nlet m = SourceModule::new(r#\"\n__global__ void k(int *a) {\n  a[threadIdx.x] = 1;\n}\"#)?;\n\
                  // %%\nlet mut a = zeros::<i32>(4);\nm.get_function(\"k\")?.launch(1, 5, &mut a)?;\n";
    std::fs::write(&path, script).unwrap();
    let finished = sanitize(&[path.to_str().unwrap()]);
    assert_eq!((finished.stdout.as_str(), finished.status), ("", Some(1)));
    for words in ["script.rs:4:3\n", "script.rs:8:1\n", "thread [4, 0, 0] of block [0, 0, 0]"] {
        assert!(finished.stderr.contains(words), "{words}: {}", finished.stderr);
    }
    let finished = sanitize(&["--tool", "synccheck", "-e", &code(4)]);
    assert!(finished.stderr.contains("threads miss because they have exited"), "{}", finished.stderr);
    let finished = sanitize(&["--tool", "racecheck", "-e", "1"]);
    assert_eq!((finished.stdout.as_str(), finished.status), ("", Some(1)));
    assert!(finished.stderr.contains("run racecheck on a GPU"), "{}", finished.stderr);
    assert_eq!(sanitize(&["no-such-file.rs"]).status, Some(1));
    assert_eq!(sanitize(&[]).status, Some(2));
}
