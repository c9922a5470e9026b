//! `:dep`: crates of the user's own in cells; and the store by hand.
//!
//! Sets are kept in the usual store, so only the first run builds them. Tests
//! of the store itself work on a copy.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use gpurepl_session::Outcome;
use gpurepl_tests::{Conversation, Finished, gpurepl};

/// A crate of the user's own in a folder.
fn write_crate(folder: &Path, name: &str, source: &str) {
    std::fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = format!("[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    std::fs::write(folder.join("src/lib.rs"), source).unwrap();
}

#[test]
fn crates_of_the_registry_work_in_cells() {
    let mut cells = Conversation::start();
    cells.ok(
        ":dep regex-lite\n:dep serde = { version = \"1\", features = [\"derive\"] }\n:dep serde_json = \"1\"",
    );
    cells.ok("let r = regex_lite::Regex::new(\"a+\").unwrap();");
    // Types of theirs are those of variables, whether a cell names the crate or not.
    cells.shows("r.find(\"caaat\").map(|found| found.range())", "Some(1..4)");
    cells.ok("#[derive(serde::Serialize, serde::Deserialize, Debug)] struct P { a: i32 }");
    cells.ok("let text = serde_json::to_string(&P { a: 1 })?; let p: P = serde_json::from_str(&text)?;");
    cells.shows("p", "P { a: 1 }");
    cells.shows("text", "\"{\\\"a\\\":1}\"");
    cells.shows("mod m { use regex_lite::Regex; pub fn f() -> Regex { Regex::new(\"x\").unwrap() } }\nm::f().as_str().len()", "1");
    cells.ok("use regex_lite::Regex;");
    cells.shows("1 + 1", "2");
    cells.shows("Regex::new(\"b\").unwrap().is_match(\"abc\")", "true");

    // Another set on top: what was made with the first one stays.
    cells.ok(":dep itoa");
    cells.shows("itoa::Buffer::new().format(r.as_str().len()).to_owned()", "\"2\"");
    let of = |cells: &mut Conversation, name: &str| {
        let variables = cells.session().variables();
        variables.into_iter().find(|variable| variable.name == name).map(|variable| variable.type_name)
    };
    assert_eq!(of(&mut cells, "r").as_deref(), Some("regex_lite::Regex"));
    cells.ok("let value = serde_json::json!({ \"r\": r.as_str() });");
    cells.shows("value[\"r\"].as_str()", "Some(\"a+\")");

    cells.ok(":dep");
    let list = cells.displays()[0].get("text/plain").unwrap_or_default().to_owned();
    for words in ["regex_lite", "serde_json", ":dep itoa", "derive"] {
        assert!(list.contains(words), "{list}");
    }
    // A process that starts later has them too.
    assert!(matches!(cells.run("std::process::exit(1);"), Outcome::Lost(_)));
    cells.shows("Regex::new(\"b\").unwrap().is_match(\"abc\")", "true");
    cells.ok(":reset");
    cells.shows("regex_lite::Regex::new(\"b\").unwrap().is_match(\"abc\")", "true");
}

#[test]
fn the_preludes_own_crates_are_there_at_once() {
    let mut cells = Conversation::start();
    cells.ok(":dep ndarray\n:dep num-complex = \"0.4\"\nlet a = ndarray::arr1(&[1.0_f32, 2.0]);");
    assert!(cells.noted().contains("the prelude's own"), "{}", cells.noted());
    cells.shows("to_gpu(&a).sum().item() as i32 + a.len() as i32", "5");
    cells.shows("num_complex::Complex::new(3.0_f32, 4.0).norm()", "5.0");
    let error = ":dep ndarray = { version = \"0.17\", features = [\"serde\"] }";
    cells.fails_with(error, "`ndarray/serde` would need another prelude");
    cells.shows("a.len()", "2");
}

#[test]
fn what_cannot_be_had_changes_nothing() {
    let mut cells = Conversation::start();
    cells.ok("let a = 1; mod fastrand { pub struct X; }");
    for (source, words) in [
        (":dep a b", "not a valid crate name"),
        (":dep x = { verison = \"1\" }", "did you mean `version`?"),
        (":dep mine = { path = \"/no/such/folder\" }", "there is no folder"),
        (":dep fastrand", "a cell has defined `fastrand`"),
        (":dep regexxx-lite = \"1\"", "there is no crate `regexxx-lite`"),
        (":dep itoa = \"99\"", "no version of `itoa` fits"),
    ] {
        cells.fails_with(source, words);
    }
    cells.fails_with("regex_lite::Regex::new(\"a\")", ":dep regex_lite");
    cells.ok(":dep");
    assert_eq!(
        cells.displays()[0].get("text/plain"),
        Some("there are no dependencies; `:dep NAME` adds one")
    );
    cells.shows("a", "1");
}

/// The first of two values that are not the same shows that a changed crate
/// is another one; the variable of the former keeps its type.
#[test]
fn a_crate_of_the_users_own_is_built_again_when_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("my-shapes");
    write_crate(&own, "my-shapes", "#[derive(Debug)] pub struct S(pub i32);\npub fn f() -> S { S(1) }\n");
    let mut cells = Conversation::start();
    let request = format!(":dep my-shapes = {{ path = {:?} }}", own.display().to_string());
    cells.ok(&format!("{request}\nlet old = my_shapes::f();"));
    cells.shows("old", "S(1)");
    write_crate(
        &own,
        "my-shapes",
        "#[derive(Debug)] pub struct S(pub f64, pub u8);\npub fn f() -> S { S(2.5, 0) }\n",
    );
    cells.ok(&request);
    assert!(cells.noted().contains("another crate than before"), "{}", cells.noted());
    cells.shows("my_shapes::f()", "S(2.5, 0)");
    cells.shows("old", "S(1)");
    cells.ok("let new = my_shapes::f();");
    cells.shows("(new.1, old.0)", "(0, 1)");
    write_crate(&own, "my-shapes", "pub fn f() -> i32 { \"text\" }\n");
    let error = cells.fails_with(&request, "`my-shapes` does not compile");
    assert!(error.message.contains("mismatched types"), "{}", error.message);
    cells.shows("new.1", "0");
}

