//! Kernels in Rust of every kind, in cells that check what they compute: `rust_corpus/`. Most are those of the corpus of
//! CUDA C (`prelude/tests/main/corpus/`), written again.

use gpurepl_tests::Conversation;

/// Evaluates a file's cells, each of which asserts what it expects.
fn run(text: &str) {
    let mut cells = Conversation::start();
    for cell in text.split("// %%\n") {
        cells.ok(cell);
    }
}

#[test]
fn reductions() {
    run(include_str!("rust_corpus/reductions.rs"));
}

#[test]
fn scans() {
    run(include_str!("rust_corpus/scans.rs"));
}

#[test]
fn sorting() {
    run(include_str!("rust_corpus/sorting.rs"));
}

#[test]
fn matrices() {
    run(include_str!("rust_corpus/matrices.rs"));
}

#[test]
fn stencils() {
    run(include_str!("rust_corpus/stencils.rs"));
}

#[test]
fn simulation() {
    run(include_str!("rust_corpus/simulation.rs"));
}

#[test]
fn numbers() {
    run(include_str!("rust_corpus/numbers.rs"));
}

#[test]
fn language() {
    run(include_str!("rust_corpus/language.rs"));
}

/// None of them has a race, and what is meant to wrap around says so.
#[test]
fn a_checked_build_finds_nothing_wrong_with_them() {
    let all = [
        include_str!("rust_corpus/reductions.rs"),
        include_str!("rust_corpus/scans.rs"),
        include_str!("rust_corpus/sorting.rs"),
        include_str!("rust_corpus/matrices.rs"),
        include_str!("rust_corpus/stencils.rs"),
        include_str!("rust_corpus/simulation.rs"),
        include_str!("rust_corpus/language.rs"),
    ];
    for text in all {
        let mut cells = Conversation::with_environment(&[("GPUREPL_CHECK", "1")]);
        for cell in text.split("// %%\n") {
            cells.ok(cell);
        }
    }
}
