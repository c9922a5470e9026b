"""Messages that are wrong, too many or not read: the kernel lives and loses nothing."""

import hashlib
import hmac
import json
import random
import socket
import struct
import time

import pytest
import zmq

from conftest import TIMEOUT

# In milliseconds.
LONG = TIMEOUT * 1000


def key(kernel):
    value = kernel.manager.get_connection_info()["key"]
    return value if isinstance(value, bytes) else value.encode()


def dealer(kernel, channel="shell", kind=zmq.DEALER):
    info = kernel.manager.get_connection_info()
    result = zmq.Context.instance().socket(kind)
    result.linger = 0
    if kind == zmq.SUB:
        result.subscribe(b"")
    result.connect(f"tcp://{info['ip']}:{info[channel + '_port']}")
    return result


def signed(kernel, *parts):
    parts = [part if isinstance(part, bytes) else json.dumps(part).encode() for part in parts]
    signature = hmac.new(key(kernel), digestmod=hashlib.sha256)
    for part in parts[:4]:
        signature.update(part)
    return [b"<IDS|MSG>", signature.hexdigest().encode(), *parts]


def header(message_type, message_id="fuzz"):
    return {"msg_id": message_id, "msg_type": message_type, "session": "s", "username": "u", "version": "5.3"}


@pytest.fixture(autouse=True)
def still_whole(kernel):
    """Whatever a test has done, variables are there and cells run."""
    kernel.run("let mut whole = 42;")
    yield
    assert kernel.run("whole").result == "42"
    assert kernel.manager.is_alive()


def test_wrong_frames_are_dropped(kernel):
    good = signed(kernel, header("kernel_info_request"), {}, {}, {})
    wrong = [
        [b""],
        [b"<IDS|MSG>"],
        [b"<IDS|MSG>", b"abc"],
        good[:3],
        good[:5],
        [b"<IDS|MSG>", b"0" * 64, *good[2:]],
        [b"<IDS|MSG>", b"", *good[2:]],
        [b"<IDS|MSG>", b"zz", *good[2:]],
        signed(kernel, b"\xff\xfe", b"{}", b"{}", b"{}"),
        signed(kernel, b"[]", b"{}", b"{}", b"{}"),
        signed(kernel, b"{}", b"{}", b"{}", b"{}"),
        signed(kernel, b"[" * 200_000, b"{}", b"{}", b"{}"),
        [bytes([k % 256 for k in range(1000)])] * 50,
    ]
    for channel in ("shell", "control", "stdin"):
        client = dealer(kernel, channel)
        for frames in wrong:
            client.send_multipart(frames)
        if channel != "stdin":
            client.send_multipart(good)
            assert client.poll(LONG), "what is right is answered"
            assert client.recv_multipart()[0] == b"<IDS|MSG>"
            assert not client.poll(100), "what is wrong is not"
        client.close()


def test_wrong_contents_are_answered_with_errors(kernel):
    client = dealer(kernel)
    for content in (b"nothing", b"[]", {"code": 5}, {"code": "1", "user_expressions": [1]}, b"{" * 5000):
        client.send_multipart(signed(kernel, header("execute_request"), {}, {}, content))
        assert client.poll(LONG), content
        reply = json.loads(client.recv_multipart()[5])
        assert reply["status"] == "error", content
    client.send_multipart(signed(kernel, {"msg_id": "1", "msg_type": "execute_request"}, {}, {}, {"code": "1"}))
    assert client.poll(LONG), "what clients leave out is filled in"
    assert json.loads(client.recv_multipart()[5])["status"] == "ok"
    client.close()


def test_random_messages_do_no_harm(kernel):
    chance = random.Random(7)
    types = ["complete_request", "inspect_request", "history_request", "comm_open", "comm_msg", "comm_close"]
    types += ["comm_info_request", "is_complete_request", "input_reply", "x_request", "stream", "status"]
    values = [None, -1, 0, 2**70, 1.5, "", "é" * 100, "let a = [(", [], {}, True, {"a": {"b": []}}, "\ud83e"]
    keys = ["code", "cursor_pos", "detail_level", "hist_access_type", "n", "pattern", "session", "start", "stop"]
    keys += ["comm_id", "target_name", "data", "value", "output", "raw", "unique"]
    clients = [dealer(kernel, channel) for channel in ("shell", "control", "stdin")]
    for number in range(600):
        content = {chance.choice(keys): chance.choice(values) for _ in range(chance.randrange(6))}
        frames = signed(kernel, header(chance.choice(types), f"fuzz-{number}"), {}, {}, content)
        if chance.random() < 0.3:
            part = chance.randrange(len(frames))
            frames[part] = bytes(chance.randrange(256) for _ in range(chance.randrange(80)))
        chance.choice(clients).send_multipart(frames)
    for client in clients:
        client.close()


