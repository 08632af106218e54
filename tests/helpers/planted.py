"""Folders that somebody else has prepared: what they plant, and whether any of it did anything."""

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from kata.course.curriculum import exercises

EX01, EX05 = exercises()["ex01_softmax"], exercises()["ex05_causal_masks"]
NOBODY = 65534
SECRET = "a secret of the learner's own"
BACKUPS = ("exercises/ex01_softmax.1.bak", "exercises/ex05_causal_masks.1.bak",
           "proofs/ex01_softmax.1.bak", "exercises/ex01_softmax.py.bak")  # fmt: skip
# Where the kata writes, each with a link to a file that is not there, or that is the learner's.
DANGLING = (
    *BACKUPS, "README.md.new.txt", "submission.zip", "autograder.zip", "hunts/ex01_softmax.py",
    "hunts/ex01_line.py", "notebooks/ex01_softmax.ipynb", "notebooks/ex05_causal_masks.ipynb",
    "proofs/ex05_causal_masks.py", ".vscode/settings.json", ".vscode/extensions.json",
    "handouts/book.pdf", "run_autograder", "exercises/ex02_self_attention_scores.py",
    "call_ex01.py", ".kata/exercises.json.part", "index.html",
)  # fmt: skip
LINKED = (
    ".kata/exercises.json", ".kata/.gitignore", ".kata/laid-out.json", ".kata/shipped.txt",
    ".kata/exercises.practice.json", ".kata/exercises.room", ".kata/open-room.json",
    "grades/journal.jsonl", "grades/about.json", "grades/.gitignore", "grades/grades.csv",
    "README.md", ".gitignore", "pyproject.toml", "exercises/ex07_heads.py",
    "proofs/ex01_softmax.py",
)  # fmt: skip
FOLDERS = (".kata", "hunts", "notebooks", "grades", "proofs", ".vscode", "handouts", "feedback",
           "exercises/.kata")  # fmt: skip
DEEP = "[" * 50_000
NOTES = (
    "exercises.json", "exercises.practice.json", "laid-out.json", "exercises.room",
    "open-room.json", "proofs.json",
)  # fmt: skip
ODD: dict[str, bytes] = {
    "empty": b"", "no-json": b"{", "list": b"[]", "null": b"null", "deep": DEEP.encode(),
    "wrong-types": json.dumps({"learner": 7, "form": "x", "exercises": [1], "files": 3,
                               "port": 99999, "cards": "no", "hunt": {"code": 1},
                               "verdicts": None}).encode(),
    "escapes": json.dumps({"learner": "a\n\x1b]52;c;aGk=\x07\u202e", "form": 3,
                           "exercises": {"ex01_softmax": {"state": "\x1b[2J"}}}).encode(),
    "outside": json.dumps({"form": 1, "files": {"../outside/mine.txt": "0" * 64,
                                                "/etc/hostname": "0" * 64}}).encode(),
    "binary": bytes(range(256)) * 40,
    "long": b'{"learner": "' + b"x" * (1 << 25) + b'"}',
}  # fmt: skip


@dataclass
class Place:
    """A planted folder, what lies beside it, and a server that nobody is to call.

    Attributes:
        here: the folder.
        outside: the learner's own files.
        port: of the server.
        planted: what was planted, in words.
        calls: what has connected to the server.
    """

    here: Path
    outside: Path
    port: int = 0
    planted: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)

    def link(self, name: str, target: Path | str) -> None:
        """Plant a link in place of whatever is there."""
        path = self.here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() or path.is_file():
            path.unlink()
        path.symlink_to(target)
        self.planted.append(f"{name} -> {Path(target).name}")

    def write(self, name: str, content: bytes) -> None:
        """Plant a file."""
        path = self.here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.planted.append(name)

    def outside_now(self) -> dict[str, tuple[int, str]]:
        """All that lies outside, with modes and contents."""
        found = sorted(self.outside.rglob("*"))
        return {str(each): (each.lstat().st_mode, _digest(each)) for each in found}


def _digest(path: Path) -> str:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


Scene = Callable[[Place], None]


def links_to_what_is_not_there(place: Place) -> None:
    for number, name in enumerate(DANGLING):
        place.link(name, place.outside / f"new{number}")


def links_to_files(place: Place) -> None:
    for name in LINKED:
        place.link(name, place.outside / "mine.txt")


def linked_folders(place: Place) -> None:
    for name in FOLDERS:
        place.link(name, place.outside / "folder")


def linked_caches(place: Place) -> None:
    """Of pytest and Python."""
    place.link(".pytest_cache/v/cache/nodeids", place.outside / "mine.txt")
    place.link(".pytest_cache/v/cache/lastfailed", place.outside / "new")
    for folder in ("exercises", "proofs", "."):
        place.link(f"{folder}/__pycache__", place.outside / "folder")
    place.write("exercises/conftest.py", b"assert 1\n")


def pipes_for_caches(place: Place) -> None:
    for name in ("nodeids", "lastfailed"):
        path = place.here / ".pytest_cache" / "v" / "cache" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(path)
        place.planted.append(f"{name} is a pipe")
    os.mkfifo(place.here / "call_ex01.py")
    (place.here / "notebooks").mkdir()
    os.mkfifo(place.here / "notebooks" / "ex01_softmax.ipynb")


