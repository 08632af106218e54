"""A room that is open: a real server, in a process or in a thread of its own."""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kata.course.curriculum import ROOT
from kata.live.people import Keys, People, new_keys
from kata.live.server import OpenRoom, listening

PATIENCE = 30  # seconds
STATE = "XDG_STATE_HOME"


class Room:
    """What its leader knows of a room: the links, and what they show."""

    def __init__(self, origin: str, code: str, leader: str, pid: int = 0) -> None:
        self.origin, self.code, self.leader, self.pid = origin, code, leader, pid

    @property
    def link(self) -> str:
        return f"{self.origin}/{self.code}"

    @property
    def leader_link(self) -> str:
        return f"{self.origin}/leader/{self.leader}"

    @property
    def projector_link(self) -> str:
        return f"{self.origin}/projector/{self.code}"

    def ask(self, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """The status and the content of an answer."""
        connection = HTTPConnection(urlsplit(self.origin).netloc, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request("GET" if body is None else "POST", path, body)
            answer = connection.getresponse()
            return answer.status, answer.read()

    def view(self, link: str = "") -> dict[str, Any]:
        """What a page shows now."""
        path = urlsplit(link or self.leader_link).path
        connection = HTTPConnection(urlsplit(self.origin).netloc, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request("GET", f"{path}/events")
            found: dict[str, Any] = json.loads(connection.getresponse().readline()[6:])
            return found

    def until(self, holds: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """The leader's view, once this is so."""
        end = time.monotonic() + PATIENCE
        while not holds(found := self.view()):
            assert time.monotonic() < end, found
            time.sleep(0.05)
        return found

    def person(self, name: str) -> dict[str, Any]:
        """What is shown of somebody."""
        return next(each for each in self.view()["people"] if each["name"] == name)


@contextlib.contextmanager
def in_a_thread(people: People, keys: Keys | None = None, port: int = 0) -> Iterator[Room]:
    """A room in this process, whose clock and people a test can reach."""
    socket, keys = listening("127.0.0.1", port), keys or new_keys()
    origin = f"http://127.0.0.1:{socket.getsockname()[1]}"
    room, ready = OpenRoom(people, keys, origin), threading.Event()
    thread = threading.Thread(target=room.run, args=(socket, None, ready.set), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE)
    yield Room(origin, keys.code, keys.leader)
    room.close()
    thread.join(PATIENCE)


class Command:
    """`kata room` as it is typed."""

    def __init__(self, home: Path, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "kata", "room", "--port", "0", *words],
            cwd=home, encoding="utf-8",
            env={"PYTHONPATH": str(ROOT), "PATH": "", STATE: os.environ[STATE]},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self.said = ""
        assert self.process.stdout
        for line in self.process.stdout:
            self.said += line
            if line.startswith("Ctrl-C"):
                break
        self.room = self._links()

    def _links(self) -> Room:
        origin, _, leader = self._after("you").partition("/leader/")
        code = self._after("learners").rpartition("/")[2]
        return Room(origin, code, leader, self.process.pid)

    def _after(self, word: str) -> str:
        line = next(each for each in self.said.splitlines() if each.startswith(word))
        return line.split()[-1]

    def end(self, *, signal: int | None = None) -> tuple[int, str]:
        """The status, and what else was said."""
        if signal is not None:
            self.process.send_signal(signal)
        rest, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, rest

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()
