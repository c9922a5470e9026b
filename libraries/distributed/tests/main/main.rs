//! Functions of several ranks. A test starts copies of its own program as ranks, which run it alone; see
//! [`on_ranks`]. The last of its numbers of ranks runs twice, the second time on what they take for two machines.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use gpurepl_prelude::extend::group;
use gpurepl_prelude::*;

mod arrays;
mod elements;
mod mirrors;
mod misuse;
mod moving;
mod orders;
mod points;
mod properties;
mod reductions;
mod systems;
mod waits;

/// Says to a copy which test it runs.
const TEST: &str = "GPUREPL_TEST_ON_RANKS";

/// Where copies leave each other files.
const FOLDER: &str = "GPUREPL_TEST_FOLDER";

/// The order that this copy works on.
static ORDER: AtomicU64 = AtomicU64::new(1);

/// Runs a test as so many ranks, once for each number. The name is the test's own.
fn on_ranks(name: &str, numbers: &[usize], body: fn()) {
    if std::env::var(TEST).is_ok_and(|test| test == name) {
        group::begin(1);
        // Others may wait for it.
        let outcome = std::panic::catch_unwind(body);
        if outcome.is_err() {
            tell("panicked");
        }
        group::end(ORDER.load(Ordering::SeqCst));
        if let Err(panic) = outcome {
            std::panic::resume_unwind(panic);
        }
        return;
    }
    assert!(std::env::var_os(TEST).is_none(), "the name of the test is {name}");
    for ranks in numbers {
        start(name, &vec![0; *ranks]);
    }
    match numbers.last() {
        None | Some(1) => {}
        Some(ranks) => start(name, &(0..*ranks).map(|rank| rank % 2).collect::<Vec<_>>()),
    }
}

/// Starts a rank for each of these, on what it takes for the machine of that number.
fn start(name: &str, machines: &[usize]) {
    let ranks = machines.len();
    let folder = tempfile::tempdir().unwrap();
    let groups = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mirrors = mirrors::Mirrors::begin(&groups.each_ref().map(|group| group.path()), machines);
    let is_gpu = device().kind() == DeviceKind::Cuda;
    let start = |rank: usize| {
        let mut copy = Command::new(std::env::current_exe().unwrap());
        copy.args([name, "--exact", "--nocapture", "--test-threads", "1"]).env(TEST, name);
        copy.env("GPUREPL_RANK", rank.to_string()).env("GPUREPL_RANKS", ranks.to_string());
        copy.env("GPUREPL_GROUP", groups[machines[rank]].path()).env(FOLDER, folder.path());
        let gpu = if is_gpu { Some(rank % Device::count().unwrap()) } else { None };
        copy.env("GPUREPL_DEVICE", gpu.map_or_else(|| "host".to_owned(), |gpu| format!("cuda:{gpu}")));
        copy.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let copies: Vec<_> = (0..ranks).map(start).collect();
    let outputs: Vec<_> = copies.into_iter().map(|copy| copy.wait_with_output().unwrap()).collect();
    mirrors.end();
    let is_well = outputs.iter().all(|output| {
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains("1 passed")
    });
    let text = |(rank, output): (usize, &std::process::Output)| {
        let [stdout, stderr] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        format!("-- rank {rank} of {ranks}, machines {machines:?}: {}\n{stdout}{stderr}", output.status)
    };
    assert!(is_well, "{}", outputs.iter().enumerate().map(text).collect::<String>());
}

/// Where ranks leave each other files.
fn folder() -> PathBuf {
    std::env::var_os(FOLDER).unwrap().into()
}

/// Lets others go on that [`wait_for`] this.
fn tell(what: &str) {
    std::fs::write(folder().join(what), "").unwrap();
}

fn wait_for(what: &str) {
    while !folder().join(what).exists() {
        assert!(!folder().join("panicked").exists(), "another rank has failed");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Ends an order and begins the next one once all have ended it, as a session has it.
fn next_order() {
    let order = ORDER.fetch_add(1, Ordering::SeqCst);
    group::end(order);
    tell(&format!("ended-{order}-{}", rank()));
    (0..ranks()).for_each(|rank| wait_for(&format!("ended-{order}-{rank}")));
    group::begin(order + 1);
}

/// The text of an error that must be one.
fn told<T>(result: Result<T>) -> String {
    result.err().expect("an error").to_string()
}
