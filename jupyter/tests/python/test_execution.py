"""Cells: what is counted, shown, told and aborted."""

import json
import time

import pytest

from conftest import TIMEOUT, Gate


def test_the_first_cell_is_number_one(new_kernel):
    kernel = new_kernel()
    ran = kernel.run("let a = 1;")
    assert ran.reply["execution_count"] == 1
    assert ran.of("execute_input") == [{"code": "let a = 1;", "execution_count": 1}]
    assert kernel.run("a + 1").result == "2"
    assert kernel.run(":vars").reply["execution_count"] == 3
    assert kernel.run("Out[2] + 1").result == "3"


def test_messages_come_in_order(kernel):
    ran = kernel.run('println!("out"); eprintln!("err"); display(&1); println!("more"); 2')
    kinds = [m["msg_type"] for m in ran.messages]
    assert kinds == [
        "status",
        "execute_input",
        "stream",
        "stream",
        "display_data",
        "stream",
        "execute_result",
        "status",
    ]
    assert (ran.text(), ran.text("stderr"), ran.result) == ("out\nmore\n", "err\n", "2")


def test_silent_cells_leave_no_trace(kernel):
    count = kernel.run("1").reply["execution_count"]
    ran = kernel.run("let silent = 5; silent", silent=True)
    assert ran.status == "ok" and not ran.of("execute_input") and not ran.of("execute_result")
    ran = kernel.run("silent + 1", store_history=False)
    assert ran.result == "6"
    assert kernel.run("_").result == "1", "their values are not kept"
    assert kernel.run("1").reply["execution_count"] == count + 2
    history = kernel.client.history(hist_access_type="tail", n=3, reply=True, timeout=TIMEOUT)["content"]["history"]
    assert [entry[2] for entry in history] == ["1", "_", "1"]


def test_expressions_are_answered_beside_a_cell(kernel):
    expressions = {"good": "x + 1", "bad": "nothing", "unit": "()"}
    reply = kernel.run("let x = 41;", user_expressions=expressions).reply["user_expressions"]
    assert reply["good"]["status"] == "ok" and reply["good"]["data"]["text/plain"] == "42"
    assert reply["bad"]["status"] == "error" and reply["bad"]["ename"] == "E0425"
    assert reply["unit"]["status"] == "ok"
    assert kernel.run("nothing", user_expressions={"a": "1"}).reply["user_expressions"] == {}


def test_cells_behind_one_that_fails_are_aborted(kernel):
    for failing in ["nothing", ":nothing", 'panic!("x")']:
        ids = [kernel.client.execute(code) for code in [failing, "let late = 1;", "2"]]
        statuses = [kernel.reply(message_id)["content"]["status"] for message_id in ids]
        assert statuses == ["error", "aborted", "aborted"], failing
    assert kernel.run("late").status == "error"
    ids = [kernel.client.execute("nothing", stop_on_error=False), kernel.client.execute("let late = 2;")]
    assert [kernel.reply(message_id)["content"]["status"] for message_id in ids] == ["error", "ok"]


@pytest.mark.parametrize(
    ("code", "name", "value"),
    [
        ("let a: i32 =\n    \"text\";", "E0308", "mismatched types"),
        ("let v = vec![1];\nlet n = 5;\nv[n]", "Panic", "index out of bounds"),
        ('"x".parse::<i32>()?;', "Error", "InvalidDigit"),
        ("let a = zeros::<f32>(3);\nlet b = zeros::<f32>(4);\nlet c = &a + &b;\nc", "Error", "shape"),
        ("let a = )", "CompileError", ""),
    ],
)
def test_errors_name_the_users_lines(kernel, code, name, value):
    ran = kernel.run(code)
    (error,) = ran.of("error")
    assert ran.status == "error"
    assert {key: ran.reply[key] for key in ("ename", "evalue", "traceback")} == error
    assert error["ename"] == name and value in error["evalue"], error
    traceback = "\n".join(error["traceback"])
    assert "\x1b[" in traceback and f"cell {ran.reply['execution_count']}:" in traceback
    assert not ran.of("stream")


def test_a_crash_is_told_and_the_kernel_lives(kernel):
    kernel.run("let kept = 3;")
    ran = kernel.run("unsafe { std::ptr::null_mut::<i32>().write_volatile(1) }")
    (error,) = ran.of("error")
    assert (ran.status, error["ename"]) == ("error", "WorkerLost")
    assert kernel.run("kept").result == "3", "a replay has brought it back"