#[test]
fn an_interrupt_stops_a_build_and_keeps_the_variables() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("slow");
    write_crate(&own, "slow", "");
    // A build script that takes as long as it is let.
    std::fs::write(
        own.join("build.rs"),
        "fn main() { std::thread::sleep(std::time::Duration::from_secs(3600)); }",
    )
    .unwrap();
    let mut cells = Conversation::start();
    cells.ok("let a = 5;");
    let interrupter = cells.interrupter();
    let presser = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(3));
        interrupter.interrupt();
    });
    let start = Instant::now();
    let outcome = cells.run(&format!(":dep slow = {{ path = {:?} }}", own.display().to_string()));
    assert_eq!(outcome, Outcome::Interrupted, "{}", cells.rendered());
    assert!(start.elapsed() < Duration::from_secs(1800));
    presser.join().unwrap();
    cells.shows("a", "5");
    cells.ok(":dep");
    assert!(cells.displays()[0].get("text/plain").unwrap_or_default().contains("no dependencies"));
}

#[test]
fn cells_await_in_one_runtime() {
    let mut cells = Conversation::start();
    cells.fails_with("tokio::spawn(async {});", ":dep tokio");
    cells.ok(":dep tokio = { version = \"1\", features = [\"rt\", \"time\", \"sync\", \"macros\"] }");
    cells.ok(
        "let h = tokio::spawn(async { tokio::time::sleep(std::time::Duration::from_millis(20)).await; 41 });\n\
         let (tx, mut rx) = tokio::sync::mpsc::channel::<i32>(4);",
    );
    cells.shows("h.await? + 1", "42");
    cells.ok("tokio::spawn(async move { tx.send(7).await.unwrap(); });");
    cells.shows("rx.recv().await", "Some(7)");
    let source = "println!(\"started\"); tokio::time::sleep(std::time::Duration::from_secs(3600)).await;";
    assert_eq!(cells.interrupted(source, &[Duration::from_millis(300)]).0, Outcome::Interrupted);
    cells.shows("rx.try_recv().is_err()", "true");
}

fn copy(from: &Path, to: &Path, is_wanted: &dyn Fn(&Path) -> bool) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten().filter(|entry| is_wanted(&entry.path())) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target, is_wanted);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The program on a store of its own.
fn with_store(store: &Path, arguments: &[&str]) -> Command {
    let mut command = gpurepl(arguments);
    command.env("GPUREPL_STORE", store);
    command
}

/// One that has no network, no crates and nothing of cargo's.
fn alone(command: &mut Command, folder: &Path) -> Finished {
    let home = folder.join("nothing here");
    Finished::of(command.env("CARGO_HOME", home).env("CARGO_NET_OFFLINE", "true").env("GPUREPL_VENDOR", ""))
}

