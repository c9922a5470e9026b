#!/usr/bin/env python3
"""How long a user waits: for the prompt, for the first array, for a cell.

    cargo build --release -p gpurepl
    python3 tests/benches/latency.py target/release/gpurepl [--evcxr evcxr] [--python python3]

Programs run in a pseudo-terminal, as they do for a user, and all of them in
turn in one run: a cell's time is from Enter to the next prompt. With --evcxr
(`cargo install evcxr_repl`) the same cells run there too, with the same
prelude as `:dep`, once as it comes and once with `:opt 0`. With --python the
same work runs in IPython with CuPy and with PyCUDA, as far as that Python has
them (`--simple-prompt`, which does not colour what is typed: the quicker way).
Needs nothing but Python; prints Markdown.
"""

import argparse
import os
import pathlib
import pty
import re
import select
import signal
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]")

# What both shells ask with; `Out[3]: ` is not it.
PROMPT = re.compile(rb"In \[\d+\]: ")

# Each is typed anew at each turn, with a number in it, so that nothing is
# compiled twice.
CELLS = [
    ("an expression", "{k} + 2"),
    ("`let`", "let v{k} = vec![{k}, 2, 3];"),
    ("a call of a method", "v0.iter().sum::<i32>() + {k}"),
    ("`println!`", 'println!("{{}}", {k});'),
    ("a function", "fn f{k}(x: i32) -> i32 {{ x * {k} }}"),
    ("an array", "let a{k} = arange(0..{k}+10);"),
    ("an array expression, shown", "&x * {k} + 1"),
    ("a reduction", "(&x + {k}).sum().item()"),
]

# The same work in Python.
PYTHON_CELLS = {
    "an expression": "{k} + 2",
    "`let`": "v{k} = [{k}, 2, 3]",
    "a call of a method": "sum(v0) + {k}",
    "`println!`": "print({k})",
    "a function": "f{k} = lambda x: x * {k}",
    "an array": "a{k} = arange({k} + 10)",
    "an array expression, shown": "x * {k} + 1",
    "a reduction": "total(x + {k})",
}

# The names that the cells use, and a program of its own for the start.
PYTHON_LIBRARIES = {
    "CuPy": (
        ["import cupy", "arange = cupy.arange", "total = lambda a: int(a.sum())"],
        "import cupy; print(cupy.arange(10) * 2)",
    ),
    "PyCUDA": (
        [
            "import pycuda.autoinit, numpy, pycuda.gpuarray as ga",
            "arange = lambda n: ga.arange(0, n, dtype=numpy.int32)",
            "total = lambda a: int(ga.sum(a).get())",
        ],
        "import pycuda.autoinit, numpy, pycuda.gpuarray as ga; print(ga.arange(0, 10, dtype=numpy.int32) * 2)",
    ),
}


class Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, command, prompt, environment=None):
        self.prompt, self.seen = prompt, b""
        self.started = time.perf_counter()
        self.process, self.file = pty.fork()
        if self.process == 0:
            os.environ.update(environment or {}, TERM="xterm", NO_COLOR="1")
            os.execvp(command[0], command)
        subprocess.run(["stty", "rows", "40", "cols", "150"], stdin=self.file, check=False)

    def wait(self, what, limit=600):
        """Reads until a text has come; returns the time when it had."""
        end = time.perf_counter() + limit
        while True:
            text = ESCAPES.sub(b"", self.seen)
            found = list(re.finditer(what if isinstance(what, re.Pattern) else re.escape(what), text))
            if found:
                self.seen = text[found[-1].end():]
                return time.perf_counter()
            left = end - time.perf_counter()
            if left <= 0 or not select.select([self.file], [], [], left)[0]:
                raise TimeoutError(f"no {what!r} in {text[-400:]!r}")
            try:
                self.seen += os.read(self.file, 1 << 16)
            except OSError:
                raise EOFError(f"ended before {what!r}: {text[-400:]!r}") from None

    def cell(self, text):
        """Types a cell; returns the time from Enter to the next prompt."""
        os.write(self.file, text.encode())
        # The editor has taken all of it when nothing more comes back.
        while select.select([self.file], [], [], 0.02)[0]:
            os.read(self.file, 1 << 16)
        self.seen = b""
        start = time.perf_counter()
        os.write(self.file, b"\r")
        return self.wait(self.prompt) - start

    def close(self):
        try:
            os.kill(self.process, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.close(self.file)
        os.waitpid(self.process, 0)


def milliseconds(seconds):
    return f"{statistics.median(seconds) * 1000:.0f}"


def spread(seconds):
    return f"{min(seconds) * 1000:.0f}-{max(seconds) * 1000:.0f}"


def starts(gpurepl, turns):
    """From starting the process to its prompt, and to the first array."""
    prompts, arrays = [], []
    for _ in range(turns):
        terminal = Terminal([gpurepl], PROMPT)
        prompts.append(terminal.wait(b"In [1]: ") - terminal.started)
        terminal.close()
        start = time.perf_counter()
        result = subprocess.run([gpurepl, "-e", "arange(0..10) * 2"], capture_output=True, text=True, check=True)
        arrays.append(time.perf_counter() - start)
        assert "array([ 0,  2," in result.stdout, result
    return prompts, arrays


def start_of_evcxr(evcxr, prelude, folder):
    """From starting evcxr to an array, its dependencies built before."""
    start = time.perf_counter()
    terminal = Terminal([evcxr], b">> ", {"HOME": os.environ.get("HOME", folder)})
    terminal.wait(b">> ")
    terminal.cell(f':dep gpurepl-prelude = {{ path = "{prelude}" }}')
    terminal.cell("use gpurepl_prelude::*;")
    terminal.cell("arange(0..10) * 2")
    took = time.perf_counter() - start
    terminal.close()
    return took


class Python(Terminal):
    """IPython, with the names of one library."""

    def __init__(self, python, setup):
        super().__init__([python, "-m", "IPython", "--simple-prompt", "--no-banner", "--colors=NoColor"], PROMPT)
        self.wait(b"In [1]: ")
        for line in setup:
            self.cell(line)


def has(python, library):
    module = {"CuPy": "cupy", "PyCUDA": "pycuda.autoinit"}[library]
    found = subprocess.run([python, "-c", f"import IPython, {module}"], capture_output=True, text=True, check=False)
    if found.returncode:
        print(f"{library} is left out: {found.stderr.strip().splitlines()[-1:]}")
    return found.returncode == 0


def starts_in_turns(gpurepl, python, libraries, turns):
    """From starting each process to its first array, in turns."""
    commands = {"gpurepl": [gpurepl, "-e", "arange(0..10) * 2"]}
    for library in libraries:
        commands[library] = [python, "-c", PYTHON_LIBRARIES[library][1]]
    times = {name: [] for name in commands}
    for turn in range(turns + 1):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, capture_output=True, check=True)
            if turn > 0:
                times[name].append(time.perf_counter() - start)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gpurepl")
    parser.add_argument("--evcxr", help="the program of evcxr_repl, to compare with")
    parser.add_argument("--python", help="a Python with IPython, and CuPy or PyCUDA, to compare with")
    parser.add_argument("--turns", type=int, default=15)
    arguments = parser.parse_args()
    gpurepl = str(pathlib.Path(arguments.gpurepl).resolve())
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        subprocess.run([gpurepl, "-e", "1"], capture_output=True, check=True)  # The store is warm.
        prompts, arrays = starts(gpurepl, arguments.turns)
        print("| from the start of the process | median ms | least-most |\n|---|---|---|")
        print(f"| to the prompt | {milliseconds(prompts)} | {spread(prompts)} |")
        print(f"| to the first array, shown (`-e`) | {milliseconds(arrays)} | {spread(arrays)} |")
        programs = {"gpurepl": Terminal([gpurepl], PROMPT)}
        programs["gpurepl"].wait(b"In [1]: ")
        if arguments.evcxr:
            for name, setting in [("evcxr", None), ("evcxr, `:opt 0`", ":opt 0")]:
                terminal = Terminal([arguments.evcxr], b">> ")
                terminal.wait(b">> ")
                if setting:
                    terminal.cell(setting)
                terminal.cell(f':dep gpurepl-prelude = {{ path = "{ROOT / "prelude"}" }}')
                terminal.cell("use gpurepl_prelude::*;")
                programs[name] = terminal
            evcxr = [start_of_evcxr(arguments.evcxr, ROOT / "prelude", folder) for _ in range(3)]
            print(f"| evcxr to the first array, dependencies built before | {milliseconds(evcxr)} | {spread(evcxr)} |")
        if arguments.python:
            libraries = [library for library in PYTHON_LIBRARIES if has(arguments.python, library)]
            started = starts_in_turns(gpurepl, arguments.python, libraries, arguments.turns)
            for name, took in started.items():
                print(f"| {name}, to the first array, in turns | {milliseconds(took)} | {spread(took)} |")
            for library in libraries:
                programs[f"IPython, {library}"] = Python(arguments.python, PYTHON_LIBRARIES[library][0])
        times = {name: {title: [] for title, _ in CELLS} for name in programs}
        for name, terminal in programs.items():
            is_python = isinstance(terminal, Python)
            terminal.cell("v0 = [1, 2, 3]" if is_python else "let v0 = vec![1, 2, 3];")
            terminal.cell("x = arange(1000)" if is_python else "let x = arange(0..1000);")
        for turn in range(arguments.turns + 1):
            for title, text in CELLS:
                for name, terminal in programs.items():
                    typed = PYTHON_CELLS[title] if isinstance(terminal, Python) else text
                    took = terminal.cell(typed.format(k=turn + 1))
                    if turn > 0:  # The first turn warms up.
                        times[name][title].append(took)
        print("\n| cell, from Enter to the next prompt, median ms (least-most) | " + " | ".join(programs) + " |")
        print("|---|" + "---|" * len(programs))
        for title, text in CELLS:
            row = [f"{milliseconds(times[name][title])} ({spread(times[name][title])})" for name in programs]
            print(f"| {title}: `{text.format(k=1)}` | " + " | ".join(row) + " |")
        for terminal in programs.values():
            terminal.close()


if __name__ == "__main__":
    main()
