//! What a profiler hears by NVTX: a tool of the tests' own listens.

use std::path::{Path, PathBuf};
use std::process::Command;

use gpurepl_tests::{Finished, gpurepl};

/// A tool as small as one can be: it asks for the functions of NVTX's core as
/// NVIDIA's do, and writes what it hears to a file.
const TOOL: &str = r#"
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using Function = void (*)();
struct Callbacks { size_t size; int (*table)(int module, Function ***table, unsigned *size); };
struct Version { size_t size; uint32_t version, reserved; void (*set)(uint32_t); };

static FILE *heard;
static int depth;
static uint64_t last;

static void mark(const char *name) { fprintf(heard, "mark %s\n", name); fflush(heard); }
static int push(const char *name) { fprintf(heard, "push %s\n", name); fflush(heard); return depth++; }
static int pop() { fprintf(heard, "pop\n"); fflush(heard); return --depth; }
static uint64_t start(const char *name) {
    fprintf(heard, "start %llu %s\n", (unsigned long long)++last, name);
    fflush(heard);
    return last;
}
static void end(uint64_t id) { fprintf(heard, "end %llu\n", (unsigned long long)id); fflush(heard); }

extern "C" int InitializeInjectionNvtx2(const void *(*tables)(uint32_t)) {
    auto callbacks = static_cast<const Callbacks *>(tables(1));
    auto version = static_cast<const Version *>(tables(3));
    if (!callbacks || callbacks->size < sizeof(Callbacks) || !version || version->version != 3) return 0;
    version->set(3);
    Function **table;
    unsigned size;
    // The modules that a profiler fills in, each to its last slot.
    for (int module = 2; module <= 6; module++) {
        if (!callbacks->table(module, &table, &size)) return 0;
        for (unsigned k = 1; k < size; k++) *table[k] = reinterpret_cast<Function>(abort);
    }
    if (!callbacks->table(1, &table, &size) || size != 16) return 0;
    *table[2] = reinterpret_cast<Function>(mark);
    *table[5] = reinterpret_cast<Function>(start);
    *table[7] = reinterpret_cast<Function>(end);
    *table[9] = reinterpret_cast<Function>(push);
    *table[11] = reinterpret_cast<Function>(pop);
    heard = fopen(getenv("HEARD"), "w");
    return heard != nullptr;
}
"#;

fn build(folder: &Path, source: &str) -> PathBuf {
    let (text, library) = (folder.join("tool.cpp"), folder.join("libtool.so"));
    std::fs::write(&text, source).unwrap();
    let built =
        Command::new("g++").args(["-shared", "-fPIC", "-o"]).args([&library, &text]).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    library
}

#[test]
fn a_profiler_hears_of_cells_and_of_what_users_name() {
    let folder = tempfile::tempdir().unwrap();
    let library = build(folder.path(), TOOL);
    let heard = folder.path().join("heard");
    let cells = [
        "let a = arange(0..10);",
        "let kept = nvtx::range(\"kept\"); nvtx::range_push(\"outer\") + nvtx::range_push(\"inner\")",
        "nvtx::mark(\"a\\0b\"); nvtx::range_pop() * 10 + nvtx::range_pop()",
        "drop(kept); let _dropped = nvtx::range(\"at the end\"); panic!()",
    ];
    let arguments: Vec<&str> = cells.iter().flat_map(|cell| ["-e", *cell]).collect();
    let mut command = gpurepl(&arguments);
    command.env("NVTX_INJECTION64_PATH", library).env("HEARD", &heard);
    let finished = Finished::of(&mut command);
    assert_eq!((finished.stdout.as_str(), finished.status), ("1\n10\n", Some(1)), "{}", finished.stderr);
    assert_eq!(
        std::fs::read_to_string(heard).unwrap(),
        "start 1 cell 1 (-e:1): let a = arange(0..10);\n\
         end 1\n\
         start 2 cell 2 (-e:1): let kept = nvtx::range(\"kept\"); nvtx::range_push(\"outer\") + ...\n\
         start 3 kept\n\
         push outer\n\
         push inner\n\
         end 2\n\
         start 4 cell 3 (-e:1): nvtx::mark(\"a\\0b\"); nvtx::range_pop() * 10 + nvtx::range_pop...\n\
         mark a b\n\
         pop\n\
         pop\n\
         end 4\n\
         start 5 cell 4 (-e:1): drop(kept); let _dropped = nvtx::range(\"at the end\"); panic!...\n\
         end 3\n\
         start 6 at the end\n\
         end 6\n\
         end 5\n"
    );
}

#[test]
fn a_tool_that_is_none_is_said_once_and_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let library = build(folder.path(), "int nothing;");
    for (path, words) in [
        (library.as_path(), "it has no InitializeInjectionNvtx2"),
        (Path::new("/no/such.so"), "cannot be loaded"),
    ] {
        let mut command =
            gpurepl(&["-e", "nvtx::mark(\"x\"); nvtx::range_push(\"y\")", "-e", "nvtx::range_pop()"]);
        let finished = Finished::of(command.env("NVTX_INJECTION64_PATH", path));
        assert_eq!((finished.stdout.as_str(), finished.status), ("-2\n-2\n", Some(0)));
        assert_eq!(finished.stderr.matches(words).count(), 1, "{}", finished.stderr);
    }
}

#[test]
fn without_a_tool_ranges_are_nothing() {
    let mut command = gpurepl(&["-e", "let r = nvtx::range(\"x\"); nvtx::mark(\"y\"); nvtx::range_pop()"]);
    assert_eq!(Finished::of(command.env_remove("NVTX_INJECTION64_PATH")).expect_success(), "-2\n");
}
