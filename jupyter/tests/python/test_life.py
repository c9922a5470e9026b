"""Questions to the user, interrupts, the end."""

import os
import signal
import subprocess
import sys
import time

from conftest import TIMEOUT, wait_until


def test_a_cell_asks_the_user(kernel):
    for code, prompt, is_password in [
        ('let name = input("name? ");', "name? ", False),
        ('let name = input_password("key: ");', "key: ", True),
        ('print!("age? "); let mut name = String::new(); std::io::stdin().read_line(&mut name)?;', None, False),
    ]:
        message_id = kernel.client.execute(code, allow_stdin=True)
        asked = kernel.client.get_stdin_msg(timeout=TIMEOUT)
        assert asked["parent_header"]["msg_id"] == message_id
        assert asked["content"]["password"] == is_password
        if prompt is None:
            assert asked["content"]["prompt"] in ("age? ", "")
        else:
            assert asked["content"]["prompt"] == prompt
        kernel.client.input("Ferris")
        assert kernel.collect(message_id).status == "ok"
        assert kernel.run("name.trim()").result == '"Ferris"'


def test_where_nobody_can_be_asked_the_input_ends(kernel):
    ran = kernel.run("let mut s = String::new(); std::io::stdin().read_line(&mut s)?", allow_stdin=False)
    assert ran.result == "0" and "cannot be asked" in ran.text("stderr")


def test_an_interrupt_ends_a_question(kernel):
    message_id = kernel.client.execute('input("name? ");', allow_stdin=True)
    kernel.client.get_stdin_msg(timeout=TIMEOUT)
    kernel.manager.interrupt_kernel()
    assert kernel.collect(message_id).status == "error"
    assert kernel.run("1").result == "1"


def test_an_interrupt_keeps_variables(kernel):
    kernel.run("let mut steps = 0_u64; let data = arange(0..1000);")
    message_id = kernel.begin("loop { steps += 1; check_interrupt(); }")
    queued = kernel.client.execute("let never = 1;")
    assert kernel.ask("interrupt_request", {})["content"] == {"status": "ok"}
    ran = kernel.collect(message_id)
    assert (ran.status, ran.reply["ename"]) == ("error", "Interrupted")
    assert kernel.reply(queued)["content"]["status"] == "aborted"
    assert int(kernel.run("steps").result.rstrip("_u64")) > 0
    assert kernel.run("data.size()").result == "1000"


def test_impatience_ends_nothing(kernel):
    kernel.run("let precious = 1;")
    message_id = kernel.begin("loop { check_interrupt(); }")
    for _ in range(5):
        kernel.manager.interrupt_kernel()
    assert kernel.collect(message_id).reply["ename"] == "Interrupted"
    # While nothing runs, an interrupt is for nobody. The answer says that it has been heard, and those before it.
    assert kernel.ask("interrupt_request", {})["content"] == {"status": "ok"}
    assert kernel.run("precious").result == "1"


def test_an_interrupt_that_a_cell_does_not_hear_ends_the_queue(kernel, gate):
    deaf = kernel.begin(f"let kept = 5; {gate.wait}")
    queued = kernel.client.execute('println!("queued")')
    assert kernel.ask("interrupt_request", {})["content"] == {"status": "ok"}
    gate.open()
    assert kernel.collect(deaf).reply["ename"] == "Interrupted"
    assert kernel.collect(queued).reply["status"] == "aborted"
    assert kernel.run("kept").result == "5"


def test_a_command_of_the_system_is_interrupted(kernel):
    message_id = kernel.client.execute("!echo on; sleep 3600")
    kernel.wait_for(message_id, lambda m: m["msg_type"] == "stream")
    kernel.manager.interrupt_kernel()
    assert kernel.collect(message_id).reply["ename"] == "Interrupted"


def test_sigint_is_an_interrupt(new_kernel):
    kernel = new_kernel()
    kernel.run("let a = 1;")
    message_id = kernel.begin("loop { check_interrupt(); }")
    os.kill(kernel.manager.provisioner.pid, signal.SIGINT)
    assert kernel.collect(message_id).reply["ename"] == "Interrupted"
    assert kernel.run("a").result == "1"


def children(process):
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True)
    return [int(pid) for pid in listed.stdout.split()]


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_shutdown_is_answered_and_leaves_nothing(new_kernel, tmp_path):
    kernel = new_kernel()
    mark = tmp_path / "dropped"
    kernel.run("struct Mark(&'static str); impl Drop for Mark { fn drop(&mut self) { let _ = std::fs::write(self.0, \"\"); } }")
    kernel.run(f'let mark = Mark("{mark}");')
    process = kernel.manager.provisioner.pid
    others = children(process)
    assert others, "there is a worker"
    reply = kernel.ask("shutdown_request", {"restart": False})["content"]
    assert reply == {"status": "ok", "restart": False}
    wait_until(lambda: not any(map(is_alive, [process, *others])), "the kernel ends")
    assert mark.exists(), "variables are dropped"


