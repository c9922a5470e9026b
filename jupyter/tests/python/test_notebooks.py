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


def test_they_are_numbered():
    assert [int(name.split("_")[0]) for name in NAMES] == list(range(len(NAMES)))
    assert len(NAMES) >= 21


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
    made = read("01_first_steps")
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
    # A picture comes in both forms, of which one is kept.
    assert len(outputs(made, "image/svg+xml")) == len(outputs(shown, "image/svg+xml"))
    if name == "20_figures":
        # The matrix's card has a picture too, which is no figure, and an animation has its first one as PNG alone.
        assert len(outputs(made, "image/png")) == len(outputs(made, "image/svg+xml"))


@pytest.mark.parametrize("name", NAMES)
def test_solutions_are_hidden_until_they_are_opened(name):
    for cell in read(name).cells:
        tags = cell.metadata.get("tags", [])
        is_hidden = cell.metadata.get("jupyter", {}).get("source_hidden", False)
        assert is_hidden == bool({"solution", "check"} & set(tags)), cell.source


@pytest.mark.parametrize(
    "name, right, wrong",
    [
        ("01_first_steps", "a[idx] *= 2;", "a[idx] *= 3;"),
        ("02_source_modules", "b[i] = 2 * a[i];", "b[i] = a[i];"),
        ("03_four_ways", "array[i] *= factor;", "array[i] *= factor + 1;"),
        ("17_a_wave", "mate < 0 ? 2*e{{ i }}", "mate < 0 ? 0*e{{ i }}"),
        ("06_elementwise_kernels", "cosf(frequency * t[i])", "sinf(frequency * t[i])"),
        ("09_textures_and_memory", "tile[threadIdx.y + i][threadIdx.x + j]", "tile[threadIdx.x + i][threadIdx.y + j]"),
        ("13_when_things_go_wrong", "y[i] += by * x[i];", "y[i] += by + x[i];"),
        ("04_arrays_like_numpy", "set!(c[&c.gt(6)] = 0);", "set!(c[&c.gt(7)] = 0);"),
        ("05_kernels_in_rust", "y[i] += a * x[i];", "y[i] -= a * x[i];"),
        ("19_four_gpus", "0.5f * x[i] + 1;", "0.5f * x[i] + 2;"),
        ("16_linear_systems", "sum = 4*x[at];", "sum = 5*x[at];"),
        ("07_reductions_and_scans", "sums.to_vec().iter().sum::<i64>()", "sums.to_vec()[1..].iter().sum::<i64>()"),
        ("18_your_cpp_on_my_array", "sorted.size() / 2", "sorted.size() / 3"),
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
