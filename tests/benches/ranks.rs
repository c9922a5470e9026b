//! What many workers cost a session: `cargo bench -p gpurepl-tests --bench ranks [WORKERS ..]`, on the host device.
//!
//! The workers are simulated, in one process beside the session's: they are reached as others elsewhere are, and answer
//! without running anything. So the figures are the session's own work, and theirs, which one machine does here and
//! many do elsewhere. One line for each number of workers: the median time of a cell in milliseconds, without its
//! compilation, and that divided by their number.

use std::time::Duration;

use gpurepl_session::{Deaf, Launch, Options, Outcome, Session, simulate_workers};

const CELLS: usize = 30;

/// Before the number of workers on the command line of those that simulate them.
const SIMULATE: &str = "--simulate";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [simulate, count, .., address] = &arguments[..]
        && simulate == SIMULATE
    {
        let count = count.parse().expect("a number of workers");
        // It ends in the middle of whatever is said to it when its session ends.
        if let Err(problem) = simulate_workers(address, count) {
            eprintln!("{problem}");
        }
        return;
    }
    let mut counts: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    if counts.is_empty() {
        counts = vec![1, 4, 16, 64, 256, 1000];
    }
    println!("workers  cell ms  cell ms / worker");
    for count in counts {
        let cell = measure(count).as_secs_f64() * 1e3;
        println!("{count:7}  {cell:7.2}  {:.4}", cell / count as f64);
    }
}

/// How long a cell takes in a session of so many workers.
fn measure(count: usize) -> Duration {
    let program = std::env::current_exe().expect("a program");
    let command = format!("{} {SIMULATE} {count}", program.display());
    let launch = Launch::read(Some(&command), Some(count), None).expect("a launch");
    let mut session = Session::start(Options { launch, ..Options::default() }, &mut Deaf).expect("a session");
    let mut times: Vec<Duration> = (0..CELLS + 3)
        .map(|number| {
            let outcome = session.run(&format!("{number} + 1"), &mut Deaf);
            let Outcome::Done(report) = outcome else { panic!("{outcome:?}") };
            report.total.saturating_sub(report.compile)
        })
        .skip(3)
        .collect();
    times.sort();
    times[CELLS / 2]
}