def test_ten_thousand_lines_come_whole_and_in_few_messages(kernel):
    kernel.run('println!("warm");')
    begin = time.monotonic()
    ran = kernel.run('for k in 0..10_000 { println!("line {k}"); }')
    print(f"10000 lines: {time.monotonic() - begin:.3f} s")
    assert ran.text() == "".join(f"line {k}\n" for k in range(10_000))
    assert len(ran.of("stream")) < 100


def test_output_comes_while_the_cell_runs(kernel, gate):
    message_id = kernel.client.execute(f'print!("50%\\r"); {gate.wait} println!("done");')
    first = kernel.wait_for(message_id, lambda m: m["msg_type"] == "stream")
    assert first["content"]["text"] == "50%\r"
    gate.open()
    kernel.collect(message_id)


def test_bytes_that_are_no_text_are_replaced(kernel):
    ran = kernel.run('use std::io::Write; std::io::stdout().write_all(b"a\\xffb\\n")?;')
    assert ran.text() == "a\ufffdb\n"


def test_displays_are_updated_and_cleared(kernel):
    ran = kernel.run("let h = display_handle(&1); h.update(&2); clear_output(true);")
    (shown,), (updated,) = ran.of("display_data"), ran.of("update_display_data")
    assert shown["transient"] == updated["transient"] and shown["transient"]["display_id"]
    assert updated["data"]["text/plain"] == "2"
    assert ran.of("clear_output") == [{"wait": True}]
    later = kernel.run("h.update(&3);").of("update_display_data")
    assert later[0]["transient"] == shown["transient"]


def test_progress_has_forms_for_every_front_end(kernel):
    ran = kernel.run('for _ in progress(0..3).message("summing") {}')
    bundles = [m["data"] for m in ran.of("display_data") + ran.of("update_display_data")]
    assert all({"text/plain", "text/html"} <= set(bundle) for bundle in bundles)
    assert "3/3" in bundles[-1]["text/plain"] and "summing" in bundles[-1]["text/html"]
    state = bundles[-1]["application/vnd.gpurepl.progress+json"]
    assert state["done"] == 3, "JSON travels as JSON"


def test_what_threads_print_appears_below_their_cell(kernel, gate):
    code = f'std::thread::spawn(|| {{ {gate.wait} println!("from afar"); }});'
    message_id = kernel.client.execute(code)
    kernel.collect(message_id)
    gate.open()
    late = kernel.wait_for(message_id, lambda m: m["msg_type"] == "stream")
    assert late["content"]["text"] == "from afar\n"


def test_what_threads_show_and_clear_is_their_cells(kernel, gate, tmp_path):
    over = Gate(tmp_path / "over")
    late = 'display(&"late"); clear_output(true); display(&"last");'
    tell = f"std::fs::write({json.dumps(str(over.path))}, \"\").unwrap();"
    first = kernel.client.execute(f"std::thread::spawn(|| {{ {gate.wait} {late} {tell} }}); 7")
    kernel.collect(first)
    second = kernel.begin(over.wait)
    gate.open()
    about = []
    while not about or about[-1]["msg_type"] != "status" or about[-1]["content"]["execution_state"] != "idle":
        message = kernel.client.get_iopub_msg(timeout=TIMEOUT)
        if message["parent_header"]["msg_id"] == second and message["msg_type"] == "status":
            about.append(message)
        elif message["msg_type"] in ("display_data", "clear_output"):
            assert message["parent_header"]["msg_id"] == first, message
            about.append(message)
    kernel.reply(second)
    kinds = [message["msg_type"] for message in about if message["msg_type"] != "status"]
    assert kinds == ["display_data", "clear_output", "display_data"]


def test_what_threads_show_while_the_next_cell_compiles_is_their_cells(kernel, tmp_path):
    over, ended = Gate(tmp_path / "over"), Gate(tmp_path / "ended")
    tell = f"std::fs::write({json.dumps(str(ended.path))}, \"\").unwrap();"
    is_over = f"std::path::Path::new({json.dumps(str(over.path))}).exists()"
    show = f"let mut k = 0u64; loop {{ let is_last = {is_over}; display(&k); k += 1; if is_last {{ break; }} }} {tell}"
    first = kernel.client.execute(f"std::thread::spawn(|| {{ {show} }}); 7")
    # Displays go on while this cell waits, while it is compiled, and until it runs: one is made then.
    second = kernel.client.execute(f'std::fs::write({json.dumps(str(over.path))}, "").unwrap(); {ended.wait}')
    shown, has_begun, after = [], False, 0
    while True:
        message = kernel.client.get_iopub_msg(timeout=TIMEOUT)
        about = message["parent_header"]["msg_id"]
        if message["msg_type"] == "display_data":
            assert about == first, (message["content"]["data"], "belongs to the cell that has started the thread")
            shown.append(int(message["content"]["data"]["text/plain"]))
            after += has_begun
        if about == second and message["msg_type"] == "status":
            if message["content"]["execution_state"] == "idle":
                break
            has_begun = True
    kernel.reply(first), kernel.reply(second)
    assert shown == list(range(len(shown))) and after > 0


