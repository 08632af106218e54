"""A room that is open, asked by a real client over a real socket."""

import io
import json
import os
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from kata.__main__ import main
from kata.course.curriculum import ROOT
from kata.files import state_file
from kata.live import connections, views
from kata.live.people import People, new_keys
from kata.live.post import deliver as post
from kata.live.protocol import JOIN, LEARNER, LEAVE, SHARED, SIGNATURE, WORK, signature
from kata.live.server import ROOM, closed, save
from tests.helpers.learner_folder import Run
from tests.helpers.open_room import Room, in_a_thread

EX05 = "ex05_causal_masks"
FAILED = {"exercise": EX05, "state": "failed", "held": 40, "of": 68}


@pytest.fixture
def room() -> Iterator[Room]:
    with in_a_thread(People()) as opened:
        yield opened


class Client:
    """Somebody who writes messages by hand."""

    def __init__(self, room: Room, name: str = "Ada") -> None:
        self.room = room
        status, answer = self.post(f"{JOIN}/{room.code}", {"name": name})
        assert status == 201
        found = json.loads(answer)
        self.id, self.token = found["learner"], found["token"]

    def post(self, path: str, content: object, headers: dict[str, str] | None = None):
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        return post(self.room.origin, path, body, headers or {})

    def signed(self, path: str, content: object, token: str = "") -> int:
        body = json.dumps(content).encode()
        proof = signature(token or self.token, path, body)
        return self.post(path, body, {LEARNER: self.id, SIGNATURE: proof})[0]

    def work(self, count: int, **changed: object) -> int:
        return self.signed(WORK, {"count": count, "work": [FAILED | changed]})


def test_what_is_sent_is_shown(room: Room) -> None:
    ada = Client(room)

    assert ada.work(1) == 200
    assert room.person("Ada")["standings"] == {EX05: ["failed", 40, 68]}


def test_a_code_is_read_however_it_is_typed(room: Room) -> None:
    code = room.code
    for typed in (code.lower(), "-".join(code), code.replace("0", "o").replace("1", "l")):
        assert (typed, room.ask(f"{JOIN}/{typed}", b'{"name": "Ada"}')[0]) == (typed, 201)


def test_without_the_code_nobody_joins(room: Room) -> None:
    for code in ("x", "30", b"AAAAAAAAAA".hex(), "é".encode().hex()):
        assert (code, room.ask(f"{JOIN}/{code}", b'{"name": "Eve"}')[0]) == (code, 403)
    assert room.view()["people"] == []


def test_nobody_writes_in_the_name_of_another(room: Room) -> None:
    ada, eve = Client(room), Client(room, "Eve")
    ada.work(1)

    assert ada.signed(WORK, {"count": 2, "work": [FAILED | {"held": 1}]}, token=eve.token) == 403
    assert ada.post(WORK, {"count": 2, "work": []}, {LEARNER: ada.id})[0] == 403
    assert ada.post(LEAVE, {"count": 2}, {LEARNER: "nobody"})[0] == 404
    assert room.person("Ada")["standings"][EX05][1] == 40


def test_a_signature_is_for_one_request(room: Room) -> None:
    """One for work that was read on the way does not take somebody out of the room."""
    ada = Client(room)
    body = json.dumps({"count": 1, "work": [FAILED]}).encode()
    headers = {LEARNER: ada.id, SIGNATURE: signature(ada.token, WORK, body)}

    assert ada.post(LEAVE, body, headers)[0] == 403
    assert ada.post(WORK, body, headers)[0] == 200
    assert ada.post(WORK, body, headers)[0] == 409


def test_messages_that_are_sent_again_use_up_nothing_of_their_author(room: Room) -> None:
    ada = Client(room)
    ada.work(1)

    assert {ada.work(1) for _ in range(32)} == {409}
    assert ada.work(2) == 200


def test_one_learner_cannot_send_without_end(room: Room) -> None:
    ada = Client(room)

    found = [ada.work(count) for count in range(1, 60)]

    assert 429 in found
    assert found.count(200) < 50


