"""The notebooks that the project gives people to begin with."""

import copy
import os
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

FOLDER = Path(__file__).resolve().parents[3] / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


def read(name):
    return nbformat.read(FOLDER / f"{name}.ipynb", 4)


def execute(made):
    return NotebookClient(made, timeout=600, resources={"metadata": {"path": str(FOLDER)}}).execute()


def outputs(made, mime):
    found = [output.get("data", {}) for cell in made.cells if cell.cell_type == "code" for output in cell.outputs]
    return [data[mime] for data in found if mime in data]


def test_there_are_these():
    assert NAMES == [
        "a_wave",
        "arrays_and_kernels",
        "arrays_like_numpy",
        "code_is_data",
        "fft_and_filters",
        "figures",
        "first_steps",
        "four_gpus",
        "four_ways",
        "kernels_in_rust",
        "linear_systems",
        "reductions_and_scans",
        "source_modules",
        "your_cpp_on_my_array",
    ]


def test_opening_one_changes_nothing(kernel):
    """Front ends write into a notebook what the kernel says of its language."""
    told = kernel.ask("kernel_info_request", {}, channel="shell")["content"]["language_info"]
    for name in NAMES:
        assert read(name).metadata["language_info"] == told, name


def kept(made):
    """A notebook as it is kept: with what a reader sees who does not run it, and nothing of when it ran."""
    for cell in made.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            # Pictures have two forms, of which one is enough.
            if "image/svg+xml" in output.get("data", {}):
                output.data.pop("image/png", None)
    return made


def kinds(made):
    """What kinds of outputs each cell has. In how many messages a text comes is a matter of time."""
    code = [cell for cell in made.cells if cell.cell_type == "code"]
    of = lambda output: (output.output_type, output.get("name"), sorted(output.get("data", {})))

    def joined(outputs):
        found = [of(output) for output in outputs]
        return [kind for k, kind in enumerate(found) if kind[0] != "stream" or kind not in found[k - 1 : k]]

    return [(cell.execution_count, joined(cell.outputs)) for cell in code]


@pytest.fixture(scope="module")
def plugins():
    """What is first of its kind on a machine shows how its plugin is built, which is not for a notebook to keep."""
    made = read("first_steps")
    firsts = ['Template::new("").render(context! {})?', "linalg::inv(&eye::<f64>(2))?", "fft::rfft(&ones::<f64>(8))?"]
    made.cells = [nbformat.v4.new_code_cell(first + ";") for first in firsts]
    execute(made)


@pytest.mark.parametrize("name", NAMES)
def test_runs_as_it_is(name, plugins):
    made, shown = read(name), read(name)
    nbformat.validate(made)
    execute(made)
    nbformat.validate(made)
    for cell in made.cells:
        assert not any(output.output_type == "error" for output in cell.get("outputs", []))
    ran = kept(copy.deepcopy(made))
    # `UPDATE_EXPECT=1` keeps them anew.
    if os.environ.get("UPDATE_EXPECT") == "1":
        nbformat.write(ran, FOLDER / f"{name}.ipynb")
    else:
        assert kinds(ran) == kinds(shown), "it is kept with other outputs: UPDATE_EXPECT=1 keeps these"
    if name != "four_ways":
        assert any("<table" in html for html in outputs(made, "text/html")), "arrays are cards"
    if name == "arrays_and_kernels":
        figures = [svg for svg in outputs(made, "image/svg+xml") if "damped" in svg or "normal numbers" in svg]
        assert len(figures) == len(outputs(made, "image/png")) == 2
    if name == "arrays_like_numpy":
        assert len(outputs(made, "image/png")) == 4
    if name == "figures":
        assert len(outputs(made, "image/png")) == 13
        # The matrix's card has a picture too, which is no figure.
        assert len(outputs(made, "image/svg+xml")) == 14


def solutions(made):
    """The code that stands in the texts of a notebook, as solutions of its exercises."""
    texts = "\n".join(cell.source for cell in made.cells if cell.cell_type == "markdown")
    return re.findall(r"^```rust\n(.*?)^```$", texts, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", [name for name in NAMES if solutions(read(name))])
def test_its_solutions_run(name, plugins):
    made = read(name)
    made.cells += [nbformat.v4.new_code_cell(solution) for solution in solutions(made)]
    execute(made)


@pytest.mark.parametrize(
    "name, right, wrong",
    [
        ("first_steps", "a[idx] *= 2;", "a[idx] *= 3;"),
        ("source_modules", "b[i] = 2 * a[i];", "b[i] = a[i];"),
        ("four_ways", "array[i] *= factor;", "array[i] *= factor + 1;"),
        ("a_wave", "mate < 0 ? 2*e{{ i }}", "mate < 0 ? 0*e{{ i }}"),
        ("arrays_and_kernels", "y[i]*y[i]", "y[i]"),
        ("arrays_like_numpy", "set!(c[&c.gt(6)] = 0);", "set!(c[&c.gt(7)] = 0);"),
        ("kernels_in_rust", "y[i] += a * x[i];", "y[i] -= a * x[i];"),
        ("four_gpus", "0.5f * x[i] + 1;", "0.5f * x[i] + 2;"),
        ("linear_systems", "sum = 4*x[at];", "sum = 5*x[at];"),
        ("reductions_and_scans", "sums.to_vec().iter().sum::<i64>()", "sums.to_vec()[1..].iter().sum::<i64>()"),
        ("your_cpp_on_my_array", "sorted.size() / 2", "sorted.size() / 3"),
    ],
)
def test_its_assertions_can_fail(name, right, wrong):
    made = read(name)
    changed = 0
    for cell in made.cells:
        changed += cell.source.count(right)
        cell.source = cell.source.replace(right, wrong)
    assert changed, right
    with pytest.raises(CellExecutionError, match="assert"):
        execute(made)
