"""The controls of `interact`, by the messages of ipywidgets. In a browser they are in `test_lab`."""

import json

VIEW = "application/vnd.jupyter.widget-view+json"


class Controls:
    """What a front end with ipywidgets knows of a cell that has shown controls."""

    def __init__(self, kernel, ran):
        self.kernel = kernel
        opened = [m for m in ran.messages if m["msg_type"] == "comm_open"]
        assert all(m["metadata"]["version"].startswith("2.") for m in opened)
        assert {m["content"]["target_name"] for m in opened} == {"jupyter.widget"}
        self.states = {m["content"]["comm_id"]: m["content"]["data"]["state"] for m in opened}
        shown = [content["data"] for content in ran.of("execute_result") + ran.of("display_data")]
        (self.data,) = [data for data in shown if VIEW in data]
        self.whole = self.states[self.data[VIEW]["model_id"]]

    def children(self):
        return [child.removeprefix("IPY_MODEL_") for child in self.whole["children"]]

    def of(self, name):
        """The models of a kind, in the order of the arguments."""
        return [id for id in self.children() if self.states[id]["_model_name"] == f"{name}Model"]

    def outputs(self):
        (output,) = self.of("Output")
        return self.states[output]["outputs"]

    def say(self, id, **data):
        session = self.kernel.client.session
        message = session.msg("comm_msg", {"comm_id": id, "data": data})
        self.kernel.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def move(self, id, **state):
        """Moves a control, and waits until the kernel is through with that."""
        asked = self.say(id, method="update", state=state, buffer_paths=[])
        while True:
            message = self.kernel.wait_for(asked, lambda m: m["msg_type"] in ("comm_msg", "status"))
            content = message["content"]
            if content.get("execution_state") == "idle":
                return
            if message["msg_type"] == "comm_msg" and content["data"]["method"] == "update":
                self.states[content["comm_id"]].update(content["data"]["state"])


def text(output):
    return output["data"]["text/plain"]


def test_a_slider_that_is_moved_calls_the_function(kernel):
    controls = Controls(kernel, kernel.run('interact(|k: f64| k * 10.0, ("k", 0.0..1.0))'))
    (slider,) = controls.of("FloatSlider")
    state = controls.states[slider]
    assert (state["min"], state["max"], state["value"], state["description"]) == (0, 1, 0.5, "k")
    assert [text(output) for output in controls.outputs()] == ["5.0"]
    # For front ends without controls.
    assert controls.data["text/plain"] == "5.0"
    controls.move(slider, value=0.75)
    assert [text(output) for output in controls.outputs()] == ["7.5"]
    # Cells go on as before, and their numbers too.
    assert kernel.run("let kept = 5; kept").result == "5"
    controls.move(slider, value=0.25)
    assert [text(output) for output in controls.outputs()] == ["2.5"]


def test_all_kinds_of_controls_and_figures(kernel):
    cell = """
    let x = linspace(0.0, 6.3, 100);
    interact(
        move |n: usize, is_grid: bool, name: &'static str| {
            println!("{n} {is_grid} {name}");
            let y = if name == "sin" { (&x * n as f64).sin() } else { (&x * n as f64).cos() };
            let figure = plot((&x, &y)).title(name);
            if is_grid { figure.grid() } else { figure }
        },
        (("n", 1..=9), false, ["sin", "cos"]),
    )"""
    ran = kernel.run(cell)
    assert ran.status == "ok", ran.reply
    controls = Controls(kernel, ran)
    assert ran.text() == "5 false sin\n"
    (number,), (check,), (names,) = controls.of("IntSlider"), controls.of("Checkbox"), controls.of("Dropdown")
    assert controls.states[names]["_options_labels"] == ["sin", "cos"]
    controls.move(names, index=1)
    controls.move(check, value=True)
    controls.move(number, value=2)
    printed, figure = controls.outputs()
    assert printed == {"output_type": "stream", "name": "stdout", "text": "2 true cos\n"}
    assert ">cos</text>" in figure["data"]["image/svg+xml"]
    assert figure["data"]["image/png"]


