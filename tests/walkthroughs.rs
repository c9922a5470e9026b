//! The scripts of `notebooks/`: their checks are assertions of their own,
//! which fail them.

use std::path::{Path, PathBuf};

use gpurepl_tests::{Finished, checkout, gpurepl};

fn notebook(name: &str) -> PathBuf {
    checkout().join("notebooks").join(name)
}

fn run(path: &Path) -> Finished {
    Finished::of(&mut gpurepl(&[path.to_str().unwrap()]))
}

/// Runs a copy of a notebook in which the kernel computes something else.
#[track_caller]
fn fails_when_wrong(name: &str, right: &str, wrong: &str) {
    let text = std::fs::read_to_string(notebook(name)).unwrap();
    assert!(text.contains(right), "{name} has no `{right}`");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text.replace(right, wrong)).unwrap();
    let finished = run(&path);
    assert_eq!(finished.status, Some(1), "{name} with `{wrong}`: {}", finished.stdout);
    assert!(finished.stderr.contains("assert"), "{}", finished.stderr);
}

#[test]
fn the_demo() {
    let shown = run(&notebook("demo.rs")).expect_success();
    assert!(shown.contains("array([["), "{shown}");
    fails_when_wrong("demo.rs", "a[idx] *= 2;", "a[idx] *= 3;");
    fails_when_wrong("demo.rs", "a*x[i] + b*y[i]", "a*x[i] - b*y[i]");
    fails_when_wrong("demo.rs", "x[i]*y[i]", "x[i]");
}

#[test]
fn first_steps() {
    let shown = run(&notebook("first_steps.rs")).expect_success();
    assert!(shown.contains("242. 244. 246. 248. 250.\n 252. 254.]"), "{shown}");
    // The seed gives the same numbers on every device.
    assert!(
        shown.contains("array([-0.16504693,  2.6764474 , -1.5598533 ,  0.75489575,  1.5844939 ],\n"),
        "{shown}"
    );
    assert!(shown.contains("\n5\n"), "{shown}");
    assert!(shown.contains("DeviceAllocation(0x"), "{shown}");
    fails_when_wrong("first_steps.rs", "b[i] = 2 * a[i]", "b[i] = a[i]");
}

#[test]
fn four_ways() {
    let shown = run(&notebook("four_ways.rs")).expect_success();
    assert_eq!(shown.matches("Success").count(), 5, "{shown}");
    fails_when_wrong("four_ways.rs", "array[i] *= factor;", "array[i] *= factor + 1;");
    fails_when_wrong("four_ways.rs", "array[i] * factor;", "array[i] / factor;");
}

#[test]
fn the_readme() {
    let text = std::fs::read_to_string(checkout().join("README.md")).unwrap();
    let code = text.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("readme.rs");
    std::fs::write(&path, code).unwrap();
    let shown = run(&path).expect_success();
    assert!(shown.contains("array([["), "{shown}");
    let error: f64 = shown.lines().last().unwrap().parse().unwrap();
    assert!(error < 1e-5, "{shown}");
}
