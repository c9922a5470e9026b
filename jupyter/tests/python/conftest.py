"""Kernels for tests, installed in a folder of their own.

`GPUREPL_JUPYTER` names the program."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from jupyter_client.manager import KernelManager

# A hang, however busy the machine is.
TIMEOUT = 300

_folder = tempfile.TemporaryDirectory(prefix="gpurepl-jupyter-test-")
_root = Path(_folder.name)
for name, value in {
    "JUPYTER_DATA_DIR": "data",
    "JUPYTER_RUNTIME_DIR": "run",
    "JUPYTER_CONFIG_DIR": "config",
    "IPYTHONDIR": "ipython",
    "XDG_STATE_HOME": "state",
}.items():
    (_root / value).mkdir()
    os.environ[name] = str(_root / value)
os.environ.setdefault("GPUREPL_DEVICE", "host")
# The programs of this environment, as if it were active.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
PROGRAM = os.environ["GPUREPL_JUPYTER"]
subprocess.run([PROGRAM, "install"], check=True, stdout=subprocess.DEVNULL)


def pytest_runtest_logreport(report):
    """Notes what is ignored where tests of Rust note it: see `tests/support/ignored.rs`."""
    path = os.environ.get("GPUREPL_TEST_IGNORED")
    if report.skipped and path and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        with open(path, "a") as file:
            file.write(f"{reason}\tgpurepl-jupyter {report.nodeid}\n")


class Ran:
    """What came of a cell."""

    def __init__(self, reply, messages):
        self.reply = reply["content"]
        self.messages = messages

    def of(self, message_type):
        return [m["content"] for m in self.messages if m["msg_type"] == message_type]

    @property
    def status(self):
        return self.reply["status"]

    def text(self, name="stdout"):
        return "".join(c["text"] for c in self.of("stream") if c["name"] == name)

    @property
    def result(self):
        (result,) = self.of("execute_result")
        return result["data"]["text/plain"]


def is_about(message, message_id):
    """Whether a message came of a client's request. The manager counts its own
    requests from the same name of a session, so that its numbers recur."""
    parent = message["parent_header"]
    of_the_manager = ("interrupt_request", "shutdown_request")
    return parent.get("msg_id") == message_id and parent["msg_type"] not in of_the_manager


class Kernel:
    """A kernel and a client of it."""

    def __init__(self, transport="tcp", **options):
        self.manager = KernelManager(kernel_name="gpurepl", transport=transport)
        self.manager.start_kernel(**options)
        self.replies = {}
        self.client = self.connect()
        self.client.wait_for_ready(timeout=TIMEOUT)

    def connect(self):
        client = self.manager.client()
        client.start_channels()
        # What is published before it has subscribed is not for it, and a busy
        # kernel may answer its requests earlier than that.
        while client.get_iopub_msg(timeout=TIMEOUT)["msg_type"] != "iopub_welcome":
            pass
        return client

    def run(self, code, client=None, **options):
        client = client or self.client
        return self.collect(client.execute(code, **options), client)

    def collect(self, message_id, client=None):
        """Waits for the reply and for "idle"."""
        client = client or self.client
        messages = []
        while True:
            message = client.get_iopub_msg(timeout=TIMEOUT)
            if not is_about(message, message_id):
                continue
            messages.append(message)
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                break
        return Ran(self.reply(message_id, client), messages)

    def reply(self, message_id, client=None):
        client = client or self.client
        # What is answered without a cell may come before what was asked earlier.
        while message_id not in self.replies:
            reply = client.get_shell_msg(timeout=TIMEOUT)
            self.replies[reply["parent_header"]["msg_id"]] = reply
        return self.replies.pop(message_id)

    def wait_for(self, message_id, is_wanted):
        """The first message about a request that is wanted."""
        while True:
            message = self.client.get_iopub_msg(timeout=TIMEOUT)
            if is_about(message, message_id) and is_wanted(message):
                return message

    def begin(self, code, **options):
        """Runs a cell that prints "on" when it has begun, and waits for that."""
        message_id = self.client.execute(f'println!("on");\n{code}', **options)
        self.wait_for(message_id, lambda m: m["msg_type"] == "stream" and m["content"]["text"].startswith("on"))
        return message_id

    def ask(self, message_type, content, channel="control"):
        """Asks something that clients have no method for."""
        channel = getattr(self.client, f"{channel}_channel")
        message = self.client.session.msg(message_type, content)
        channel.send(message)
        while True:
            reply = channel.get_msg(timeout=TIMEOUT)
            if reply["parent_header"]["msg_id"] == message["header"]["msg_id"]:
                return reply

    def stop(self):
        self.client.stop_channels()
        if self.manager.has_kernel:
            self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def kernel():
    kernel = Kernel()
    yield kernel
    kernel.stop()


class Gate:
    """A file that cells wait for, so that a test says when they go on."""

    def __init__(self, path):
        self.path = path

    @property
    def wait(self):
        """What a cell waits by. It does not listen to interrupts."""
        path = json.dumps(str(self.path))
        return f"while !std::path::Path::new({path}).exists() {{ std::thread::sleep(std::time::Duration::from_millis(5)); }}"

    def open(self):
        self.path.touch()


@pytest.fixture
def gate(tmp_path):
    return Gate(tmp_path / "open")


@pytest.fixture
def new_kernel():
    """Kernels that a test may spoil."""
    kernels = []

    def start(**options):
        kernels.append(Kernel(**options))
        return kernels[-1]

    yield start
    for kernel in kernels:
        kernel.stop()


def wait_until(is_so, what, seconds=TIMEOUT):
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, what
        time.sleep(0.05)
