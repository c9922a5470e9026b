#!/usr/bin/env python3
"""Takes docs/screenshot.png: types cells at the shell and draws what it shows.

    pip install pexpect pyte pillow
    cargo build --release -p gpurepl
    python3 docs/screenshot.py target/release/gpurepl
"""

import os
import pathlib
import sys
import tempfile

import pexpect
import pyte
from PIL import Image, ImageDraw, ImageFont

HERE = pathlib.Path(__file__).parent
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono{}.ttf"
COLUMNS, ROWS, SIZE = 100, 60, 15
CELLS = [
    "seed(2010); let a = randn::<f32>((3, 4));",
    "a",
    'let twice = SourceModule::new("__global__ void twice(float *a) { a[threadIdx.x] *= 2; }")?',
    '    .get_function("twice")?;',
    "let mut b = a.copy();",
    "twice.launch(1, 12, &mut b)?;",
    "array_equal(&b, &(2 * &a))",
    'SourceModule::new("__global__ void f(float *a) { a[0] = missing; }")?',
    "let t = linspace(0.0f32, 20.0, 1000);",
    "plot((&t, cumath::exp(-0.15 * &t) * cumath::cos(3.0 * &t)))",
]
COLOURS = {
    "default": "#d8dee9", "black": "#3b4252", "red": "#e06c75", "green": "#98c379", "brown": "#e5c07b",
    "yellow": "#e5c07b", "blue": "#61afef", "magenta": "#c678dd", "cyan": "#56b6c2", "white": "#d8dee9",
    "brightred": "#ff7b86", "brightgreen": "#b5e890", "brightblue": "#7cc7ff", "brightcyan": "#6fd3df",
    "brightblack": "#8a93a6",
}


def record(program):
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    with tempfile.TemporaryDirectory() as state:
        environment = dict(os.environ, TERM="xterm-256color", COLORTERM="truecolor", XDG_STATE_HOME=state)
        environment.pop("NO_COLOR", None)
        shell = pexpect.spawn(program, env=environment, dimensions=(ROWS, COLUMNS), timeout=60)

        def listen(seconds):
            while True:
                try:
                    stream.feed(shell.read_nonblocking(1 << 16, timeout=seconds))
                except (pexpect.TIMEOUT, pexpect.EOF):
                    return

        listen(1.0)
        for cell in CELLS:
            if cell.startswith("    "):
                # The rest of a cell, on a line of its own: Alt-Enter.
                shell.send("\x1b\r")
                listen(0.2)
            elif cell != CELLS[0]:
                shell.send("\r")
                listen(1.0)
            shell.send(cell)
            listen(0.2)
        shell.send("\r")
        listen(1.5)
        shell.close(force=True)
    return screen


def colour(name):
    return COLOURS.get(name, f"#{name}" if len(name) == 6 else COLOURS["default"])


def draw(screen):
    regular, bold = (ImageFont.truetype(FONT.format(kind), SIZE) for kind in ("", "-Bold"))
    width, height, margin = round(regular.getlength("M")), SIZE + 5, 16
    lines = max(k for k in range(ROWS) if screen.display[k].strip()) + 1
    image = Image.new("RGB", (COLUMNS * width + 2 * margin, lines * height + 2 * margin), "#20242c")
    pen = ImageDraw.Draw(image)
    for row in range(lines):
        for column in range(COLUMNS):
            cell = screen.buffer[row][column]
            left, top = margin + column * width, margin + row * height
            if cell.bg != "default":
                pen.rectangle([left, top, left + width - 1, top + height - 1], fill=colour(cell.bg))
            if cell.data == "\N{UPPER HALF BLOCK}":
                pen.rectangle([left, top, left + width - 1, top + height // 2 - 1], fill=colour(cell.fg))
            elif "\u2800" <= cell.data <= "\u28ff":
                # Few fonts of one width have dots; terminals draw them.
                for bit, (x, y) in enumerate([(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]):
                    if ord(cell.data) >> bit & 1:
                        x, y = left + (x + 0.5) * width / 2, top + (y + 0.5) * height / 4
                        pen.ellipse([x - 1.5, y - 1.5, x + 1.5, y + 1.5], fill=colour(cell.fg))
            elif cell.data.strip():
                pen.text((left, top), cell.data, fill=colour(cell.fg), font=bold if cell.bold else regular)
    image.save(HERE / "screenshot.png", optimize=True)


if __name__ == "__main__":
    draw(record(sys.argv[1]))
