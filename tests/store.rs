//! The prelude's store: built once, by one of several that start together,
//! without network from vendored crates, and carried to where there is no
//! cargo.

use std::path::Path;
use std::process::{Command, Stdio};

use gpurepl_tests::{Finished, gpurepl};

/// A copy of a folder and all in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn without_network_the_error_says_what_to_do() {
    let (store, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let finished = Finished::of(
        gpurepl(&["-e", "1"])
            .env("GPUREPL_STORE", store.path())
            .env("CARGO_HOME", home.path())
            .env("CARGO_NET_OFFLINE", "true"),
    );
    assert_eq!((finished.status, finished.stdout.as_str()), (Some(1), ""));
    for words in ["a crate could not be downloaded", "GPUREPL_VENDOR", "GPUREPL_STORE"] {
        assert!(finished.stderr.contains(words), "{}", finished.stderr);
    }
}

#[test]
fn a_store_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file");
    std::fs::write(&file, "").unwrap();
    let finished = Finished::of(gpurepl(&["-e", "1"]).env("GPUREPL_STORE", &file));
    assert_eq!(finished.status, Some(1));
    assert!(finished.stderr.contains("a file"), "{}", finished.stderr);
}

/// Vendored crates, no network, two sessions and an export at once on an empty
/// store: one builds, the others wait, all work. Then the store is carried
/// elsewhere, as a folder and by the file that was exported.
#[test]
fn vendored_crates_build_a_store_that_can_be_carried() {
    let folder = tempfile::tempdir().unwrap();
    let (vendor, home) = (folder.path().join("vendored crates"), folder.path().join("home"));
    let manifest = gpurepl_tests::checkout().join("Cargo.toml");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let vendored = Command::new(cargo)
        .args(["vendor", "--locked", "--quiet", "--manifest-path"])
        .arg(manifest)
        .arg(&vendor)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(vendored.success());

    let store = folder.path().join("störe");
    let file = folder.path().join("store.tar.gz");
    let start = |arguments: &[&str]| {
        let mut command = gpurepl(arguments);
        command
            .env("GPUREPL_STORE", &store)
            .env("GPUREPL_VENDOR", &vendor)
            .env("CARGO_HOME", &home)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let cell = ["-e", "(arange(0..5) * 2).sum()"];
    let export = ["store", "export", file.to_str().unwrap()];
    let started = [start(&cell), start(&cell), start(&export)];
    let finished = started.map(|program| Finished::from(program.wait_with_output().unwrap()));
    let waited =
        finished.iter().filter(|session| session.stderr.contains("another session is building")).count();
    assert_eq!(waited, 2, "{finished:?}");
    let [first, second, exported] = finished;
    assert_eq!(exported.status, Some(0), "{exported:?}");
    for session in [first, second] {
        assert_eq!((session.status, session.stdout.as_str()), (Some(0), "array(20, dtype=int64)\n"));
    }

    let carried = folder.path().join("carried");
    let is_build = |name: &str| name.starts_with("build-");
    for entry in std::fs::read_dir(&store).unwrap().flatten() {
        if !is_build(&entry.file_name().to_string_lossy()) {
            copy(&entry.path(), &carried.join(entry.file_name()));
        }
    }
    std::fs::remove_dir_all(&store).unwrap();
    let imported = folder.path().join("imported");
    let elsewhere = |store: &Path, arguments: &[&str]| {
        Finished::of(
            gpurepl(arguments)
                .env("GPUREPL_STORE", store)
                .env("CARGO_HOME", folder.path().join("nothing here"))
                .env("CARGO_NET_OFFLINE", "true"),
        )
    };
    let import = elsewhere(&imported, &["store", "import", file.to_str().unwrap()]);
    assert_eq!(import.status, Some(0), "{import:?}");
    for store in [carried, imported] {
        let finished = elsewhere(&store, &["-e", "ones::<f32>(3)"]);
        assert_eq!(finished.expect_success(), "array([1., 1., 1.], dtype=float32)\n");
    }
}
