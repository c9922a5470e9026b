//! The folder and the environment of cells, which `:cd` and `:env` change.

use std::fs;

use gpurepl_tests::{gpurepl, run_with_input};

/// What a pipe of cells prints, in a folder of its own with the folders `a` and `b`.
fn printed(cells: &str) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("f"), format!("in {name}")).unwrap();
    }
    let mut command = gpurepl(&[]);
    command.current_dir(folder.path()).env_remove("GPUREPL_TEST_SET");
    let finished = run_with_input(&mut command, cells.as_bytes());
    (finished.stdout, finished.stderr)
}

#[test]
fn what_was_read_before_cd_and_env_comes_back_as_it_was() {
    let (stdout, stderr) = printed(
        ":cd a\n\
         let s = std::fs::read_to_string(\"f\").unwrap();\n\
         :cd ../b\n\
         :env GPUREPL_TEST_SET=1\n\
         let e = std::env::var(\"GPUREPL_TEST_SET\").unwrap();\n\
         :env GPUREPL_TEST_SET=2\n\
         let other = std::fs::read_to_string(\"f\").unwrap();\n\
         :env -u GPUREPL_TEST_SET\n\
         let none = std::env::var(\"GPUREPL_TEST_SET\").is_err();\n\
         std::process::abort();\n\
         println!(\"{s}, {e}, {other}, {none}\");\n\
         println!(\"{} {}\", std::fs::read_to_string(\"f\")?, std::env::var(\"GPUREPL_TEST_SET\").is_err());\n",
    );
    assert!(stderr.contains("replayed 4 cells"), "{stderr}");
    assert!(stdout.ends_with("in a, 1, in b, true\nin b true\n"), "{stdout}\n{stderr}");
}

#[test]
fn a_worker_that_replays_nothing_finds_what_was_set() {
    let (stdout, stderr) = printed(
        ":replay off\n:cd a\n:env GPUREPL_TEST_SET=1\nstd::process::abort();\n\
         println!(\"{} {}\", std::fs::read_to_string(\"f\")?, std::env::var(\"GPUREPL_TEST_SET\")?);\n\
         :reset\n\
         println!(\"{} {}\", std::fs::read_to_string(\"f\")?, std::env::var(\"GPUREPL_TEST_SET\")?);\n",
    );
    assert!(stdout.ends_with("in a 1\nin a 1\n"), "{stdout}\n{stderr}");
}

#[test]
fn a_folder_that_is_gone_is_told() {
    let (stdout, stderr) = printed(
        ":cd b\n\
         let kept = 1;\n\
         :cd ../a\n\
         std::fs::remove_dir_all(\"../b\")?;\n\
         std::process::abort();\n\
         println!(\"{kept} {}\", std::fs::read_to_string(\"f\")?);\n",
    );
    assert!(stderr.contains("/b` could not be repeated: the worker cannot go to"), "{stderr}");
    assert!(stdout.ends_with("1 in a\n"), "{stdout}\n{stderr}");
}