def test_what_threads_print_while_the_next_cell_compiles_is_their_cells(kernel, tmp_path):
    over, ended = Gate(tmp_path / "over"), Gate(tmp_path / "ended")
    tell = f"std::fs::write({json.dumps(str(ended.path))}, \"\").unwrap();"
    is_over = f"std::path::Path::new({json.dumps(str(over.path))}).exists()"
    pause = "std::thread::sleep(std::time::Duration::from_millis(1));"
    print_ = f"let mut k = 0u64; loop {{ let is_last = {is_over}; println!(\"{{k}}\"); k += 1; {pause} if is_last {{ break; }} }} {tell}"
    first = kernel.client.execute(f"std::thread::spawn(|| {{ {print_} }}); 7")
    second = kernel.client.execute(f'std::fs::write({json.dumps(str(over.path))}, "").unwrap(); {ended.wait}')
    printed, has_begun, after = "", False, 0
    while True:
        message = kernel.client.get_iopub_msg(timeout=TIMEOUT)
        about = message["parent_header"]["msg_id"]
        if message["msg_type"] == "stream":
            assert about == first, (message["content"], "belongs to the cell that has started the thread")
            printed += message["content"]["text"]
            after += has_begun
        if about == second and message["msg_type"] == "status":
            if message["content"]["execution_state"] == "idle":
                break
            has_begun = True
    kernel.reply(first), kernel.reply(second)
    lines = printed.split()
    assert lines == [str(k) for k in range(len(lines))] and after > 0


def test_a_bar_stands_before_what_its_loop_prints(kernel):
    for _ in range(8):
        ran = kernel.run('for x in progress(0..3).message("m") { println!("{x}") }')
        kinds = [m["msg_type"] for m in ran.messages if m["msg_type"] in ("display_data", "stream")]
        assert kinds[0] == "display_data", kinds


def test_a_text_of_many_brackets_ends_no_kernel(kernel):
    kernel.run("let precious = 1;")
    for text in ("{" * 4000 + "}" * 4000, "1" + "+1" * 20000, "a." * 50000, "Vec<" * 3000, "(" * 100000):
        assert kernel.ask("is_complete_request", {"code": text}, "shell")["content"]["status"] in (
            "complete", "incomplete", "invalid")
        for asked in ("complete_request", "inspect_request"):
            content = {"code": text, "cursor_pos": len(text), "detail_level": 0}
            assert kernel.ask(asked, content, "shell")["content"]["status"] == "ok"
    ran = kernel.run("{" * 20000 + "}" * 20000)
    assert ran.status == "error" and "too deeply nested" in ran.reply["evalue"]
    assert kernel.run("precious").result == "1"


def test_a_bundle_shows_all_its_forms(kernel):
    (data,) = kernel.run('MimeBundle::text("b").with("text/html", "<b>b</b>")').of("execute_result")
    assert data["data"] == {"text/plain": "b", "text/html": "<b>b</b>"}
    (data,) = kernel.run("Some(Box::new(arange(0..3)))").of("execute_result")
    assert data["data"]["text/plain"].startswith("Some(array([0, 1, 2]") and "text/html" in data["data"]


def test_commands_and_the_systems_commands(kernel):
    assert "vars" in kernel.run(":help").of("display_data")[0]["data"]["text/plain"]
    (page,) = kernel.run("zeros?").reply["payload"]
    assert page["source"] == "page" and "zeros" in page["data"]["text/plain"]
    ran = kernel.run("!echo out; echo err >&2\n1 + 1")
    assert (ran.text(), ran.text("stderr"), ran.result) == ("out\n", "err\n", "2")
    assert kernel.run("!exit 3").status == "error"
    assert kernel.run("%%bash\nfor k in 1 2; do echo $k; done").text() == "1\n2\n"


def test_blank_cells_count_for_nothing(kernel):
    count = kernel.run("1").reply["execution_count"]
    assert kernel.run("  \n").status == "ok"
    assert kernel.run("1").reply["execution_count"] == count + 1


def test_a_plugin_is_built_while_a_cell_waits(kernel):
    ran = kernel.run('let plugin = extend::plugin("example")?;')
    assert ran.status == "ok", ran.messages
    # The worker is the same, and goes on.
    ran = kernel.run('plugin.perform("scale", &[], &[]).unwrap_err().to_string().contains("takes one number")')
    assert ran.result == "true"
