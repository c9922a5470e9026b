//! What a lost worker costs, and that a replay brings the rest back.

mod faults;
mod interrupts;
mod kills;
mod policy;
mod replay;
mod sameness;
mod surroundings;

use gpurepl_session::{Loss, Outcome};
use gpurepl_tests::Conversation;

/// Runs a cell that costs the worker.
#[track_caller]
fn loses(cells: &mut Conversation, source: &str) -> Loss {
    match cells.run(source) {
        Outcome::Lost(loss) => loss,
        other => panic!("{source}: {other:?}\n{}", cells.rendered()),
    }
}

/// Runs a cell that costs the worker, and no variable.
#[track_caller]
fn loses_nothing(cells: &mut Conversation, source: &str) -> Loss {
    let loss = loses(cells, source);
    assert!(loss.variables.is_empty(), "{source}: {loss:?}\n{}", cells.noted());
    loss
}

/// Ends a process at once.
fn kill(process: i32) {
    let process = nix::unistd::Pid::from_raw(process);
    nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGKILL).expect("the worker is alive");
}

/// Statements that end the process that runs them, as the system does when
/// memory runs out.
const KILL_ME: &str = "std::process::Command::new(\"kill\").arg(\"-9\").arg(std::process::id().to_string()).status().ok(); loop {}";