#[test]
fn a_store_is_exported_and_imported_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    // The usual one, without what others have added to it.
    let usual = gpurepl_session::store::root().unwrap();
    gpurepl_tests::program();
    copy(&usual, &store, &|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with("build-") && name != "dependencies"
    });
    let own = folder.path().join("my-own");
    write_crate(&own, "my-own", "pub fn f() -> i32 { 3 }\n");
    let script = folder.path().join("script.rs");
    std::fs::write(&script, ":dep fastrand = \"2\"\nfastrand::Rng::with_seed(1).u32(..1)\n").unwrap();
    let script = script.to_str().unwrap();
    let file = folder.path().join("store.tar.gz");
    let file = file.to_str().unwrap();

    let first = Finished::of(&mut with_store(&store, &[script]));
    assert_eq!((first.status, first.stdout.as_str()), (Some(0), "0\n"), "{}", first.stderr);
    let exported = Finished::of(&mut with_store(&store, &["store", "export", file]));
    assert!(exported.stdout.starts_with("exported the prelude and 1 set of dependencies"), "{exported:?}");

    let elsewhere = folder.path().join("elsewhere");
    let imported = alone(&mut with_store(&elsewhere, &["store", "import", file]), folder.path());
    assert_eq!(imported.status, Some(0), "{imported:?}");
    for library in ["libcore.rmeta", "libcompiler_builtins.rmeta"] {
        let preludes = std::fs::read_dir(&elsewhere).unwrap().flatten();
        let there = preludes.filter(|prelude| prelude.path().join("rust-core").join(library).is_file());
        assert_eq!(there.count(), 1, "{library}");
    }
    let again = alone(&mut with_store(&elsewhere, &[script]), folder.path());
    assert_eq!((again.status, again.stdout.as_str()), (Some(0), "0\n"), "{}", again.stderr);
    let status = Finished::of(&mut with_store(&elsewhere, &["store", "status"])).expect_success();
    for words in
        ["complete", "core        for GPUs, complete", "fastrand = \"2\"", "1 of dependencies", "rustc 1."]
    {
        assert!(status.contains(words), "{status}");
    }

    // What is not what was written is refused, and leaves nothing.
    let mut bytes = std::fs::read(file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let damaged = folder.path().join("damaged.tar.gz");
    std::fs::write(&damaged, &bytes).unwrap();
    let third = folder.path().join("third");
    let refused = Finished::of(&mut with_store(&third, &["store", "import", damaged.to_str().unwrap()]));
    assert_eq!(refused.status, Some(1));
    assert!(refused.stderr.contains("damaged"), "{}", refused.stderr);
    assert_eq!(std::fs::read_dir(&third).unwrap().count(), 0);
    let refused = Finished::of(&mut with_store(&third, &["store", "import", script]));
    assert!(refused.stderr.contains("is not a store"), "{}", refused.stderr);

    let cleaned = Finished::of(&mut with_store(&elsewhere, &["store", "clean"])).expect_success();
    assert!(cleaned.starts_with("removed 0 folders"), "{cleaned}");
    let cleaned = Finished::of(&mut with_store(&elsewhere, &["store", "clean", "--all"])).expect_success();
    assert!(cleaned.starts_with("removed 1 folder,"), "{cleaned}");
    let status = Finished::of(&mut with_store(&elsewhere, &["store", "status"])).expect_success();
    assert!(status.contains("not built"), "{status}");
}

#[test]
fn what_a_session_uses_is_not_cleaned() {
    let folder = tempfile::tempdir().unwrap();
    let store: PathBuf = folder.path().join("store");
    let usual = gpurepl_session::store::root().unwrap();
    gpurepl_tests::program();
    copy(&usual, &store, &|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with("build-") && name != "dependencies"
    });
    let clean = "let out = std::process::Command::new(std::env::var(\"BIN\")?).args([\"store\", \"clean\", \
                 \"--all\"]).output()?; String::from_utf8(out.stdout)?";
    let session =
        Finished::of(with_store(&store, &["-e", clean, "-e", "1 + 1"]).env("BIN", gpurepl_tests::program()));
    assert_eq!(session.status, Some(0), "{}", session.stderr);
    assert!(session.stdout.contains("1 is in use and stays"), "{}", session.stdout);
    assert!(session.stdout.ends_with("2\n"), "{}", session.stdout);
}
