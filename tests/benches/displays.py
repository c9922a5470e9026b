#!/usr/bin/env python3
"""What it takes to show an array and to plot it, in a notebook.

    gpurepl-jupyter install --user
    python3 tests/benches/displays.py [--elements 28] [--save FOLDER]

A kernel is driven by nbclient (`pip install nbclient`). The cells measure
themselves: the card's bundle as it is made, the pass over the array alone, and
figures from arrays of 2^N and of 10^9 elements, if the device has room. Prints
Markdown. With --save the notebook with its outputs goes into a folder.
"""

import argparse
import pathlib

import nbformat
from nbclient import NotebookClient

SETUP = """
use std::time::Instant;
seed(1);
let a = rand::<f32>(1_usize << {exponent});
synchronize()?;
let _ = a.render();

fn median(mut times: Vec<f64>) -> f64 {{
    times.sort_by(f64::total_cmp);
    1e3 * times[times.len() / 2]
}}

fn measured(mut act: impl FnMut()) -> f64 {{
    median((0..11).map(|_| {{ let start = Instant::now(); act(); start.elapsed().as_secs_f64() }}).collect())
}}
"""

CELLS = [
    ("the card of the array, whole bundle", "measured(|| { a.render(); })"),
    ("`a.min()`, `a.max()`, `a.mean()`, read, for comparison",
     "measured(|| { (a.min().item(), a.max().item(), a.mean().item()); })"),
    ("`a.sum()`, read, for comparison", "measured(|| { a.sum().item(); })"),
    ("`plot(&a)`, whole bundle", "measured(|| { plot(&a).render(); })"),
    ("`hist(&a, 100)`, whole bundle", "measured(|| { hist(&a, 100).render(); })"),
    ("`imshow` of the array as a square, whole bundle",
     "let square = a.reshape((1_usize << {half}, 1_usize << {half})); measured(|| {{ imshow(&square).render(); }})"),
    ("`plot` of 10^9 elements, the first time",
     "drop(a); let y = rand::<f32>(1_000_000_000); synchronize()?;\n"
     "let start = Instant::now(); plot(&y).render(); 1e3 * start.elapsed().as_secs_f64()"),
    ("`plot` of 10^9 elements, again", "measured(|| { plot(&y).render(); })"),
]

SHOWN = ["seed(1); let a = rand::<f32>(1_usize << {exponent});", "a", "plot(&a)", "hist(&a, 100)"]


def run(sources):
    kernel = {"name": "gpurepl", "display_name": "Rust (gpurepl)", "language": "rust"}
    made = nbformat.v4.new_notebook(metadata={"kernelspec": kernel})
    made.cells = [nbformat.v4.new_code_cell(source) for source in sources]
    NotebookClient(made, timeout=600, allow_errors=True).execute()
    return made


def told(cell):
    for output in cell.outputs:
        if output.output_type == "error":
            return f"failed: {output.evalue.splitlines()[0]}"
        if output.output_type == "execute_result":
            return f"{float(output.data['text/plain']):.2f}"
    return "nothing"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--elements", type=int, default=28, help="of 2^N elements, N even")
    parser.add_argument("--save", type=pathlib.Path)
    arguments = parser.parse_args()
    names = {"exponent": arguments.elements, "half": arguments.elements // 2}

    def filled(text):
        return text.format(**names) if "{half}" in text or "{exponent}" in text else text

    made = run(["println!(\"{}\", device().name());", filled(SETUP), *[filled(text) for _, text in CELLS]])
    print(f"On {''.join(output.get('text', '') for output in made.cells[0].outputs).strip()}, "
          f"f32, 2^{arguments.elements} elements, medians of 11:\n")
    print("| what | ms |\n|---|---|")
    for (title, _), cell in zip(CELLS, made.cells[2:]):
        print(f"| {title} | {told(cell)} |")
    setup = [output for output in made.cells[1].outputs if output.output_type == "error"]
    if setup:
        print(f"\nthe setup failed: {setup[0].evalue}")
    if arguments.save:
        arguments.save.mkdir(parents=True, exist_ok=True)
        nbformat.write(run([filled(text) for text in SHOWN]), arguments.save / "displays.ipynb")


if __name__ == "__main__":
    main()