@pytest.mark.parametrize("path", [JOIN, WORK, SHARED, LEAVE])
def test_what_is_no_message_is_refused(room: Room, path: str) -> None:
    ada = Client(room)
    to = f"{path}/{room.code}" if path == JOIN else path
    for body in (b"x" * 300_000, b"[" * 30_000, b"", b"{}", b"\xff"):
        status, _ = ada.post(to, body, {LEARNER: ada.id, SIGNATURE: signature(ada.token, to, body)})

        assert status in {400, 413}, body[:9]
        assert [each["name"] for each in room.view()["people"]] == ["Ada"], body[:9]


def test_leaving_is_being_forgotten(room: Room) -> None:
    ada = Client(room)
    ada.work(1)

    assert ada.signed(LEAVE, {"count": 2}) == 200
    assert room.view()["people"] == []
    assert ada.work(3) == 404


def test_code_is_shown_to_the_leader_and_to_nobody_else(room: Room) -> None:
    ada = Client(room)

    assert ada.signed(SHARED, {"count": 1, "exercise": EX05, "text": "x = '<b>'"}) == 200
    assert room.person("Ada")["shown"]["text"] == "x = '<b>'"
    assert "<b>" not in str(room.view(room.projector_link))
    assert ada.signed(SHARED, {"count": 2, "exercise": EX05, "text": "x" * 40_000}) == 413
    assert ada.signed(SHARED, {"count": 3, "exercise": EX05, "text": ""}) == 200
    assert room.person("Ada")["shown"] is None


PAGES = (
    *("/", "/leader/", "/leader/x", "/leader/x/events", "/projector/x", "/projector/x/events"),
    *("/files/../app.py", "/files/%2e%2e/app.py", "/files/leader.html", "/docs", "/x"),
)


def test_without_a_key_there_is_nothing_to_see(room: Room) -> None:
    assert {path: status for path in PAGES if (status := room.ask(path)[0]) != 404} == {}


def test_the_code_is_not_the_leader(room: Room) -> None:
    ada = Client(room)

    assert room.ask(f"/leader/{room.code}")[0] == 404
    assert room.ask(f"/leader/{room.code}/remove", json.dumps({"id": ada.id}).encode())[0] == 404
    assert room.ask(f"/leader/{room.code}/close", b"{}")[0] == 404
    assert len(room.view()["people"]) == 1


def test_the_leader_can_send_somebody_out(room: Room) -> None:
    ada = Client(room)

    path = f"{urlsplit(room.leader_link).path}/remove"
    assert room.ask(path, json.dumps({"id": ada.id}).encode())[0] == 200
    assert room.view()["people"] == []
    assert ada.work(1) == 404


def head(room: Room, path: str) -> str:
    place = urlsplit(room.origin)
    with socket.create_connection((place.hostname, place.port), 10) as asked:
        asked.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        return asked.recv(2000).decode().lower().partition("\r\n\r\n")[0]


def test_pages_run_no_foreign_script_and_are_kept_nowhere(room: Room) -> None:
    for path in (f"/{room.code}", f"/leader/{room.leader}", f"/projector/{room.code}", "/x"):
        found = head(room, path)
        assert "content-security-policy: default-src 'none';" in found, path
        assert "cache-control: no-store" in found
        assert "referrer-policy: no-referrer" in found
        assert "server:" not in found
        assert "cookie" not in found


def test_the_pages_name_no_other_place() -> None:
    files = (ROOT / "kata" / "live" / "files").iterdir()
    texts = {each.name: each.read_text(encoding="utf-8") for each in files}

    assert [name for name, text in texts.items() if "://" in text] == []
    assert "innerHTML" not in "".join(texts.values())


def connect(room: Room) -> socket.socket:
    place = urlsplit(room.origin)
    return socket.create_connection((place.hostname, place.port), 10)