def test_a_function_that_fails_says_so_in_its_box_and_goes_on(kernel):
    ran = kernel.run('interact(|k: i32| { assert!(k != 3, "three is not allowed"); k }, 0..9)')
    controls = Controls(kernel, ran)
    (slider,) = controls.of("IntSlider")
    controls.move(slider, value=3)
    (output,) = controls.outputs()
    assert (output["output_type"], output["ename"]) == ("error", "Panic")
    assert "three is not allowed" in output["evalue"]
    controls.move(slider, value=5)
    assert [text(output) for output in controls.outputs()] == ["5"]
    controls.move(slider, value="far")
    assert [text(output) for output in controls.outputs()] == ["5"]


def test_a_function_that_takes_for_ever_can_be_interrupted(kernel):
    ran = kernel.run("interact(|is_endless: bool| { while is_endless { check_interrupt(); } 7 }, false)")
    controls = Controls(kernel, ran)
    (check,) = controls.of("Checkbox")
    asked = controls.say(check, method="update", state={"value": True}, buffer_paths=[])
    kernel.wait_for(asked, lambda m: m["content"].get("execution_state") == "busy")
    kernel.manager.interrupt_kernel()
    told = kernel.wait_for(asked, lambda m: m["msg_type"] == "comm_msg")
    (output,) = told["content"]["data"]["state"]["outputs"]
    assert output["ename"] == "Interrupted"
    assert kernel.run("1 + 1").result == "2"


def test_a_display_that_changes_stays_in_the_box_and_the_raw_form_nowhere(kernel):
    cell = """let shown = display_handle(&interact(|k: i32| k, 0..9));
    interact(|k: i32| { let inner = display_handle(&0); inner.update(&k); for _ in progress(0..2) {} }, 0..9)"""
    ran = kernel.run(cell)
    assert "vnd.gpurepl.interaction" not in json.dumps([m["content"] for m in ran.messages])
    controls = Controls(kernel, ran)
    (slider,) = controls.of("IntSlider")
    controls.move(slider, value=7)
    assert text(controls.outputs()[0]) == "7"
    # The same function twice has controls twice.
    ran = kernel.run("let twice = interact(|k: i32| k, 0..9); display(&twice); display(&twice);")
    assert len([m for m in ran.messages if m["msg_type"] == "comm_open"]) == 2 * 7


def test_two_interrupts_are_of_two_calls(kernel):
    ran = kernel.run("let here = 5; interact(|is_endless: bool| { while is_endless { check_interrupt(); } 7 }, false)")
    controls = Controls(kernel, ran)
    (check,) = controls.of("Checkbox")
    for _ in range(2):
        asked = controls.say(check, method="update", state={"value": True}, buffer_paths=[])
        kernel.wait_for(asked, lambda m: m["content"].get("execution_state") == "busy")
        kernel.manager.interrupt_kernel()
        kernel.wait_for(asked, lambda m: m["content"].get("execution_state") == "idle")
        controls.move(check, value=False)
    ran = kernel.run("here")
    assert (ran.result, ran.text("stderr")) == ("5", "")


def test_who_comes_later_asks_for_all_models(kernel):
    controls = Controls(kernel, kernel.run("interact(|k: f32| k, 1.0..2.0)"))
    session = kernel.client.session
    opened = session.msg("comm_open", {"comm_id": "ask", "target_name": "jupyter.widget.control", "data": {}})
    kernel.client.shell_channel.send(opened)
    asked = controls.say("ask", method="request_states")
    told = kernel.wait_for(asked, lambda m: m["msg_type"] == "comm_msg")["content"]["data"]
    assert told["method"] == "update_states"
    for id, state in controls.states.items():
        assert told["states"][id]["state"] == state
        assert told["states"][id]["model_name"] == state["_model_name"]
    listed = kernel.ask("comm_info_request", {"target_name": "jupyter.widget"}, channel="shell")
    assert set(controls.states) <= set(listed["content"]["comms"])
    json.dumps(told)


