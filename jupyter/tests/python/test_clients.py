"""The programs that people run kernels with."""

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pexpect
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

SPECIFICATION = {"name": "gpurepl", "display_name": "Rust (gpurepl)", "language": "rust"}


def notebook(*cells, tags=()):
    made = nbformat.v4.new_notebook(metadata={"kernelspec": SPECIFICATION})
    made.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    for cell, of_cell in zip(made.cells, tags):
        cell.metadata["tags"] = of_cell
    return made


def write(made, path):
    nbformat.write(made, path)
    return path


def run(*command, cwd=None, fails=False):
    ran = subprocess.run(command, capture_output=True, text=True, timeout=1200, cwd=cwd)
    assert (ran.returncode != 0) == fails, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


def test_nbclient_runs_a_notebook():
    made = notebook(
        "let a = arange(0..4);",
        'println!("text");\na',
        "let h = display_handle(&1);\nh.update(&2);",
        'for _ in progress(0..3) {}',
    )
    done = NotebookClient(made, timeout=300).execute()
    assert [cell.execution_count for cell in done.cells] == [1, 2, 3, 4]
    stream, result = done.cells[1].outputs
    assert stream.text == "text\n" and result.data["text/plain"].startswith("array([0, 1, 2, 3]")
    assert done.cells[2].outputs[0].data["text/plain"] == "2"
    assert "3/3" in done.cells[3].outputs[0].data["text/plain"]
    nbformat.validate(done)


def test_nbclient_stops_at_a_failing_cell():
    made = notebook("let a = 1;", 'panic!("no further");', "let b = 2;")
    with pytest.raises(CellExecutionError, match="no further"):
        NotebookClient(made, timeout=300).execute()
    assert made.cells[2].execution_count is None
    done = NotebookClient(notebook("nothing", "1"), timeout=300, allow_errors=True).execute()
    assert done.cells[0].outputs[0].ename == "E0425" and done.cells[1].outputs[0].data["text/plain"] == "1"


def test_nbclient_interrupts_a_cell_that_takes_too_long():
    made = notebook("let kept = 7;", "loop { check_interrupt(); }", "kept")
    limit = lambda cell: 3 if "loop" in cell.source else 300
    client = NotebookClient(made, timeout_func=limit, interrupt_on_timeout=True, allow_errors=True)
    done = client.execute()
    assert done.cells[1].outputs[-1].ename == "Interrupted"
    assert done.cells[2].outputs[0].data["text/plain"] == "7"


def test_nbconvert_executes_and_exports(tmp_path):
    path = write(notebook("let a = 6;", "a * 7"), tmp_path / "good.ipynb")
    nbconvert = [sys.executable, "-m", "nbconvert"]
    run(*nbconvert, "--to", "notebook", "--execute", "--inplace", str(path))
    assert nbformat.read(path, 4).cells[1].outputs[0].data["text/plain"] == "42"
    run(*nbconvert, "--to", "html", str(path))
    assert "42" in path.with_suffix(".html").read_text()
    run(*nbconvert, "--to", "script", str(path))
    assert "a * 7" in path.with_suffix(".rs").read_text()
    # What a script's cells show is written: three values of three cells, which are not one another's operands.
    made = notebook("let a = gpu![1, 2, 3];", "a.sum()", "-7", "&a * 2")
    made.cells.insert(1, nbformat.v4.new_markdown_cell("A *text*\nof two lines"))
    made.metadata["language_info"] = {"name": "rust", "file_extension": ".rs"}
    path = write(made, tmp_path / "several.ipynb")
    run(*nbconvert, "--to", "script", str(path))
    script = path.with_suffix(".rs")
    assert "// %% [markdown]\n// A *text*\n// of two lines\n" in script.read_text()
    assert run(str(Path(os.environ["GPUREPL_JUPYTER"]).with_name("gpurepl")), str(script)).splitlines() == [
        "array(6, dtype=int64)",
        "-7",
        "array([2, 4, 6], dtype=int32)",
    ]
    path = write(notebook("let a: i32 = 1.5;"), tmp_path / "bad.ipynb")
    told = run(*nbconvert, "--to", "notebook", "--execute", str(path), fails=True)
    assert "mismatched types" in told


def test_raw_cells_are_comments_of_a_script(tmp_path):
    made = notebook("let a = 6;", "a * 7")
    made.cells.insert(1, nbformat.v4.new_raw_cell("---\ntitle: not Rust\n\n%% {x"))
    made.cells.insert(2, nbformat.v4.new_raw_cell("\\newpage", metadata={"raw_mimetype": "text/latex"}))
    made.metadata["language_info"] = {"name": "rust", "file_extension": ".rs"}
    path = write(made, tmp_path / "raw.ipynb")
    run(sys.executable, "-m", "nbconvert", "--to", "script", str(path))
    script = path.with_suffix(".rs")
    raw = "// %% [raw]\n// ---\n// title: not Rust\n// \n// %% {x\n\n"
    # What is for another format alone is left out.
    assert script.read_text() == f"// %%\nlet a = 6;\n\n{raw}// %%\na * 7\n\n"
    assert run(str(Path(os.environ["GPUREPL_JUPYTER"]).with_name("gpurepl")), str(script)) == "42\n"