def test_what_is_no_zeromq_is_sent_away(kernel):
    info = kernel.manager.get_connection_info()
    greeting = b"\xff" + b"\0" * 8 + b"\x7f\x03\x00NULL" + b"\0" * 48
    greeting = greeting[:64]
    ready = b"\x04\x19\x05READY\x0bSocket-Type\0\0\0\x06DEALER"
    for channel in ("shell", "iopub", "stdin", "control", "hb"):
        for bytes_ in (
            b"GET / HTTP/1.1\r\n\r\n",
            b"\xff" * 300,
            greeting + b"\x02" + b"\xff" * 8,
            greeting + ready + b"\x02" + struct.pack(">Q", 1 << 62) + b"x",
            greeting + ready + b"\x02" + struct.pack(">Q", 1 << 40) + b"x" * 1000,
            greeting + ready + b"\x06" + struct.pack(">Q", 1 << 33),
            b"",
            greeting[:20],
        ):
            with socket.create_connection((info["ip"], info[f"{channel}_port"]), timeout=TIMEOUT) as raw:
                raw.sendall(bytes_)
                time.sleep(0.02)
    beat = dealer(kernel, "hb", zmq.REQ)
    beat.send(b"alive?")
    assert beat.poll(LONG) and beat.recv() == b"alive?"
    beat.close()


def test_huge_messages_arrive(kernel):
    code = "let long = " + json.dumps("x" * 20_000_000) + ".len();"
    # The compiler is asked for much here, and the messages for more.
    reply = kernel.client.is_complete(code)
    assert kernel.reply(reply)["content"]["status"] == "complete"
    ran = kernel.run('print!("{}", "y".repeat(50_000_000));')
    assert len(ran.text()) == 50_000_000


def test_a_slow_subscriber_holds_up_nobody_and_loses_nothing(kernel):
    slow = dealer(kernel, "iopub", zmq.SUB)
    slow.rcvhwm = 1
    slow.rcvbuf = 4096
    assert slow.poll(LONG), "it is welcome"
    begin = time.monotonic()
    # More than what fits on the way to it.
    code = 'for k in 0..300_000 { println!("{k:0>100}"); }'
    ran = kernel.run(code)
    print(f"30 MB past a reader that sleeps: {time.monotonic() - begin:.1f} s")
    expected = "".join(f"{k:0>100}\n" for k in range(300_000))
    assert ran.text() == expected
    texts = []
    while True:
        assert slow.poll(LONG)
        frames = slow.recv_multipart()
        at = frames.index(b"<IDS|MSG>")
        head, content = json.loads(frames[at + 2]), json.loads(frames[at + 5])
        if head["msg_type"] == "stream":
            texts.append(content["text"])
        if sum(map(len, texts)) >= len(expected):
            break
    assert "".join(texts) == expected
    slow.close()


def test_many_clients_come_and_go(kernel):
    for _ in range(30):
        clients = [dealer(kernel), dealer(kernel, "iopub", zmq.SUB), dealer(kernel, "control")]
        clients[0].send_multipart(signed(kernel, header("kernel_info_request"), {}, {}, {}))
        for client in clients:
            client.close()
    other = kernel.connect()
    other.wait_for_ready(timeout=TIMEOUT)
    assert kernel.run("whole + 1", client=other).result == "43"
    other.stop_channels()


def test_clients_of_one_session_get_their_own_answers(kernel):
    """Their sockets have one identity, and the end of one is not the end of the others."""

    def connect(number):
        client = kernel.connect()
        # They number their messages alike, and are told apart by that here.
        client.session.message_count = 1_000_000 * (number + 1)
        return client

    first = connect(0)
    for number in range(1, 11):
        second = connect(number)
        for client in (first, second, first):
            assert kernel.run(f"whole + {number}", client=client).result == str(42 + number)
        second.stop_channels()
    first.stop_channels()