def test_after_a_restart_of_the_worker_the_box_says_what_to_do(new_kernel):
    kernel = new_kernel()
    controls = Controls(kernel, kernel.run("interact(|k: i32| k, 0..9)"))
    kernel.run("unsafe { std::ptr::null_mut::<i32>().write_volatile(1) }")
    (slider,) = controls.of("IntSlider")
    controls.move(slider, value=2)
    (output,) = controls.outputs()
    assert output["output_type"] == "error" and "run the cell again" in output["evalue"]


def test_a_line_of_text_is_an_argument(kernel):
    controls = Controls(kernel, kernel.run('interact(|name: String| name.len(), ("name", "four"))'))
    (line,) = controls.of("Text")
    assert (controls.states[line]["value"], text(controls.outputs()[0])) == ("four", "4")
    controls.move(line, value="three")
    assert text(controls.outputs()[0]) == "5"


def test_a_figure_is_drawn_anew_for_the_part_that_is_shown(kernel):
    ran = kernel.run("let x = linspace(0.0, 100.0, 100_000); plot((&x, &x.sin())).interactive()")
    controls = Controls(kernel, ran)
    # The figure is an output of its own: without a kernel it stays.
    (shown,) = [content["data"] for content in ran.of("execute_result")]
    assert "<script>" in shown["text/html"] and VIEW not in shown
    assert shown["image/svg+xml"] and shown["image/png"]
    (line,), (answer,) = controls.of("Text"), controls.of("HTML")
    for model, end in [(line, "-ask"), (answer, "-answer")]:
        (name,) = controls.states[model]["_dom_classes"]
        assert name.endswith(end) and f'"{name.removesuffix(end)}"' in shown["text/html"]
        layout = controls.states[controls.states[model]["layout"].removeprefix("IPY_MODEL_")]
        assert layout["display"] == "none"
    controls.move(line, value="own-1;0 50 51 -1 1")
    drawn = controls.states[answer]["value"]
    assert drawn.startswith("<svg") and 'data-token="own-1"' in drawn
    assert "&quot;from&quot;:5e1,&quot;to&quot;:5.1e1" in drawn
    # What a page may send and is no part of the axes leaves the picture.
    controls.move(line, value="own-2;0 1 1 nothing 1")
    assert controls.states[answer]["value"].startswith("interactive: these are not ends of axes")


def test_cells_open_and_hear_comms(kernel):
    cell = """
    let line = comm::open("my.plots", r#"{"title": "Roots"}"#);
    let answer = line.clone();
    line.on_message(move |message| { println!("heard {message}"); answer.send(r#"{"is": "heard"}"#) });
    comm::on_open("my.sliders", |line, first| { println!("opened with {first}"); line.close() });
    """
    ran = kernel.run(cell)
    assert ran.status == "ok", ran.reply
    (opened,) = ran.of("comm_open")
    assert (opened["target_name"], opened["data"]) == ("my.plots", {"title": "Roots"})
    session, channel = kernel.client.session, kernel.client.shell_channel

    def say(kind, **content):
        message = session.msg(kind, content)
        channel.send(message)
        heard = []
        while not heard or heard[-1]["content"].get("execution_state") != "idle":
            heard.append(kernel.wait_for(message["header"]["msg_id"], lambda m: True))
        return [m for m in heard if m["msg_type"].startswith("comm_")]

    (answer,) = say("comm_msg", comm_id=opened["comm_id"], data={"value": 3})
    assert answer["content"]["data"] == {"is": "heard"}
    (closed,) = say("comm_open", comm_id="front", target_name="my.sliders", data={"a": 1})
    assert (closed["msg_type"], closed["content"]["comm_id"]) == ("comm_close", "front")
    assert "cannot be sent" in kernel.run("line.send(\"3\")").text("stderr")
    # Functions stay while other cells run.
    assert kernel.run("1 + 1").result == "2"
