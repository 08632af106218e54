"""What lies in `.kata` may be of anybody's making: what is odd counts as if it were not there."""

import json
import os
from datetime import date
from hashlib import sha256
from pathlib import Path

import pytest

from kata.learner.layout import NAME, LayoutRecord, renew
from kata.learner.progress import Progress
from kata.live.attending import Membership, read, save
from kata.practice.memory import Memory

DEEP = "[" * 5_000 + "]" * 5_000
CONTENTS = {
    "nothing": "", "no JSON": "{", "a list": "[]", "a number": "7", "nested deeply": DEEP,
    "a deep value": f'{{"form": 1, "exercises": {DEEP}}}', "not UTF-8": b"\xff\xfe{",
    "another form": '{"form": 2}', "a form alone": '{"form": 1}',
    "lists for tables": '{"form": 1, "passed": {}, "exercises": [], "hunts": [], "files": []}',
    "texts for entries": '{"form": 1, "passed": [], "exercises": {"ex01_softmax": "x"}}',
    "numbers for lists": '{"form": 1, "passed": 5, "exercises": {}, "files": 5}',
    "odd entries": json.dumps({
        "form": 1, "passed": [], "met": {},
        "proofs": {"ex01_softmax": {"digest": "d", "counts": 3}},
        "exercises": {"ex01_softmax": {"digest": "d", "verdict": 7, "judged": [], "hints": "many",
                                       "topic": ""}},
        "hunts": {"ex01_softmax no-shift": {"box": 1e999, "due": []}}, "open": {"ex01_softmax": 1},
        "solved": {"ex01_softmax": [[]]}, "files": {"../outside.txt": "x", "/etc/passwd": "x"},
    }),
}  # fmt: skip


@pytest.fixture(params=CONTENTS)
def planted(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder of exercises with the same planted content in every file about it."""
    content = CONTENTS[request.param]
    (tmp_path / "exercises").mkdir()
    (tmp_path / ".kata").mkdir()
    for name in ("exercises.json", "exercises.practice.json", "exercises.room", "laid-out.json"):
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / ".kata" / name).write_bytes(data)
    return tmp_path


def test_nothing_planted_is_believed_or_fails(planted: Path) -> None:
    progress, memory = Progress(planted / "exercises"), Memory(planted / "exercises")
    slug = "ex01_softmax"

    assert not progress.passed("d")
    assert progress.verdict(slug, "d") is None
    assert (progress.judged_at(slug), progress.hints(slug, "")) == (0, 0)
    assert progress.proof(slug, "d") is None
    assert (progress.met(slug), progress.topic(slug)) == ((), "")
    assert memory.hunts() == {}
    assert (memory.hunt(slug, "no-shift"), memory.proof(slug), memory.open(slug)) == (None,) * 3
    assert memory.solved(slug) <= {"[]"}
    assert read(planted / ".kata" / "exercises.room") is None
    assert LayoutRecord(planted).paths == []


def test_what_was_planted_is_written_over(planted: Path) -> None:
    progress, memory = Progress(planted / "exercises"), Memory(planted / "exercises")
    progress.note_hints("ex01_softmax", "axis", 2)
    memory.note_hunt("ex02_attention_scores", "loop", date(2026, 1, 1), right=True)

    assert progress.save()
    memory.save()

    assert Progress(planted / "exercises").hints("ex01_softmax", "axis") == 2
    again = Memory(planted / "exercises").hunts()
    assert ("ex02_attention_scores", "loop") in again


@pytest.mark.parametrize(("field", "value"), [
    ("learner", ["x"]), ("token", 7), ("joined", "now"), ("count", "many"), ("ended", "no"),
    ("origin", None), ("origin", "http://a:99999"), ("sent", {}),
])  # fmt: skip
def test_a_membership_with_an_odd_field_is_none(tmp_path: Path, field: str, value: object) -> None:
    path = tmp_path / "exercises.room"
    member = Membership("http://a:1", "ada", "key", "Ada", 1.0)
    save(path, member)
    assert read(path) == member

    path.write_text(json.dumps({**json.loads(path.read_text()), field: value}))

    assert read(path) is None


def test_a_membership_shows_no_escapes_and_has_one_line(tmp_path: Path) -> None:
    save(
        tmp_path / "m.room", Membership("http://a:1", "ada", "key", "Ada\x1b]52;c;eA==\x07\nB", 1.0)
    )

    member = read(tmp_path / "m.room")

    assert member is not None
    assert member.name == "Ada B"


@pytest.mark.parametrize("path", ["old/file.txt", "file.txt"])
def test_nothing_is_moved_away_through_a_link(tmp_path: Path, path: str) -> None:
    """What is noted as laid out, and is there no longer in the kata, is removed by an update."""
    outside, home = tmp_path / "outside", tmp_path / "home"
    outside.mkdir()
    home.mkdir()
    (outside / "file.txt").write_text("mine")
    (home / "old").symlink_to(outside)
    (home / "file.txt").symlink_to(outside / "file.txt")
    (home / ".kata").mkdir()
    digest = sha256(b"mine").hexdigest()
    (home / NAME).write_text(json.dumps({"form": 1, "files": {path: digest}}))

    done = renew(home, home / "backup")

    assert (done.removed, done.kept) == ([], [])
    assert (outside / "file.txt").read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_or_an_endless_file_keeps_nobody_waiting(tmp_path: Path) -> None:
    folder = tmp_path / ".kata"
    folder.mkdir()
    os.mkfifo(folder / "exercises.json")
    (folder / "exercises.practice.json").symlink_to("/dev/zero")
    (folder / "exercises.room").symlink_to("/dev/zero")
    (tmp_path / NAME).symlink_to("/dev/zero")

    assert not Progress(tmp_path / "exercises").passed("d")
    assert Memory(tmp_path / "exercises").hunts() == {}
    assert read(folder / "exercises.room") is None
    assert LayoutRecord(tmp_path).paths == []