def test_papermill_passes_parameters(tmp_path):
    made = notebook(
        'let n = 1;\nlet rate = 0.5;\nlet name = "default";\nlet sizes = vec![1];',
        'format!("{n} {rate} {name} {sizes:?} {flag}")',
        tags=[["parameters"], []],
    )
    made.cells.insert(1, nbformat.v4.new_code_cell("let flag = false;"))
    source, target = write(made, tmp_path / "in.ipynb"), tmp_path / "out.ipynb"
    parameters = "{n: 7, rate: 0.001, name: 'with \"quotes\"', sizes: [1, 2, 3]}"
    run(sys.executable, "-m", "papermill", str(source), str(target), "-y", parameters)
    cells = nbformat.read(target, 4).cells
    assert "injected-parameters" in cells[1].metadata["tags"]
    assert "7 0.001 with" in cells[-1].outputs[0].data["text/plain"]
    assert "[1, 2, 3] false" in cells[-1].outputs[0].data["text/plain"]
    told = run(sys.executable, "-m", "papermill", "--help-notebook", str(source))
    for line in ("n: i32 (default 1)", "rate: f64 (default 0.5)", "name: &str (default", "sizes: Vec<i32> (default"):
        assert line in told
    failing = write(notebook('panic!("stop");'), tmp_path / "bad.ipynb")
    run(sys.executable, "-m", "papermill", str(failing), str(target), fails=True)


def test_papermill_replaces_variables_that_change_and_constants(tmp_path):
    made = notebook(
        'let mut steps = 10;\nconst K: usize = 3;\nlet rows = 0..10;\nlet flag = true;\n'
        'let options: std::collections::BTreeMap<&str, f64> = std::collections::BTreeMap::from([("a", 1.0)]);',
        "steps += 1;",
        'let grid = [0; K];\nformat!("{steps} {} {rows:?} {flag} {options:?}", grid.len())',
        tags=[["parameters"], [], []],
    )
    source, target = write(made, tmp_path / "in.ipynb"), tmp_path / "out.ipynb"
    papermill = [sys.executable, "-m", "papermill", str(source), str(target)]
    passed = "-p steps 20 -p K 5 -p rows 0..5 -p flag false".split()
    run(*papermill, *passed, "-y", "options: {b: 2}")
    result = nbformat.read(target, 4).cells[-1].outputs[0].data["text/plain"]
    assert result == '"21 5 0..5 false {\\"b\\": 2.0}"'
    told = run(*papermill, "-p", "rows", "5", fails=True)
    assert 'cannot pass 5 as the parameter `rows`: its default `0..10` has the type `std::ops::Range<i32>`' in told
    assert '= help: give a text such as "0..5"' in told


def test_jupyter_console_at_a_terminal(tmp_path):
    environment = os.environ | {"TERM": "dumb", "PROMPT_TOOLKIT_NO_CPR": "1"}
    command = ["-m", "jupyter", "console", "--kernel", "gpurepl", "--simple-prompt"]
    console = pexpect.spawn(sys.executable, command, env=environment, encoding="utf-8", timeout=300, cwd=tmp_path)
    try:
        console.expect("gpurepl .*Rust cells on the GPU")
        console.expect(r"In \[1\]:")
        console.sendline("let a = arange(0..3);")
        console.expect(r"In \[2\]:")
        console.sendline("a")
        console.expect(r"array\(\[0, 1, 2\]")
        console.expect(r"In \[3\]:")
        console.sendline('let name = input("name? ");')
        console.expect(r"name\? ")
        console.sendline("Ferris")
        console.expect(r"In \[4\]:")
        console.sendline("name")
        console.expect('"Ferris"')
        console.expect(r"In \[5\]:")
        console.sendline("nothing")
        console.expect("cannot find value")
        console.expect(r"In \[6\]:")
        console.sendline(":quit")
        console.expect(pexpect.EOF)
    finally:
        console.close(force=True)


def test_install_and_uninstall(tmp_path):
    program = os.environ["GPUREPL_JUPYTER"]
    options = ["--prefix", str(tmp_path), "--name", "Other"]
    more = ["--display-name", "Other Rust", "--env", "GPUREPL_DEVICE=host"]
    run(program, "install", *options, *more)
    folder = tmp_path / "share/jupyter/kernels/other"
    told = json.loads((folder / "kernel.json").read_text())
    assert (told["display_name"], told["env"]) == ("Other Rust", {"GPUREPL_DEVICE": "host"})
    assert told["interrupt_mode"] == "message" and {f.suffix for f in folder.iterdir()} == {".json", ".svg", ".png"}
    environment = os.environ | {"JUPYTER_PATH": str(tmp_path / "share/jupyter")}
    listed = subprocess.run(
        [sys.executable, "-m", "jupyter", "kernelspec", "list"], env=environment, capture_output=True, text=True
    )
    assert "other" in listed.stdout, listed.stdout + listed.stderr
    run(program, "uninstall", *options)
    assert not folder.exists()
    assert "kernelspec list" in run(program, "uninstall", *options, fails=True)
    run(program, "install", *options, "--env", "nonsense", fails=True)
    run(program, "run", "-f", str(tmp_path / "none.json"), fails=True)
