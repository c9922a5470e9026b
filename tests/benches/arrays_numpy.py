#!/usr/bin/env python3
"""Array operations on the host device beside NumPy's, in one run and in turns.

    cargo build --release -p gpurepl
    pip install numpy
    python3 tests/benches/arrays_numpy.py target/release/gpurepl
    python3 tests/benches/arrays_numpy.py --only sort --turns 3 target/release/gpurepl
    python3 tests/benches/arrays_numpy.py --cores 1 target/release/gpurepl

A row is timed by gpurepl and by NumPy one after the other, several times. In
each turn the best time of a tenth of a second counts, and of the turns the
median; so does the median of their ratios, gpurepl's time in NumPy's. NumPy
uses one core for all but products of matrices; with `--cores 1` so does
gpurepl. Prints Markdown, and stops with the rows that it has when its time is
over. The rows are in `arrays_numpy_rows.py`.
"""

import argparse
import os
import queue
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("gpurepl")
parser.add_argument("--only", default="", help="rows of which 'group: name' matches this regular expression")
parser.add_argument("--turns", type=int, default=5)
parser.add_argument("--seconds", type=float, default=0.1, help="of one turn of one of both")
parser.add_argument("--limit", type=float, default=900, help="seconds after which no more rows are begun")
parser.add_argument("--cores", type=int, help="run on the first so many of the cores")
parser.add_argument("--size", type=int, default=10_000_000, help="elements of the large arrays")
options = parser.parse_args()
if options.cores:
    # Before NumPy starts its threads.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: options.cores])

import numpy as np  # noqa: E402

from arrays_numpy_rows import ROWS, SETUP_NUMPY, SETUP_RUST  # noqa: E402

# A turn: as often as its seconds allow, each time `repeat` times.
LOOP = """
fn turn(seconds: f64, repeat: usize, run: &mut dyn FnMut()) -> f64 {
    let start = std::time::Instant::now();
    let mut best = f64::INFINITY;
    while best.is_infinite() || start.elapsed().as_secs_f64() < seconds {
        let once = std::time::Instant::now();
        for _ in 0..repeat {
            run();
        }
        best = best.min(once.elapsed().as_secs_f64() / repeat as f64);
    }
    best
}
"""

# The row's number comes by one pipe, the time goes back by the other.
SERVE = """
use std::io::{BufRead as _, Write as _};
let questions = std::io::BufReader::new(std::fs::File::open("QUESTIONS").unwrap());
let mut answers = std::fs::OpenOptions::new().write(true).open("ANSWERS").unwrap();
for question in questions.lines() {
    let best = match question.unwrap().parse::<usize>().unwrap() {
ARMS
        _ => break,
    };
    writeln!(answers, "{best:e}").unwrap();
    answers.flush().unwrap();
}
"""


class Ours:
    """gpurepl, with all rows in one script, which waits for their numbers."""

    def __init__(self, rows, folder):
        questions, answers, script = (os.path.join(folder, name) for name in ("questions", "answers", "bench.rs"))
        os.mkfifo(questions)
        os.mkfifo(answers)
        arm = "        {} => turn({}, {}, &mut || {{ {} }}),"
        arms = [arm.format(k, options.seconds, row.repeat, row.rust_statement()) for k, row in enumerate(rows)]
        serve = SERVE.replace("QUESTIONS", questions).replace("ANSWERS", answers).replace("ARMS", "\n".join(arms))
        with open(script, "w") as file:
            # Each part of the setup is a cell: only the loops of the last one are optimised.
            setup = SETUP_RUST.replace("SIZE", str(options.size))
            file.write(f"// %%\n{setup}\n// %%opt 3\n{LOOP}\n{serve}")
        self.log = open(os.path.join(folder, "log"), "w+")
        environment = dict(os.environ, GPUREPL_DEVICE="host")
        self.process = subprocess.Popen(
            [options.gpurepl, script], stdout=self.log, stderr=self.log, env=environment
        )
        opened = queue.Queue()
        threading.Thread(target=lambda: opened.put((open(questions, "w"), open(answers))), daemon=True).start()
        while opened.empty():
            if self.process.poll() is not None:
                self.fail()
            time.sleep(0.05)
        self.questions, self.answers = opened.get()

    def fail(self):
        self.process.wait()
        self.log.seek(0)
        raise SystemExit(self.log.read())

    def turn(self, row):
        print(row, file=self.questions, flush=True)
        answer = self.answers.readline()
        if not answer:
            self.fail()
        return float(answer)


def numpys_turn(run, repeat):
    start, best = time.perf_counter(), float("inf")
    while best == float("inf") or time.perf_counter() - start < options.seconds:
        once = time.perf_counter()
        for _ in range(repeat):
            run()
        best = min(best, (time.perf_counter() - once) / repeat)
    return best


def main():
    started = time.monotonic()
    rows = [row for row in ROWS if re.search(options.only, f"{row.group}: {row.name}")]
    if not rows:
        raise SystemExit("no such row")
    names = {"np": np, "n": options.size}
    exec(SETUP_NUMPY, names)
    # Functions, so that names are found as fast as in a program.
    runs = [eval(f"lambda: {row.python}", names) for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        ours = Ours(rows, folder)
        print(f"{len(os.sched_getaffinity(0))} cores, NumPy {np.__version__}, load {os.getloadavg()[0]:.1f}\n")
        print("| | operation | gpurepl | NumPy | ratio | of turns |\n|---|---|---|---|---|---|")
        behind = []
        for k, (row, run) in enumerate(zip(rows, runs)):
            if time.monotonic() - started > options.limit:
                print(f"\n{len(rows) - k} rows are left out: {options.limit:.0f} s are over")
                break
            ours.turn(k)  # Memory of a new size comes from the system, once.
            run()
            turns = [(ours.turn(k), numpys_turn(run, row.repeat)) for _ in range(options.turns)]
            unit, scale = ("us", 1e6) if row.repeat > 1 else ("ms", 1e3)
            x, y = (statistics.median(times) * scale for times in zip(*turns))
            ratios = [a / b for a, b in turns]
            ratio = statistics.median(ratios)
            spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
            print(f"| {row.group} | `{row.name}` | {x:.2f} {unit} | {y:.2f} {unit} | {ratio:.2f} | {spread} |", flush=True)
            if ratio > 1:
                behind.append(f"{row.name} ({row.group}) {ratio:.2f}")
        print(f"\nBehind NumPy: {', '.join(behind) or 'none'}.")
        ours.turn_off()


Ours.turn_off = lambda self: (print(len(ROWS), file=self.questions, flush=True), self.process.wait())

if __name__ == "__main__":
    sys.exit(main())
