#!/usr/bin/env python3
"""Array operations on the host device beside NumPy's, in one run.

    cargo build --release -p gpurepl
    pip install numpy
    python3 tests/benches/arrays_numpy.py target/release/gpurepl

Each operation is timed in turn by gpurepl on one core, by gpurepl on all, and
by NumPy, which uses one, each for a third of a second; the best time counts. A
ratio is gpurepl's time in NumPy's. Prints Markdown, in about a minute.
"""

import argparse
import os
import subprocess
import tempfile
import time
import timeit

import numpy as np

# Functions by gpurepl's names and NumPy's.
FUNCTIONS = [(name, name) for name in "exp log log10 sin cos tan sinh cosh tanh".split()]

# What is measured: a name, Rust, and Python, over the arrays of SETUP.
LARGE = [
    *((f"`{ours}`", f"a.{ours}()", f"np.{theirs}(a)") for ours, theirs in FUNCTIONS + [("sqrt", "sqrt"), ("asin", "arcsin"), ("atan", "arctan")]),
    ("`a.pow(&u)`", "a.pow(&u)", "a ** u"),
    ("`a + b`", "&a + &b", "a + b"),
    ("`where`", "where_(&m, &a, &b)", "np.where(m, a, b)"),
    ("`maximum`", "maximum(&a, &b)", "np.maximum(a, b)"),
    ("`a > b`", "a.gt(&b)", "a > b"),
    ("`sum`", "a.sum()", "a.sum()"),
    ("`i * 3`, int32", "&i * 3", "i * 3"),
    ("`w * 3`, uint32", "&w * 3", "w * 3"),
    ("`i * 3`, int64", "&l * 3", "l * 3"),
]
DOUBLE = [
    *((f"`{ours}`", f"d.{ours}()", f"np.{theirs}(d)") for ours, theirs in FUNCTIONS + [("asin", "arcsin"), ("atan", "arctan")]),
    ("`d.pow(&e)`", "d.pow(&e)", "d ** e"),
    ("`d + e`", "&d + &e", "d + e"),
]
ALONG = [
    ("`sum_axis(0)`", "r.sum_axis(0)", "r.sum(axis=0)"),
    ("`sum_axis(1)`", "r.sum_axis(1)", "r.sum(axis=1)"),
    ("`cumsum`", "a.cumsum()", "a.cumsum()"),
    ("`cumsum_axis(0)`", "r.cumsum_axis(0)", "r.cumsum(axis=0)"),
]
SMALL = [
    ("`a + b`", "&a + &b", "a + b"),
    ("`2 * a + b`", "2 * &a + &b", "2 * a + b"),
    ("`sum`", "a.sum()", "a.sum()"),
]

SETUP = """
let n = {n}_usize;
let a = arange(0..n as i32).astype(f32) / (n as f32) * 3 + 0.01;
let b = arange(0..n as i32).astype(f32);
let m = a.gt(1.5);
let i = arange(0..n as i32);
let l = i.astype(i64);
let u = &b / (n as f32);
let w = i.astype(u32);
let d = a.astype(f64) / 3;
let e = u.astype(f64);
let r = a.reshape((n / 1000, 1000));
let _ = (a.gpudata(), b.gpudata(), m.gpudata(), l.gpudata(), w.gpudata(), u.gpudata(), d.gpudata(), e.gpudata());
fn best(mut run: impl FnMut()) -> f64 {{
    run(); // Memory of a new size comes from the system, once.
    let mut best = f64::INFINITY;
    let start = std::time::Instant::now();
    while start.elapsed().as_secs_f64() < 0.3 {{
        let once = std::time::Instant::now();
        for _ in 0..{repeat} {{
            run();
        }}
        best = best.min(once.elapsed().as_secs_f64() / {repeat} as f64);
    }}
    best
}}
"""


def ours(program, operations, n, repeat, threads):
    text = SETUP.format(n=n, repeat=repeat)
    for _, rust, _ in operations:
        text += f'println!("time {{:e}}", best(|| drop(({rust}).gpudata())));\n'
    with tempfile.NamedTemporaryFile("w", suffix=".rs") as file:
        file.write("// %%opt 3\n" + text)
        file.flush()
        environment = dict(os.environ, GPUREPL_DEVICE="host")
        if threads:
            environment["RAYON_NUM_THREADS"] = str(threads)
        run = subprocess.run([program, file.name], capture_output=True, text=True, env=environment)
    times = [float(line.split()[1]) for line in run.stdout.splitlines() if line.startswith("time ")]
    if len(times) != len(operations):
        raise SystemExit(run.stdout + run.stderr)
    return times


def best(run, repeat):
    timer, least, end = timeit.Timer(run), float("inf"), time.perf_counter() + 0.3
    while time.perf_counter() < end:
        least = min(least, timer.timeit(repeat) / repeat)
    return least


def numpys(operations, n, repeat):
    a = (np.arange(n, dtype="int32").astype("float32") / np.float32(n) * 3 + np.float32(0.01)).astype("float32")
    b = np.arange(n, dtype="float32")
    i = np.arange(n, dtype="int32")
    u = b / np.float32(n)
    names = {"np": np, "a": a, "b": b, "m": a > 1.5, "i": i, "l": i.astype("int64"), "u": u, "w": i.astype("uint32")}
    names |= {"d": a.astype("float64") / 3, "e": u.astype("float64"), "r": a.reshape(n // 1000, 1000)}
    # A function, so that names are found as fast as in a program.
    return [best(eval(f"lambda {', '.join(names)}: lambda: {python}")(*names.values()), repeat) for _, _, python in operations]


def table(program, title, operations, n, repeat, unit, name):
    one, all_cores = ours(program, operations, n, repeat, 1), ours(program, operations, n, repeat, None)
    theirs = numpys(operations, n, repeat)
    print(f"{title}\n\n| operation | one core, {name} | all cores | NumPy | ratio, one core | all cores |\n|---|---|---|---|---|---|")
    for (what, _, _), x, y, z in zip(operations, one, all_cores, theirs):
        print(f"| {what} | {x * unit:.2f} | {y * unit:.2f} | {z * unit:.2f} | {x / z:.2f} | {y / z:.2f} |")
    print()


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("gpurepl")
program = parser.parse_args().gpurepl
print(f"{os.cpu_count()} cores, NumPy {np.__version__}\n")
table(program, "10 000 000 elements of float32:", LARGE, 10_000_000, 1, 1e3, "ms")
table(program, "10 000 000 elements of float64:", DOUBLE, 10_000_000, 1, 1e3, "ms")
table(program, "10 000 rows of 1000 elements of float32:", ALONG, 10_000_000, 1, 1e3, "ms")
table(program, "1000 elements of float32:", SMALL, 1000, 1000, 1e6, "us")
