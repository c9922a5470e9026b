"""What is answered without a cell, and while one runs."""

from conftest import TIMEOUT


def test_completion_and_documentation(kernel):
    kernel.run("let größe = 5;")
    reply = kernel.client.complete("let x = grö", reply=True, timeout=TIMEOUT)["content"]
    assert reply["matches"] == ["größe"]
    assert (reply["cursor_start"], reply["cursor_end"]) == (8, 11), "characters, not bytes"
    assert reply["metadata"]["_jupyter_types_experimental"][0]["type"] == "instance"
    reply = kernel.client.inspect("zeros(3)", 2, reply=True, timeout=TIMEOUT)["content"]
    assert reply["found"] and "text/plain" in reply["data"] and "text/markdown" in reply["data"]
    source = kernel.client.inspect("zeros(3)", 2, detail_level=1, reply=True, timeout=TIMEOUT)["content"]
    assert source["data"] != reply["data"]
    assert not kernel.client.inspect("qqqq", 2, reply=True, timeout=TIMEOUT)["content"]["found"]


def test_indentation(kernel):
    reply = kernel.client.is_complete("fn f() {\n    if true {")
    content = kernel.reply(reply)["content"]
    assert content == {"status": "incomplete", "indent": "        "}


def test_questions_are_answered_while_a_cell_runs(kernel, gate):
    message_id = kernel.begin(gate.wait)
    asked = [
        kernel.client.complete("let a = zeros_"),
        kernel.client.inspect("zeros", 3),
        kernel.client.is_complete("let a ="),
        kernel.client.kernel_info(),
        kernel.client.comm_info(),
        kernel.client.history(hist_access_type="tail", n=1),
    ]
    for question in asked:
        reply = kernel.reply(question)
        assert reply["content"].get("status") in ("ok", "incomplete")
    gate.open()
    ran = kernel.collect(message_id)
    states = [m["content"]["execution_state"] for m in ran.messages if m["msg_type"] == "status"]
    assert states[-1] == "idle" and set(states[:-1]) == {"busy"}


def test_every_question_ends_with_idle(kernel):
    for ask in (kernel.client.kernel_info, lambda: kernel.client.complete("zer"), kernel.client.comm_info):
        question, states = ask(), []
        while states[-1:] != ["idle"]:
            message = kernel.wait_for(question, lambda m: m["msg_type"] == "status")
            states.append(message["content"]["execution_state"])
        assert states == ["busy", "idle"]
        kernel.reply(question)


def test_history_outlives_kernels(kernel, new_kernel):
    kernel.run("let remembered = 1;")
    other = new_kernel()
    other.run("7 * 6")
    history = lambda **options: other.client.history(reply=True, timeout=TIMEOUT, **options)["content"]["history"]
    found = history(hist_access_type="search", pattern="*remembered = 1*")
    assert [entry[2] for entry in found] == ["let remembered = 1;"]
    assert history(hist_access_type="tail", n=1, output=True)[0][2] == ["7 * 6", "42"]
    session = history(hist_access_type="tail", n=1)[0][0]
    assert history(hist_access_type="range", session=0, start=1, stop=2) == [[session, 1, "7 * 6"]]


def test_usage_tells_of_the_device(kernel, gate):
    kernel.run("let big = zeros::<f32>(1 << 20);")
    content = kernel.ask("usage_request", {})["content"]
    assert content["kernel_memory"] > 1 << 20 and content["host_virtual_memory"]["total"] > 0
    assert content["device_memory"]["used"] >= 4 << 20
    message_id = kernel.begin(gate.wait)
    assert kernel.ask("usage_request", {})["content"]["device_memory"]["used"] >= 4 << 20
    gate.open()
    kernel.collect(message_id)


def test_comms_to_nothing_are_closed_and_variables_are_told(kernel):
    def comm(message_type, **content):
        message = kernel.client.session.msg(message_type, content)
        kernel.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    opened = comm("comm_open", comm_id="lost", target_name="nobody", data={})
    closed = kernel.wait_for(opened, lambda m: m["msg_type"] == "comm_close")
    assert closed["content"]["comm_id"] == "lost"
    opened = comm("comm_open", comm_id="c", target_name="gpurepl.variables", data={})
    kernel.wait_for(opened, lambda m: m["msg_type"] == "comm_msg")
    message_id = kernel.client.execute("let told = 1.5;")
    told = kernel.wait_for(message_id, lambda m: m["msg_type"] == "comm_msg")["content"]["data"]["variables"]
    assert {"name": "told", "type": "f64"}.items() <= next(v for v in told if v["name"] == "told").items()
    kernel.reply(message_id)
    info = lambda: kernel.client.comm_info(reply=True, timeout=TIMEOUT)["content"]["comms"]
    assert info() == {"c": {"target_name": "gpurepl.variables"}}
    comm("comm_close", comm_id="c", data={})
    assert info() == {}


def test_what_is_not_known_is_refused(kernel):
    reply = kernel.ask("create_subshell_request", {})
    assert reply["msg_type"] == "create_subshell_reply" and reply["content"]["status"] == "error"
    reply = kernel.ask("debug_request", {"command": "x"}, channel="control")
    assert reply["content"]["status"] == "error"
    assert kernel.ask("connect_request", {}, channel="shell")["content"]["hb_port"] > 0
    assert kernel.ask("kernel_info_request", {})["content"]["language_info"]["name"] == "rust"
