//! Plugins of libraries: built when a cell wants one, in every front end.

use std::fs;
use std::path::{Path, PathBuf};

use gpurepl_tests::{Conversation, Finished, gpurepl, is_on_host, run_with_input};

/// What each test calls a plugin with.
const SCALE: &str = "let plugin = extend::plugin(\"example\")?; \
    let scale = |a: &GpuArray<f32>| -> Result<Vec<f32>> { \
        let mut out = extend::AnyArray::empty(a.shape(), DType::Float32)?; \
        let from = extend::Argument::read(&extend::AnyArray::of(a)); \
        plugin.perform(\"scale\", &[from, extend::Argument::write(&mut out)], &[3])?; \
        Ok(out.typed::<f32>()?.to_vec()) }; \
    println!(\"{:?}\", scale(&gpu![1.0f32, 2.0])?);";

/// A store of a test's own, with the prelude and without any plugin.
pub struct OwnStore(tempfile::TempDir);

impl OwnStore {
    pub fn new() -> OwnStore {
        let status = Finished::of(&mut gpurepl(&["store", "status"])).expect_success();
        let word = |line: &str| -> String {
            let found =
                status.lines().find_map(|text| text.strip_prefix(line)).expect("a line of the status");
            found.trim().split(", complete").next().unwrap_or_default().to_owned()
        };
        let (root, key) = (PathBuf::from(word("store ")), word("prelude "));
        let store = tempfile::tempdir().unwrap();
        copy(&root.join(&key), &store.path().join(&key));
        OwnStore(store)
    }

    /// Has plugins that other tests have had built, if they have: their crates take minutes.
    fn borrow_plugins(&self, names: &[&str]) {
        let status = Finished::of(&mut gpurepl(&["store", "status"])).expect_success();
        let root = status.lines().find_map(|line| line.strip_prefix("store ")).unwrap().trim().to_owned();
        for entry in fs::read_dir(self.path()).unwrap().flatten() {
            let from = Path::new(&root).join(entry.file_name()).join("plugins");
            let to = entry.path().join("plugins");
            for name in names.iter().map(|name| format!("{name}.so")) {
                if from.join(&name).is_file() {
                    fs::create_dir_all(&to).unwrap();
                    fs::copy(from.join(&name), to.join(&name)).unwrap();
                }
            }
        }
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Settings of cargo for all that is built below.
    pub fn configure(&self, text: &str) {
        let folder = self.path().join(".cargo");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("config.toml"), text).unwrap();
    }

    /// A linker for plugins: a shell script.
    fn linker(&self, script: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.path().join("linker");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self.configure(&format!("[target.'cfg(all())']\nlinker = {:?}\n", path.display().to_string()));
    }

    fn run(&self, cells: &[&str]) -> Finished {
        let arguments: Vec<&str> = cells.iter().flat_map(|cell| ["-e", cell]).collect();
        Finished::of(gpurepl(&arguments).env("GPUREPL_STORE", self.path()))
    }
}