def test_a_shutdown_ends_a_cell_that_does_not_listen(new_kernel):
    kernel = new_kernel()
    kernel.run("1")
    kernel.begin("loop {}")
    process = kernel.manager.provisioner.pid
    others = children(process)
    # It ends by itself: the manager would kill it after this time.
    kernel.manager.shutdown_wait_time = TIMEOUT
    begin = time.monotonic()
    kernel.manager.shutdown_kernel()
    assert time.monotonic() - begin < TIMEOUT / 2
    wait_until(lambda: not any(map(is_alive, [process, *others])), "the kernel ends")


def test_a_restart_forgets_and_begins_at_one(new_kernel):
    kernel = new_kernel()
    kernel.run("let a = 1;")
    kernel.manager.restart_kernel()
    kernel.client.wait_for_ready(timeout=TIMEOUT)
    ran = kernel.run("a")
    assert ran.status == "error" and ran.reply["execution_count"] == 1


def test_a_kernel_may_listen_in_the_file_system(new_kernel):
    kernel = new_kernel(transport="ipc")
    assert kernel.run("1 + 1").result == "2"


def test_a_long_folder_for_temporary_files_is_no_obstacle(new_kernel, tmp_path):
    long = tmp_path / ("x" * 120)
    long.mkdir()
    kernel = new_kernel(env=os.environ | {"TMPDIR": str(long)})
    assert kernel.run("1 + 1").result == "2"


def test_without_a_toolchain_cells_say_so(new_kernel, tmp_path):
    nowhere = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "CARGO_HOME": "/none", "RUSTUP_HOME": "/none"}
    kernel = new_kernel(env=os.environ | nowhere | {"GPUREPL_RUSTC": "/none/rustc"})
    ran = kernel.run("1")
    assert ran.status == "error" and "rustc" in ran.reply["evalue"]
    assert kernel.client.complete("zeros_", reply=True, timeout=TIMEOUT)["content"]["matches"] == ["zeros_like"]


def test_quit_ends_the_kernel(new_kernel):
    kernel = new_kernel()
    assert kernel.run(":quit").reply["payload"] == [{"source": "ask_exit", "keepkernel": False}]
    wait_until(lambda: not kernel.manager.is_alive(), "the kernel ends")


def test_the_heart_beats_while_a_cell_runs(kernel, gate):
    import zmq

    message_id = kernel.begin(gate.wait)
    socket = zmq.Context.instance().socket(zmq.REQ)
    socket.linger = 0
    info = kernel.manager.get_connection_info()
    socket.connect(f"tcp://{info['ip']}:{info['hb_port']}")
    for k in range(20):
        socket.send(b"ping %d" % k)
        assert socket.poll(TIMEOUT * 1000), "an echo comes"
        assert socket.recv() == b"ping %d" % k
    socket.close()
    gate.open()
    kernel.collect(message_id)


def test_a_kernel_whose_server_is_gone_ends(tmp_path):
    script = tmp_path / "server.py"
    script.write_text(
        "from jupyter_client.manager import start_new_kernel\n"
        "manager, client = start_new_kernel(kernel_name='gpurepl', startup_timeout=300)\n"
        "client.execute_interactive('let a = 1;', timeout=300)\n"
        "print(manager.provisioner.pid, flush=True)\n"
        "input()\n"
    )
    server = subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    process = int(server.stdout.readline())
    others = children(process)
    server.kill()
    server.wait()
    wait_until(lambda: not any(map(is_alive, [process, *others])), "the kernel ends")


def test_what_killed_kernels_leave_is_removed_by_the_next_one(new_kernel, tmp_path):
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    folders = lambda: sorted(path.name for path in tmp_path.glob("gpurepl-*"))
    killed = new_kernel(env=environment)
    assert killed.run("1 + 1").result == "2"
    left = folders()
    assert left and all((tmp_path / name).stat().st_mode & 0o777 == 0o700 for name in left)
    others = children(killed.manager.provisioner.pid)
    os.kill(killed.manager.provisioner.pid, signal.SIGKILL)
    wait_until(lambda: not any(map(is_alive, others)), "the worker ends")
    living = new_kernel(env=environment)
    assert living.run("1 + 1").result == "2"
    assert not set(left) & set(folders())
    assert living.run("2 + 2").result == "4"
