//! Reports of every tool, as the tools write them.

use expect_test::{Expect, expect};

use super::*;

/// A script whose kernels the reports are about.
const SCRIPT: &str = r##"// %% kernels
let scaling = SourceModule::new(r#"
__global__ void scale(float *a, int n) {
  int i = threadIdx.x + blockDim.x*blockIdx.x;
  a[i] *= 2;
}"#)?;
// %%
let odd = SourceModule::new(
    "__device__ double at_odds(const double *a) {\n  return *a;\n}\n\n__global__ void odd(const double *a) {}",
)?;
:vars
// %%
let racing = SourceModule::new(r#"__global__ void turn(int *a) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = a[t];
  a[t] = s[127 - t];
}"#)?;
// %%
let template = "
template<int N> __global__ void halves(int *a) {
  a[threadIdx.x] /= 2;
}";
"##;

fn report(text: &str) -> Report {
    let mut report = Report::default();
    report.read(text);
    report
}

fn check(text: &str, expected: Expect) {
    let texts = [Source { cell: 1, name: "script.rs".to_owned(), text: SCRIPT.to_owned(), first_line: 1 }];
    let report = report(text);
    let shown: Vec<String> =
        report.diagnostics(&texts).iter().map(|diagnostic| diagnostic.render(false)).collect();
    let counts = format!(
        "{} errors, {} warnings{}{}",
        report.errors,
        report.warnings,
        if report.is_complete { "" } else { ", not complete" },
        if report.has_used_cuda { "" } else { ", no CUDA" },
    );
    let remarks = report.remarks.iter().map(|remark| format!("remark: {remark}"));
    expected.assert_eq(&shown.into_iter().chain(remarks).chain([counts]).collect::<Vec<_>>().join("\n"));
}

#[test]
fn memcheck_is_told_on_lines_of_the_script() {
    check(
        include_str!("reports/memcheck.txt"),
        expect![[r#"
        error: Invalid __global__ write of size 4 bytes: out of bounds, 1 byte after the nearest allocation of size 400 bytes
         --> script.rs:5:3
          |
        5 |   a[i] *= 2;
          |   ^^^^^^^^^^ thread (100,0,0) of block (0,0,0), and 1 more like it
          |
          = help: compare indices with the array's length before they are used: `if (i < n)`
        error: Invalid __global__ read of size 8 bytes: misaligned, inside the nearest allocation of size 1,024 bytes
         --> script.rs:9:54
          |
        9 |     "__device__ double at_odds(const double *a) {\n  return *a;\n}\n\n__global__ void odd(const double *a) {}",
          |                                                      ^^^^^^^^^^       --------------------------------------- called from here
          |                                                      |
          |                                                      thread (0,0,0) of block (3,0,0)
          |
          = help: an address is a multiple of the size of what is read or written there
        error: Leaked 1,024 bytes at 0x7f4a8e000000
        1204 errors, 0 warnings"#]],
    );
}

#[test]
fn racecheck_shows_both_sides_of_a_race() {
    check(
        include_str!("reports/racecheck.txt"),
        expect![[r#"
        error: Race reported
          --> script.rs:16:3
           |
        16 |   s[t] = a[t];
           |   ^^^^^^^^^^^^
           |   |
           |   write access
           |   write access, 4 hazards
        17 |   a[t] = s[127 - t];
           |   ------------------ read access, 508 hazards
           |
           = help: put a barrier between these accesses: `__syncthreads()`, or make them atomic
        warning: Race reported
          --> script.rs:22:3
           |
        22 |   a[threadIdx.x] /= 2;
           |   ^^^^^^^^^^^^^^^^^^^^
           |   |
           |   read access
           |   write access, 4 hazards
           |
           = help: put a barrier between these accesses: `__syncthreads()`, or make them atomic
        warning: (Warp Level Programming) Potential RAW hazard detected at __shared__ 0x8c in block (0,0,0)
          --> script.rs:16:3
           |
        16 |   s[t] = a[t];
           |   ^^^^^^^^^^^^ write thread (35,0,0)
        17 |   a[t] = s[127 - t];
           |   ------------------ read thread (32,0,0)
           |
           = help: put a barrier between these accesses: `__syncthreads()`, or make them atomic
        1 errors, 2 warnings"#]],
    );
}

#[test]
fn initcheck_counts_threads() {
    check(
        include_str!("reports/initcheck.txt"),
        expect![[r#"
        error: Uninitialized __global__ memory read of size 4 bytes
         |
         = note: kernel.cu line 2, in add(int *): thread (31,0,0) of block (1,0,0), and 1 more like it
         = help: write the memory before it is read: `zeros` does, `empty` and `mem_alloc` do not
        2 errors, 0 warnings"#]],
    );
}

#[test]
fn synccheck_of_a_kernel_that_is_not_in_the_script_names_its_lines() {
    check(
        include_str!("reports/synccheck.txt"),
        expect![[r#"
        error: Barrier error detected. Divergent thread(s) in block
         |
         = note: kernel.cu line 4, in outline(): thread (32,0,0) of block (0,0,0)
         = note: kernel.cu line 9, in meet(int *, int *): called from here
         = help: every thread of a block must reach the same barrier: no `__syncthreads()` in an `if`
        error: Barrier error detected. Invalid arguments
         |
         = note: in __cuda_sm70_warpsync, of which no lines are known: thread (0,0,0) of block (0,0,0)
         = note: /usr/local/cuda/include/sm_30_intrinsics.hpp line 110, in __syncwarp(unsigned int): called from here
         = note: kernel.cu line 11, in meet(int *, int *): called from here
         = help: every thread of a block must reach the same barrier: no `__syncthreads()` in an `if`
        error: Barrier called by threads starting at (32,0,0) in block (1,0,0), (active mask: 0xffffffff)
         |
         = note: kernel.cu line 9, in meet(int *, int *)
        3 errors, 0 warnings"#]],
    );
}

#[test]
fn reports_of_older_tools_are_read_as_well() {
    check(
        include_str!("reports/older.txt"),
        expect![[r#"
        error: Invalid __shared__ read of size 4 bytes: out of bounds
         |
         = note: kernel.cu line 3, in tile(float*): thread (64,0,0) of block (2,0,0)
         = help: compare indices with the size of the `__shared__` array
        error: Invalid __global__ write of size 4 bytes: out of bounds
         |
         = note: in tile(float*), of which no lines are known: thread (1,0,0) of block (0,0,0)
         = help: compare indices with the array's length before they are used: `if (i < n)`
        2 errors, 0 warnings"#]],
    );
}

#[test]
fn what_is_no_finding_is_none() {
    check(include_str!("reports/clean.txt"), expect!["0 errors, 0 warnings"]);
    check(include_str!("reports/unused.txt"), expect!["0 errors, 0 warnings, no CUDA"]);
    check(
        "========= COMPUTE-SANITIZER\n========= Error: No attachable process found. compute-sanitizer timed-out.\n",
        expect![[r#"
            remark: Error: No attachable process found. compute-sanitizer timed-out.
            0 errors, 0 warnings, not complete"#]],
    );
    check("", expect!["0 errors, 0 warnings, not complete"]);
    check(
        "no report at all\n=========\n=========    \n========= at\n",
        expect![[r#"
        remark: at
        0 errors, 0 warnings, not complete"#]],
    );
}

#[test]
fn several_processes_are_one_report() {
    let mut both = Report::default();
    both.read(include_str!("reports/unused.txt"));
    both.read(include_str!("reports/initcheck.txt"));
    both.read(include_str!("reports/initcheck.txt"));
    assert!(both.is_complete && both.has_used_cuda);
    assert_eq!((both.errors, both.findings.len(), both.findings[0].count), (4, 1, 4));
    both.read("========= COMPUTE-SANITIZER\n");
    assert!(!both.is_complete);
}

#[test]
fn the_command_line_says_what_to_look_for() {
    let folder = SessionFolder::named(&std::env::temp_dir(), "sanitizer-").unwrap();
    let sanitizer =
        Sanitizer { program: PathBuf::from("/x/compute-sanitizer"), tool: Tool::Racecheck, folder };
    let wrapper: Vec<String> =
        sanitizer.wrapper().command.into_iter().map(|word| word.into_string().unwrap()).collect();
    assert_eq!(wrapper[..3], ["/x/compute-sanitizer", "--tool", "racecheck"]);
    assert!(wrapper[wrapper.len() - 2].ends_with("/%p.log") && wrapper[wrapper.len() - 1] == "--");
    assert!(!wrapper.contains(&"--report-api-errors".to_owned()));
    assert!(matches!(sanitizer.report(), Err(SanitizerError::NoReport(_))));
    for tool in Tool::ALL {
        assert_eq!(tool.name().parse(), Ok(tool));
    }
    assert!("valgrind".parse::<Tool>().is_err());
}
