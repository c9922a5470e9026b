//! How long completion and hovers take, with the analyser warm: medians of
//! several, each with another text before it so that nothing is remembered.
//!
//! `cargo build -p gpurepl-analyser && cargo run -p gpurepl-session --example completion`

use std::time::{Duration, Instant};

use gpurepl_session::analysis::{AnalyserState, Level};
use gpurepl_session::{Deaf, Options, Session, run_if_worker};

/// How often each place is asked about.
const ROUNDS: usize = 11;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run_if_worker();
    let mut session = Session::start(Options::default(), &mut Deaf)?;
    for cell in [
        "struct Wave { height: f32, tags: Vec<String> }",
        "impl Wave { fn energy(&self) -> f32 { self.height * self.height } }",
        "let wave = Wave { height: 1.0, tags: vec![] };",
        "let a = zeros::<f32>((2, 3)); let v = vec![1, 2, 3];",
    ] {
        assert!(session.run(cell, &mut Deaf).is_done(), "{cell}");
    }
    let analysis = session.analysis();
    let start = Instant::now();
    analysis.start();
    loop {
        match analysis.analyser() {
            AnalyserState::Ready => break,
            AnalyserState::Starting => std::thread::sleep(Duration::from_millis(20)),
            other => return Err(format!("the analyser does not run: {other:?}").into()),
        }
    }
    println!("warm after {:.1} s", start.elapsed().as_secs_f64());
    if let Some(process) = analysis.analyser_process() {
        let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
        let resident = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default();
        println!("{resident}");
    }
    for (what, text) in [
        ("members of an array", "a."),
        ("members of an array, some letters", "(2.0 * &a).resh"),
        ("members of a vector", "v."),
        ("members after a chain", "v.iter().map(|x| x + 1)."),
        ("members of a struct of the user's", "wave."),
        ("members of its field", "wave.tags."),
        ("a word", "let b = zer"),
        ("a path", "std::collections::"),
    ] {
        let mut first = Duration::ZERO;
        let mut times = Vec::new();
        let mut count = 0;
        for round in 0..ROUNDS {
            let source = format!("let line{round} = {round};\n{text}");
            let start = Instant::now();
            let completions = analysis.complete(&source, source.len());
            let time = start.elapsed();
            if round == 0 {
                first = time;
            }
            times.push(time);
            count = if completions.is_from_analyser { completions.items.len() } else { 0 };
        }
        report(what, first, &mut times, count);
    }
    let (mut times, mut first) = (Vec::new(), Duration::ZERO);
    for round in 0..ROUNDS {
        let source = format!("let line{round} = {round};\nv.iter()");
        let start = Instant::now();
        analysis.inspect(&source, source.len() - 3, Level::Documentation);
        times.push(start.elapsed());
        if round == 0 {
            first = times[0];
        }
    }
    report("hover", first, &mut times, 1);
    let start = Instant::now();
    let count = analysis.complete_at_once("a.", 2).items.len();
    println!("{:<36} {:6.1} ms, {count} candidates", "our own tables alone", milliseconds(start.elapsed()));
    Ok(())
}

fn report(what: &str, first: Duration, times: &mut [Duration], count: usize) {
    times.sort();
    let median = milliseconds(times[times.len() / 2]);
    println!("{what:<36} {median:6.1} ms, the first {:6.1} ms, {count} candidates", milliseconds(first));
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
