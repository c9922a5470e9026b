//! Sessions that are saved as cargo projects, which are built away from this
//! checkout and run.

use std::process::{Command, Stdio};

use gpurepl_tests::Conversation;

/// What a project of this name prints that was saved from these cells, which
/// succeed. The crates below it are built once for all; cargo sees to that. A
/// name is one test's alone, or tests would run each other's programs.
fn printed(name: &str, session: Conversation, cells: &[&str]) -> String {
    let mut session = session;
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join(name);
    for cell in cells {
        session.ok(cell);
    }
    session.fails("panic!(\"left out\")");
    session.ok(&format!(":save {}/", project.display()));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let run = Command::new(cargo)
        .args(["run", "--quiet"])
        .current_dir(&project)
        .env("CARGO_TARGET_DIR", gpurepl_tests::target().join("saved-projects"))
        .env("GPUREPL_DEVICE", gpurepl_tests::device())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{stdout}\n{stderr}");
    stdout.into_owned()
}

#[test]
fn a_saved_project_has_the_crates_that_its_cells_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("my-shapes");
    std::fs::create_dir_all(own.join("src")).unwrap();
    let manifest = "[package]\nname = \"my-shapes\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[features]\nextra = []\n";
    std::fs::write(own.join("Cargo.toml"), manifest).unwrap();
    let library = "#[cfg(feature = \"extra\")]\npub fn sides() -> i32 { 5 }\n";
    std::fs::write(own.join("src/lib.rs"), library).unwrap();
    let path = own.display().to_string();
    let text = printed(
        "saved-crates",
        Conversation::start(),
        &[
            &format!(
                ":dep ndarray\n:dep shapes = {{ package = \"my-shapes\", path = {path:?}, features = [\"extra\"] }}\n\
             let n = shapes::sides();"
            ),
            "to_gpu(&ndarray::arr1(&[n, 1])).sum().item()",
        ],
    );
    assert_eq!(text, "6\n");
}

#[test]
fn a_saved_project_does_what_the_cells_did() {
    let text = printed(
        "saved-cells",
        Conversation::start(),
        &[
            "fn scale() -> f32 { 2.0 }\nlet a = to_gpu(&[0.0f32, 1.0, 2.0]);",
            "// a comment\nlet b = &a * scale();\nb",
            "let text = String::from(\"moved\"); let a = a.sum().item(); a",
            "let taken = text; taken",
            // The function is another one from here on.
            "fn scale() -> f32 { 3.0 }",
            "fn twice() -> f32 { 2.0 * scale() }\ntwice()",
            "\"5\".parse::<i32>()? + 1",
            "%timeit -n 1 -r 1 scale()",
            "%time println!(\"printed\")",
            "std::future::ready(7).await",
        ],
    );
    assert_eq!(text, "array([0., 2., 4.], dtype=float32)\n3.0\n\"moved\"\n6.0\n6\nprinted\n7\n");
}

#[test]
fn a_saved_project_has_the_values_that_cells_asked_for_by_number() {
    let text = printed(
        "saved-numbers",
        Conversation::keeping_results(),
        &[
            "10",
            "let v = vec![1.5, 2.5]; v",
            "Out[1].pow(2) + 1",
            "(_ + 1, Out[2].len(), v.len())",
            "&_1 - _3",
        ],
    );
    assert_eq!(text, "10\n[1.5, 2.5]\n101\n(102, 2, 2)\n-91\n");
}