def test_a_request_that_does_not_end_is_cut_off(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "LONGEST_REQUEST", 0.05)
    starts = (b"", b"GET / HT", f"POST /join/{room.code} HTTP/1.1\r\nHost: x\r\n"
              f"Content-Length: 99\r\n\r\n{{".encode())  # fmt: skip
    opened = [connect(room) for _ in starts]
    for each, start in zip(opened, starts, strict=True):
        each.sendall(start)

    for each in opened:  # the client waits for ten seconds
        assert _received(each) == b""
        each.close()


def test_those_that_wait_make_room(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_PENDING", 5)
    idle = [connect(room) for _ in range(20)]

    assert Client(room).work(1) == 200
    idle[0].settimeout(2)  # sooner than a request that does not end is cut off
    assert _received(idle[0]) == b""
    for each in idle:
        each.close()


def test_wrong_requests_cost_nothing_where_somebody_has_joined(room: Room) -> None:
    """Behind one router, or a server in front, all would pay for the one who sends them."""
    ada = Client(room)
    for _ in range(40):
        assert ada.post("/join/WRONGWRONG", b"{}")[0] == 403

    assert ada.work(1) == 200


def test_strangers_are_dismissed_before_a_viewer_at_the_leaders_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(views, "MOST_VIEWERS", 3)
    gone: list[str] = []
    stream = views.Stream(People(), dict, keeps=lambda address: address == "leader")

    def opened(address: str) -> None:
        transport = SimpleNamespace(abort=lambda: gone.append(address))
        stream._viewers.append(views.Viewer(address, transport))
        if len(stream._viewers) > views.MOST_VIEWERS:
            stream._dismiss_one()
            stream._viewers[:] = [each for each in stream._viewers if each.address not in gone]

    for address in ("leader", "one", "two", "three", "four"):
        opened(address)

    assert gone == ["three", "four"]  # whoever came first stays, and so does the leader


def test_viewers_make_room_for_one_another(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest goes; browsers come back by themselves."""
    monkeypatch.setattr(views, "MOST_VIEWERS", 2)
    opened = [connect(room) for _ in range(3)]
    for each in opened:
        each.sendall(f"GET /projector/{room.code}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        while b"data: {" not in each.recv(100_000):
            pass

    ended = b"".join(iter(lambda: _received(opened[0]), b""))

    assert b"data: {" not in ended
    Client(room)
    assert b"data: {" in opened[2].recv(100_000)
    for each in opened:
        each.close()


def _received(from_: socket.socket) -> bytes:
    try:
        return from_.recv(100_000)
    except ConnectionResetError:
        return b""


def test_a_change_is_sent_at_once(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "BEAT", 600)
    ada = Client(room)
    with connect(room) as viewer:  # which waits for ten seconds
        viewer.sendall(f"GET /leader/{room.leader}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        while b"data: {" not in viewer.recv(100_000):
            pass
        ada.work(1)
        while b'"failed", 40, 68' not in viewer.recv(100_000):
            pass


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def typed(home: Path, *words: str) -> Run:
    """A command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with chdir(home), redirect_stdout(out), redirect_stderr(err):
        status = main(words)
    return Run(status, out.getvalue(), err.getvalue())


def visited(
    home: Path, monkeypatch: pytest.MonkeyPatch, visit: Callable[[Room], object], *,
    words: tuple[str, ...] = ("--keep",), end: signal.Signals = signal.SIGTERM,
) -> Run:  # fmt: skip
    """A room in this process, in which this happens before a signal ends it."""
    keys = new_keys()
    monkeypatch.setattr("kata.live.people.new_keys", lambda: keys)
    monkeypatch.setattr("kata.live.reports.read_all", lambda: None)  # takes a second
    before, visits = signal.getsignal(signal.SIGTERM), []
    with ThreadPoolExecutor(1) as beside:

        def come(link: str) -> None:
            origin, _, leader = link.partition("/leader/")
            kept = state_file(home, ROOM)
            code = json.loads(kept.read_text())["keys"]["code"] if kept.exists() else keys.code
            visits.append(beside.submit(visit, Room(origin, code, leader)))
            visits[0].add_done_callback(lambda _: os.kill(os.getpid(), end))

        monkeypatch.setattr("webbrowser.open", come)
        try:
            run = typed(home, "room", *words, "--open", "--port", "0")
        finally:
            signal.signal(signal.SIGTERM, before)
    visits[0].result()
    return run


def test_a_room_that_is_closed_leaves_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a program, too: tests/system besieges one."""
    run = visited(home, monkeypatch, lambda room: Client(room).work(1), words=(), end=signal.SIGINT)

    assert "Only this machine can reach it" in run.out
    assert (run.status, run.out.splitlines()[-1]) == (
        0, "the room is closed, and everything in it forgotten",
    )  # fmt: skip
    assert [*home.iterdir()] == []


def test_what_is_kept_survives_a_restart_until_it_is_forgotten(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, came = state_file(home, ROOM), []

    def first(room: Room) -> None:
        came.append(Client(room))
        came[0].work(1)
        came[0].signed(SHARED, {"count": 2, "exercise": EX05, "text": "x = 'mine'"})

    def again(room: Room) -> None:
        came[0].room = room
        assert room.person("Ada")["standings"] == {EX05: ["failed", 40, 68]}
        assert came[0].work(1) == 409
        assert came[0].work(3) == 200

    run = visited(home, monkeypatch, first)
    assert (run.status, "kata room --forget" in run.out.splitlines()[-1]) == (0, True)
    assert kept.stat().st_mode & 0o077 == 0
    assert "mine" not in kept.read_text()
    assert visited(home, monkeypatch, again).status == 0

    run = typed(home, "room", "--forget")
    assert (run.status, run.out.startswith("forgotten: ")) == (0, True)
    assert not kept.exists()

    run = typed(home, "room", "--forget")
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith("nothing is kept here")


def test_an_open_room_can_be_closed_from_another_process(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = visited(home, monkeypatch, lambda _: closed(state_file(home, ROOM)) or pytest.fail("no"))

    assert run.out.splitlines()[-1] == "the room is closed, and everything in it forgotten"
    assert not state_file(home, ROOM).exists()


def test_a_room_that_lies_in_the_folder_is_nobodys(home: Path) -> None:
    """Its key would be known to whoever put it there, and closing it would write to them."""
    planted = home / ".kata" / "open-room.json"
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        stranger.setblocking(False)
        origin = f"http://127.0.0.1:{stranger.getsockname()[1]}"
        save(planted, People(), new_keys(), origin)

        run = typed(home, "room", "--forget")

        with pytest.raises(BlockingIOError):
            stranger.accept()
    assert (run.status, planted.exists()) == (2, True)
    assert run.err.startswith("nothing is kept here")


def test_a_damaged_file_is_told_and_left(home: Path) -> None:
    kept = state_file(home, ROOM)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text('{"form": 1, "people": [{}]}')

    run = typed(home, "room", "--keep", "--port", "0")

    assert (run.status, run.err.count("\n")) == (2, 1)
    assert "cannot be read" in run.err
    assert kept.exists()


@pytest.mark.parametrize(("words", "text"), [
    (["--host", "192.0.2.77"], "cannot be used"),
    (["--host", "no such host"], "not an address of this machine"),
    (["--port", "99999"], "cannot be used"),
])  # fmt: skip
def test_an_address_that_cannot_be_had_is_told(home: Path, words: list[str], text: str) -> None:
    run = typed(home, "room", *words)

    assert (run.status, run.out, run.err.count("\n")) == (2, "", 1)
    assert text in run.err


def test_a_port_that_is_taken_is_told(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        run = typed(home, "room", "--port", port)

    assert (run.status, run.out) == (2, "")
    assert f"port {port} of 127.0.0.1 cannot be used" in run.err
