"""JupyterLab and Jupyter Notebook for tests: a server of its own and a browser without a window.

`GPUREPL_TEST_CHROMIUM` names the browser, else it is looked for in `PATH`.
`GPUREPL_TEST_ARTEFACTS` names the folder for screenshots, else it is a
temporary one."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

# Cells are compiled, perhaps on a small machine that does other things too.
SECONDS = 300

# What is asked at the first start, and cells that are not in the page while they cannot be seen.
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},
}

NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium():
    """The browser's program; without one the test is ignored."""
    named = os.environ.get("GPUREPL_TEST_CHROMIUM")
    found = shutil.which(named) if named else next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        cause = os.environ.get("GPUREPL_TEST_CHROMIUM_MISSING", f"none of {', '.join(NAMES)} is in PATH")
        pytest.skip(f"needs a browser: {cause}")
    return found


def artefacts():
    """The folder for screenshots."""
    named = os.environ.get("GPUREPL_TEST_ARTEFACTS")
    folder = Path(named) if named else Path(tempfile.mkdtemp(prefix="gpurepl-lab-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(f"screenshots are in {folder}")
    return folder


@contextmanager
def server(folder, root, program):
    """A server for notebooks below `root`, with its own files in `folder`; its address."""
    settings = folder / "settings/@jupyterlab"
    for name, value in SETTINGS.items():
        path = settings / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    runtime = folder / "run"
    environment = os.environ | {
        "JUPYTERLAB_SETTINGS_DIR": str(settings.parent),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "JUPYTER_RUNTIME_DIR": str(runtime),
    }
    log = folder / "server.log"
    options = [
        "--no-browser",
        "--allow-root",
        f"--ServerApp.root_dir={root}",
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.port=0",
        "--IdentityProvider.token=",
        "--ServerApp.password=",
    ]
    with open(log, "w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", program, *options],
            env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
        )
    try:
        yield _address(process, runtime, log)
    finally:
        # Its end ends the kernels.
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _address(process, runtime, log):
    until = time.monotonic() + SECONDS
    told = runtime / f"jpserver-{process.pid}.json"
    while time.monotonic() < until and process.poll() is None:
        try:
            url = json.loads(told.read_text())["url"]
            urllib.request.urlopen(f"{url}api/status").close()
            return url
        except (OSError, ValueError):
            time.sleep(0.1)
    raise AssertionError(f"the server does not start:\n{log.read_text()}")


@contextmanager
def page():
    """A page of a browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium())
        context = browser.new_context(viewport={"width": 1100, "height": 900})
        page = context.new_page()
        page.set_default_timeout(SECONDS * 1000)
        expect.set_options(timeout=SECONDS * 1000)
        try:
            yield page
        finally:
            browser.close()


# What is opened in each of them.
NOTEBOOK = Path(__file__).resolve().parent / "arrays_and_kernels.ipynb"


@contextmanager
def opened(kind, make_folder):
    """A `Lab` or a `Notebook` before a server of its own, with a copy of the notebook."""
    chromium()
    root = make_folder("notebooks")
    shutil.copy(NOTEBOOK, root)
    with server(make_folder("server"), root, kind.program) as url, page() as browsed:
        yield kind(browsed, url, root, artefacts())


class Lab:
    """JupyterLab as somebody sees it who sits before it."""

    program = "jupyterlab"

    def __init__(self, page, url, root, pictures):
        self.page = page
        self.url = url
        self.root = root
        self.pictures = pictures

    def open(self, notebook):
        """Opens a notebook alone, with a new kernel, and waits until that is ready."""
        # Each has a workspace of its own: nothing is there from the last.
        self.page.goto(f"{self.url}lab/workspaces/{Path(notebook).stem}/tree/{notebook}?reset")
        self._make_ready()

    def new(self):
        """A notebook of the kernel, from the launcher."""
        self.page.goto(f"{self.url}lab/workspaces/new?reset")
        self.page.locator('.jp-LauncherCard[data-category="Notebook"][title^="Rust (gpurepl)"]').click()
        self._make_ready()

    def _make_ready(self):
        self.page.locator(".jp-NotebookPanel").wait_for()
        # The list of files is not to be in the picture.
        side = self.page.locator("#jp-left-stack")
        if side.is_visible():
            self.menu("View", "Appearance", "Show Left Sidebar")
            expect(side).to_be_hidden()
        self.wait_for_idle()

    def menu(self, *path):
        """Chooses something in the menus. Names may go on, as with an ellipsis."""
        self.page.locator(".lm-MenuBar-item", has_text=re.compile(f"^{path[0]}$")).click()
        for depth, name in enumerate(path[1:]):
            items = self.page.locator(".lm-Menu").nth(depth).locator(".lm-Menu-item:not(.lm-mod-hidden)")
            label = self.page.locator(".lm-Menu-itemLabel", has_text=re.compile(f"^{re.escape(name)}…?$"))
            items.filter(has=label).first.click()
        expect(self.page.locator(".lm-Menu")).to_have_count(0)

    def wait_for_idle(self):
        """Waits until the kernel has nothing to do."""
        # The indicator of the notebook is idle without a kernel too.
        expect(self.page.locator("#jp-main-statusbar")).to_contain_text("Rust (gpurepl) | Idle")

    def restart(self):
        """Chooses "Restart Kernel" and answers the dialog."""
        self.menu("Kernel", "Restart Kernel")
        # What is sent before that is for the kernel that ends.
        with self.page.expect_response(re.compile("/api/kernels/.*/restart")):
            self.page.locator(".jp-Dialog .jp-mod-accept", has_text="Restart").click()
        expect(self.page.locator(".jp-Dialog")).to_have_count(0)
        self.wait_for_idle()

    @property
    def cells(self):
        return self.page.locator(".jp-NotebookPanel .jp-CodeCell")

    def type(self, code):
        """Types into the last cell, in place of what stands there; the cell."""
        cell = self.cells.last
        cell.locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        # Not key by key: the editor would close brackets and indent.
        self.page.keyboard.insert_text(code)
        return cell

    def begin(self, code):
        """Runs a text in the last cell and opens a new one below; the cell that runs."""
        number = self.cells.count() - 1
        self.type(code)
        self.page.keyboard.press("Shift+Enter")
        expect(self.cells).to_have_count(number + 2)
        return self.cells.nth(number)

    def run(self, code):
        """Runs a text and waits for its end; the cell."""
        cell = self.begin(code)
        ended(cell)
        return cell

    def shoot(self, name, what=None):
        """Takes a picture of something, else of the page."""
        if what is not None:
            what.scroll_into_view_if_needed()
        (what or self.page).screenshot(path=self.pictures / f"{name}.png", animations="disabled")

    def is_dark(self):
        return self.page.locator("body").get_attribute("data-jp-theme-light") == "false"

    def theme(self, name):
        self.menu("Settings", "Theme", f"JupyterLab {name}")
        expect(self.page.locator("body")).to_have_attribute("data-jp-theme-name", f"JupyterLab {name}")


class Notebook(Lab):
    """Jupyter Notebook, which is made of JupyterLab's parts."""

    program = "notebook"

    def open(self, notebook):
        self.page.goto(f"{self.url}notebooks/{notebook}")
        self.wait_for_idle()

    def new(self):
        """A notebook of the kernel, from the list of files. It is in a page of its own."""
        self.page.goto(f"{self.url}tree")
        self.page.locator(".jp-FileBrowser-toolbar").get_by_text("New", exact=True).click()
        with self.page.expect_popup() as opened:
            self.page.locator(".lm-Menu-item", has_text="Rust (gpurepl)").click()
        self.page = opened.value
        self.page.set_default_timeout(SECONDS * 1000)
        self.wait_for_idle()

    def wait_for_idle(self):
        # It tells of every other state but these two, and has no class before the first.
        told = self.page.locator(".jp-NotebookKernelStatus.jp-NotebookKernelStatus-fade")
        expect(told).to_have_text("")
        expect(self.page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]')).to_have_count(1)


def outputs(cell):
    """The outputs of a cell."""
    return cell.locator(".jp-OutputArea-output")


def errors(cell):
    """The errors among the outputs of cells, and what is written to standard error."""
    return cell.locator('.jp-RenderedText[data-mime-type="application/vnd.jupyter.stderr"]')


def ended(cell):
    """Waits until a cell has run: it has its number."""
    expect(cell.locator(".jp-InputArea-prompt")).to_have_text(re.compile(r"^\[\d+\]:$"))


def is_drawn(picture):
    """Whether it has a size, and has been loaded if it is an image."""
    box = picture.bounding_box()
    is_loaded = picture.evaluate("e => e.tagName != 'IMG' || (e.complete && e.naturalWidth > 0)")
    return is_loaded and box["width"] > 200 and box["height"] > 100


def contrast(element):
    """How much the colour of a text differs from what lies behind it, as WCAG 2 measures it: 1 to 21."""
    return element.evaluate(
        """element => {
          const parts = text => text.match(/[\\d.]+/g).map(Number);
          const luminance = ([r, g, b]) => {
            const linear = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
            return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
          };
          // A colour may let another one through.
          const over = ([r, g, b, a = 1], behind) => [r, g, b].map((v, k) => v * a + behind[k] * (1 - a));
          const layers = [];
          for (let e = element; e; e = e.parentElement) layers.unshift(parts(getComputedStyle(e).backgroundColor));
          const behind = layers.reduce((page, layer) => over(layer, page), [255, 255, 255]);
          const text = luminance(over(parts(getComputedStyle(element).color), behind)), page = luminance(behind);
          return (Math.max(text, page) + 0.05) / (Math.min(text, page) + 0.05);
        }"""
    )