/// Everything but what was added to the prelude. The linked files are not
/// changed by anybody.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        let name = entry.file_name();
        if ["plugins", "dependencies"].iter().any(|left_out| name == *left_out) {
            continue;
        } else if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else if name == "complete" || fs::hard_link(entry.path(), &target).is_err() {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Whether plugins are not to be tried here: they compute on the host.
fn left_out() -> bool {
    if !is_on_host() {
        crate::ignored::ignored(crate::ignored::NEEDS_HOST);
    }
    !is_on_host()
}

#[test]
fn a_script_builds_the_plugin_that_it_wants_once() {
    if left_out() {
        return;
    }
    let store = OwnStore::new();
    let first = store.run(&[SCALE]);
    assert_eq!((first.status, first.stdout.as_str()), (Some(0), "[3.0, 6.0]\n"), "{}", first.stderr);
    assert!(first.stderr.contains("building the plugin `example` (once, about 1 s)"), "{}", first.stderr);
    assert_eq!(store.run(&[SCALE]).expect_success(), "[3.0, 6.0]\n");
}

#[test]
fn cells_from_a_pipe_go_on_after_a_panic_in_a_plugin() {
    if left_out() {
        return;
    }
    let store = OwnStore::new();
    let input = format!("{SCALE}\nplugin.perform(\"panic\", &[], &[])?;\nprintln!(\"{{}}\", 6 * 7);\n");
    let command = &mut gpurepl(&[]);
    let finished = run_with_input(command.env("GPUREPL_STORE", store.path()), input.as_bytes());
    let said = format!("{}{}", finished.stdout, finished.stderr);
    assert!(said.contains("[3.0, 6.0]\n"), "{said}");
    let words = "`panic` of the plugin `example` panicked: called with 0 arrays (at ";
    assert!(said.contains(words) && said.contains("libraries/example/src/lib.rs:"), "{said}");
    assert!(said.contains("42\n"), "{said}");
}

#[test]
fn an_error_of_a_function_and_a_wrong_name_are_named() {
    if left_out() {
        return;
    }
    let mut cells = Conversation::start();
    cells.ok("let plugin = extend::plugin(\"example\")?;");
    let words = "`scale` of the plugin `example` failed: scale takes one number";
    cells.fails_with("plugin.perform(\"scale\", &[], &[])?;", words);
    let words = "the plugin `example` has no function `scales`; it has scale, panic";
    cells.fails_with("plugin.perform(\"scales\", &[], &[])?;", words);
    cells.fails_with("extend::plugin(\"nowhere\")?;", "there is no plugin `nowhere`");
    assert!(cells.rendered().contains("there is `example`"), "{}", cells.rendered());
}

#[test]
fn a_replay_finds_the_plugin_that_is_built() {
    if left_out() {
        return;
    }
    let mut cells = Conversation::start();
    cells.ok("let plugin = extend::plugin(\"example\")?; let names = vec![1, 2];");
    let before = cells.worker();
    cells.run("std::process::abort();");
    cells.shows("names.len()", "2");
    assert_ne!(cells.worker(), before);
    let words = "scale takes one number";
    cells.fails_with("plugin.perform(\"scale\", &[], &[])?;", words);
}

#[test]
fn a_thread_that_asks_between_cells_gets_an_answer() {
    let mut cells = Conversation::start();
    cells.ok("let (go, wait) = std::sync::mpsc::channel::<()>(); let (tell, told) = std::sync::mpsc::channel(); \
              std::thread::spawn(move || { let _ = wait.recv(); std::thread::sleep(std::time::Duration::from_millis(300)); \
              tell.send(extend::plugin(\"another\").map(drop).unwrap_err().to_string()) });");
    cells.ok("go.send(())?;");
    std::thread::sleep(std::time::Duration::from_millis(600));
    // Between cells, or while another one runs: an answer either way.
    cells.shows("told.recv()?.contains(\"plugin `another`\")", "true");
}

#[test]
fn without_network_a_plugin_says_what_to_do() {
    if left_out() {
        return;
    }
    let (store, home) = (OwnStore::new(), tempfile::tempdir().unwrap());
    let command = &mut gpurepl(&["-e", SCALE]);
    let command = command.env("GPUREPL_STORE", store.path()).env("CARGO_HOME", home.path());
    let finished = Finished::of(command.env("CARGO_NET_OFFLINE", "true"));
    assert_eq!(finished.status, Some(1), "{}", finished.stdout);
    let words = "the plugin `example` could not be built because a crate could not be downloaded";
    for words in [words, "connect to the network once and run the cell again"] {
        assert!(finished.stderr.contains(words), "{}", finished.stderr);
    }
}

#[test]
fn a_build_that_fails_shows_the_last_lines_and_the_next_step() {
    if left_out() {
        return;
    }
    let store = OwnStore::new();
    store.linker("echo 'no linker today' >&2; exit 1");
    let finished = store.run(&[SCALE]);
    assert_eq!((finished.status, finished.stdout.as_str()), (Some(1), ""), "{}", finished.stderr);
    for words in ["the plugin `example` could not be built", "no linker today", "gpurepl doctor"] {
        assert!(finished.stderr.contains(words), "{words}: {}", finished.stderr);
    }
}

#[test]
fn the_store_builds_plugins_beforehand() {
    let store = OwnStore::new();
    // Whether or not it is beside the prelude that was copied.
    for entry in fs::read_dir(store.path()).unwrap() {
        let _ = fs::remove_dir_all(entry.unwrap().path().join("rust-core"));
    }
    store.borrow_plugins(&["fft", "linalg"]);
    let command = &mut gpurepl(&["store", "build", "--libraries"]);
    let done = Finished::of(command.env("GPUREPL_STORE", store.path()));
    assert_eq!(done.status, Some(0), "{}{}", done.stdout, done.stderr);
    // What takes seconds is told.
    assert!(done.stderr.starts_with("building `core` for GPUs (once, about 15 s)\n"), "{}", done.stderr);
    assert!(done.stdout.contains("`core` for GPUs is built"), "{}", done.stdout);
    // The example is for those who write plugins.
    assert!(done.stdout.ends_with("plugins: fft, linalg, templates\n"), "{}", done.stdout);
    // Without a word, and without a build.
    let cell = "println!(\"{}\", Template::new(\"{{ n * 2 }}\").render(context! { n => 21 })?);";
    let finished = store.run(&[cell]);
    assert_eq!((finished.stdout.as_str(), finished.stderr.as_str()), ("42\n", ""));
}

#[test]
fn an_export_carries_plugins() {
    if left_out() {
        return;
    }
    let (store, other) = (OwnStore::new(), OwnStore::new());
    assert_eq!(store.run(&[SCALE]).status, Some(0));
    let file = store.path().join("store.tar.gz");
    let file = file.to_str().unwrap();
    for (command, store) in [("export", &store), ("import", &other)] {
        let command = &mut gpurepl(&["store", command, file]);
        assert_eq!(Finished::of(command.env("GPUREPL_STORE", store.path())).status, Some(0));
    }
    other.linker("exit 1");
    assert_eq!(other.run(&[SCALE]).expect_success(), "[3.0, 6.0]\n");
}

#[test]
fn an_interrupt_ends_a_build_and_the_session_goes_on() {
    if left_out() {
        return;
    }
    use rexpect::session::spawn_with_options;
    let store = OwnStore::new();
    let started = store.path().join("started");
    store.linker(&format!("touch '{}'; sleep 600", started.display()));
    let mut command = std::process::Command::new(gpurepl_tests::program());
    let home = tempfile::tempdir().unwrap();
    command
        .env("TERM", "xterm-256color")
        .env("XDG_STATE_HOME", home.path())
        .env("GPUREPL_DEVICE", gpurepl_tests::device())
        .env("GPUREPL_STORE", store.path());
    let options = rexpect::reader::Options::new().timeout_ms(Some(300_000)).strip_ansi_escape_codes(true);
    let mut terminal = spawn_with_options(command, options).unwrap();
    let mut enter = |number: usize, line: &str| {
        terminal.exp_string(&format!("In [{number}]: ")).unwrap();
        terminal.send(&format!("{line}\r")).unwrap();
        terminal.flush().unwrap();
        if line.contains("plugin") {
            while !started.exists() {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            terminal.send_control('c').unwrap();
            terminal.exp_string("the plugin `example` has not been built: interrupted").unwrap();
            terminal.exp_string("run the cell again to build it").unwrap();
        }
    };
    enter(1, "let kept = 41;");
    enter(2, "extend::plugin(\"example\")?;");
    enter(3, "println!(\"{}\", kept + 1)");
    terminal.exp_string("42").unwrap();
    assert!(!store.path().join("plugins").exists());
}