def loops_and_names(place: Place) -> None:
    """Links to themselves, and names that a terminal would obey."""
    for name in ("x", "exercises/ex07_heads.py", "proofs/ex07_heads.py", ".kata"):
        place.link(name, Path(name).name)
    odd = "\x1b[2J\u202e"
    place.write(f"exercises/ex98_{odd}.py", b"x = 1\n")
    place.write(f"notebooks/ex01_{odd}.ipynb", b"{}")
    place.write("exercises/ex04_scaled_attention.py", b"def f(:\n \x1b[31m(\n")
    place.write("proofs/ex01_softmax.py", b"def test_a(:\n \x1b[31m(\n")


def linked_exercises(place: Place) -> None:
    (place.here / "exercises").rename(place.outside / "exercises")
    place.link("exercises", place.outside / "exercises")


def endless(place: Place) -> None:
    for name in NOTES:
        place.link(f".kata/{name}", Path("/dev/zero"))
    place.link("exercises/ex07_heads.py", Path("/dev/zero"))
    place.link("proofs/ex07_heads.py", Path("/dev/zero"))


def pipes(place: Place) -> None:
    for name in (*(f".kata/{each}" for each in NOTES), "proofs/ex07_heads.py", "grades/about.json",
                 "exercises/ex07_heads.py"):  # fmt: skip
        (place.here / name).parent.mkdir(exist_ok=True)
        os.mkfifo(place.here / name)
        place.planted.append(f"{name} is a pipe")


def memberships(place: Place) -> None:
    link = f"http://127.0.0.1:{place.port}/"
    room = {"link": link, "url": link, "address": "127.0.0.1", "port": place.port, "token": "t",
            "name": "x", "code": "ABCD", "origin": link, "key": "k"}  # fmt: skip
    for name in ("exercises.room", "open-room.json", "room", "room.json", "exercises.room.json"):
        place.write(f".kata/{name}", json.dumps(room).encode())
    place.write("exercises/.kata/exercises.room", json.dumps(room).encode())


def practice_with_code(place: Place) -> None:
    trace = place.outside / "ran"
    code = f"open({str(trace)!r}, 'w')\n"
    hunt = {"code": code, "text": code, "name": "ex01_line.py", "seed": 0, "made_in": "line",
            "slug": EX01.slug, "bug": "no-exp", "line": 1}  # fmt: skip
    notes = {"form": 3, "hunts": {"ex01_line.py": hunt}, "open": hunt}
    place.write(".kata/exercises.practice.json", json.dumps(notes).encode())
    place.write("hunts/ex01_line.py", EX01.solution.read_bytes())
    for name in ("sitecustomize", "usercustomize", "numpy", "torch", "pickle", "json", "random",
                 "kata", "jinja2", "typing", "readline"):  # fmt: skip
        place.write(f"{name}.py", code.encode())


def forged_grades(place: Place) -> None:
    place.write("grades/about.json", json.dumps({"seed": 0, "exercises": [EX01.slug]}).encode())
    line = {"student": "here", "score": 100, "exercises": [{"slug": EX01.slug, "state": "passed"}]}
    place.write("grades/journal.jsonl", json.dumps(line).encode() + b"\n" + DEEP.encode() + b"\n")
    place.write("grades/grades.csv", b"student,score\nhere,100\n")


def foreign(place: Place) -> None:
    """Notes that belong to somebody else; only the administrator can make them here."""
    place.write(".kata/exercises.json", b"{}")
    for path in (place.here / ".kata", place.here / ".kata" / "exercises.json"):
        os.chown(path, NOBODY, NOBODY)


def odd(content: bytes) -> Scene:
    def scene(place: Place) -> None:
        for name in NOTES:
            place.write(f".kata/{name}", content)

    return scene


SCENES: dict[str, Scene] = {
    each.__name__: each
    for each in (
        links_to_what_is_not_there, links_to_files, linked_folders, linked_exercises, linked_caches,
        pipes_for_caches, loops_and_names, endless,
        pipes, memberships, practice_with_code, forged_grades, foreign,
    )
} | {f"notes: {name}": odd(content) for name, content in ODD.items()}  # fmt: skip


@contextmanager
def planted(folder: Path, scene: str) -> Iterator[Place]:
    """A learner's folder in which this was planted, and the server."""
    here, outside = folder / "here", folder / "outside"
    (here / "exercises").mkdir(parents=True)
    (outside / "folder").mkdir(parents=True)
    (outside / "mine.txt").write_text(SECRET, encoding="utf-8")
    (outside / "folder" / "mine.txt").write_text(SECRET, encoding="utf-8")
    (here / "exercises" / EX01.filename).write_bytes(EX01.solution.read_bytes())
    (here / "exercises" / EX05.filename).write_bytes(EX05.stub.read_bytes())
    place = Place(here, outside)
    with _server(place):
        SCENES[scene](place)
        yield place


@contextmanager
def _server(place: Place) -> Iterator[None]:
    """Note whoever connects, and answer nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        place.port = server.getsockname()[1]
        threading.Thread(target=_listen, args=(server, place), daemon=True).start()
        yield


def _listen(server: socket.socket, place: Place) -> None:
    while True:
        try:
            caller, address = server.accept()
        except OSError:
            return
        place.calls.append(str(address))
        caller.close()
