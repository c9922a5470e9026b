//! Sessions that are saved as cargo projects, which are built away from this
//! checkout and run.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

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
    success(&cargo(&["run", "--quiet"], &project))
}

fn cargo(arguments: &[&str], project: &Path) -> Output {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    Command::new(cargo)
        .args(arguments)
        .current_dir(project)
        .env("CARGO_TARGET_DIR", target())
        .env("GPUREPL_DEVICE", gpurepl_tests::device())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn target() -> PathBuf {
    gpurepl_tests::target().join("saved-projects")
}

/// What a program printed that succeeded.
fn success(output: &Output) -> String {
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}\n{stderr}");
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

/// The cells call two plugins, so the program has two tables of functions. It runs where there is nothing else:
/// neither its project, nor the prelude's workspace, nor a store that something could come from.
#[test]
fn a_saved_project_links_the_plugins_that_its_cells_call() {
    let mut session = Conversation::start();
    for cell in [
        "let n = Template::new(\"{{ n + 1 }}\").render(context! { n => 3 })?.parse::<i64>()?;",
        "fft::fft(&arange(0..n))?.real().rint().to_vec()",
    ] {
        session.ok(cell);
    }
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("saved-plugins");
    session.ok(&format!(":save {}/", project.display()));
    let said = session.displays()[0].get("text/plain").unwrap_or_default().to_owned();
    assert!(
        said.contains("it links the plugins fft, templates: about 50 s more for the first build"),
        "{said}"
    );
    let store = folder.path().join("store");
    std::fs::create_dir(&store).unwrap();
    let (built, moved) = (target().join("debug/saved-plugins"), folder.path().join("moved"));
    let run = |program: &Path| {
        let mut program = Command::new(program);
        program.env("GPUREPL_DEVICE", gpurepl_tests::device()).env("GPUREPL_STORE", &store);
        program.stdin(Stdio::null()).output().unwrap()
    };
    success(&cargo(&["build", "--quiet"], &project));
    std::fs::copy(&built, &moved).unwrap();

    // A plugin that is not handed over: its advice is the line that is missing.
    let main = project.join("src/main.rs");
    let line = "extend::provide(\"templates\", gpurepl_templates_host::gpurepl_plugin)?";
    let text = std::fs::read_to_string(&main).unwrap();
    let rest: Vec<&str> = text.lines().filter(|other| !other.contains(line)).collect();
    assert_eq!(rest.len() + 1, text.lines().count(), "{text}");
    std::fs::write(&main, rest.join("\n")).unwrap();
    success(&cargo(&["build", "--quiet"], &project));
    let output = run(&built);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let words =
        "the plugin `templates` cannot be loaded: no gpurepl session runs this code, and it is not linked";
    for words in [words, "name `gpurepl-templates-host` in `Cargo.toml`", line] {
        assert!(said.contains(words), "{words}: {said}");
    }

    std::fs::remove_dir_all(&project).unwrap();
    for _ in 0..2 {
        assert_eq!(success(&run(&moved)), "[6.0, -2.0, -2.0, -2.0]\n");
    }
    assert_eq!(std::fs::read_dir(&store).unwrap().count(), 0, "nothing is built at run time");
}
