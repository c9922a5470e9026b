"""The messages of VS Code's notebooks, as its extension for Jupyter (2026.6.1) has sent them."""

from contextlib import suppress

import psutil
import pytest

from conftest import TIMEOUT, Kernel, wait_until


@pytest.fixture(scope="module")
def code():
    code = Code()
    yield code
    code.stop()


class Code(Kernel):
    """A kernel as VS Code has it."""

    def send(self, message_type, content, channel="shell"):
        """Sends as `@jupyterlab/services` does: of an older protocol, with a subshell that is none."""
        message = self.client.session.msg(message_type, content)
        message["header"] |= {"subshell_id": None, "version": "5.2"}
        getattr(self.client, f"{channel}_channel").send(message)
        return message["header"]["msg_id"]

    def cell(self, source, **options):
        content = {
            "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": True,
            "stop_on_error": False, "code": source,
        }
        return self.send("execute_request", content | options)

    def answer(self, message_id, channel="control"):
        while True:
            reply = getattr(self.client, f"{channel}_channel").get_msg(timeout=TIMEOUT)
            if reply["parent_header"]["msg_id"] == message_id:
                return reply["content"]


def test_it_asks_on_both_channels_who_the_kernel_is(code):
    controlled, asked = (code.send("kernel_info_request", {}, channel) for channel in ("control", "shell"))
    for content in (code.answer(controlled), code.reply(asked)["content"]):
        assert content["status"] == "ok"
        assert content["language_info"]["name"] == "rust"


def test_cells_go_on_after_an_error(code):
    failing, next_one = code.cell('panic!("no")'), code.cell("6 * 7")
    failed = code.collect(failing)
    (error,) = failed.of("error")
    assert error["traceback"] and failed.status == "error"
    assert code.collect(next_one).result == "42"


def test_code_of_extensions_has_no_number_and_no_history(code):
    before = code.collect(code.cell("1"))
    # VS Code's `executeSilently` is not silent: it reads the outputs.
    aside = code.collect(code.cell('println!("aside"); 5', store_history=False))
    assert (aside.text(), aside.result) == ("aside\n", "5")
    after = code.collect(code.cell("2"))
    assert after.reply["execution_count"] == before.reply["execution_count"] + 1
    tail = code.client.history(hist_access_type="tail", n=2, reply=True, timeout=TIMEOUT)["content"]["history"]
    assert [entry[2] for entry in tail] == ["1", "2"]


def test_a_question_is_asked_on_the_channel_for_it(code):
    asked = code.cell('input("name? ").len()')
    question = code.client.get_stdin_msg(timeout=TIMEOUT)
    assert question["content"] == {"prompt": "name? ", "password": False}
    assert question["parent_header"]["msg_id"] == asked
    code.send("input_reply", {"value": "Ferris", "status": "ok"}, "stdin")
    assert code.collect(asked).result == "6"


def test_a_control_is_moved_by_messages_without_metadata(code):
    ran = code.collect(code.cell('interact(|k: f64| k * 2.0, ("k", 0.0..1.0))'))
    opened = ran.of("comm_open")
    assert {content["target_name"] for content in opened} == {"jupyter.widget"}
    models = {content["data"]["state"]["_model_name"]: content["comm_id"] for content in opened}
    state = {"method": "update", "state": {"value": 0.75}, "buffer_paths": []}
    moved = code.send("comm_msg", {"comm_id": models["FloatSliderModel"], "data": state})
    told = code.wait_for(moved, lambda m: m["msg_type"] == "comm_msg")["content"]
    assert told["comm_id"] == models["OutputModel"]
    (output,) = told["data"]["state"]["outputs"]
    assert output["data"]["text/plain"] == "1.5"


def test_completion_and_documentation(code):
    code.collect(code.cell("let größe = 5;"))
    completed = code.reply(code.send("complete_request", {"code": "grö", "cursor_pos": 3}))["content"]
    assert completed["matches"] == ["größe"]
    inspected = {"code": "linspace", "cursor_pos": 8, "detail_level": 0}
    told = code.reply(code.send("inspect_request", inspected))["content"]
    assert told["found"] and "linspace" in told["data"]["text/markdown"]


def test_an_interrupt_is_a_message_and_cells_behind_it_run(code):
    code.collect(code.cell("let kept = 7;"))
    endless = code.cell('println!("on"); loop { check_interrupt(); }')
    code.wait_for(endless, lambda m: m["msg_type"] == "stream")
    assert code.answer(code.send("interrupt_request", {}, "control"))["status"] == "ok"
    (error,) = code.collect(endless).of("error")
    assert error["ename"] == "Interrupted"
    assert code.collect(code.cell("kept")).result == "7"


def test_its_processes_are_ended_by_signals_and_no_message(new_kernel):
    kernel = new_kernel()
    kernel.run("let kept = 1;")
    process = psutil.Process(kernel.manager.provisioner.pid)
    # As the extension does at the end and at a restart: first what the kernel has started.
    ended = [*process.children(recursive=True), process]
    for each in ended:
        with suppress(psutil.NoSuchProcess):
            each.terminate()
    gone = lambda each: not each.is_running() or each.status() == psutil.STATUS_ZOMBIE
    wait_until(lambda: not kernel.manager.is_alive() and all(map(gone, ended)), "a process goes on")
