"""The journal: a damaged line is absent, whatever the damage, and nothing else is lost."""

import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from kata.class_verdict import SubmissionVerdict
from kata.course.curriculum import exercises
from kata.grading import journal
from kata.grading.collecting.submissions import Origin, Submission
from kata.grading.journal import JOURNAL, Journal, Keys
from kata.grading.options import Options
from kata.marks import Mark
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State
from tests.helpers.sampling import everything

EX01, EX02, EX03 = SLUGS = tuple(exercises())[:3]
SLUG = EX01
OPTIONS = Options((SLUG,), {SLUG: 1.0})
PEOPLE = [
    Submission(name, {SLUG: name.encode()}, notes=("late",)) for name in ("ann", "ben", "cem")
]


def verdict(name: str) -> SubmissionVerdict:
    claim = ClaimVerdict("test_it", State.FAILED, Message("It is so.", evidence=f"of {name}"), 0.5)
    return SubmissionVerdict(name, (ExerciseVerdict(SLUG, (claim,)),), (Mark(0.0, 1.0),))


@pytest.fixture(autouse=True)
def _one_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading all files of the engine for each of a thousand journals takes minutes."""
    monkeypatch.setattr(journal, "engine", dict)
    monkeypatch.setattr(journal, "ground", lambda _: "0123456789abcdef")
    monkeypatch.setattr(journal, "way", lambda *_: "0123")


@pytest.fixture
def written(tmp_path: Path) -> bytes:
    """What a run has written about three people."""
    noted = Journal(tmp_path, OPTIONS)
    for submission in PEOPLE:
        noted.note(submission, verdict(submission.student))
    noted.close()
    return (tmp_path / JOURNAL).read_bytes()


def read_again(folder: Path, content: bytes) -> dict[str, SubmissionVerdict]:
    """What the next run reads there."""
    (folder / JOURNAL).write_bytes(content)
    noted = Journal(folder, OPTIONS)
    names = [submission.student for submission in PEOPLE if noted.knows(submission)]
    verdicts = {graded.student: graded for graded in noted.verdicts(names)}
    noted.close()
    return verdicts


def test_what_was_written_is_read(tmp_path: Path, written: bytes) -> None:
    verdicts = read_again(tmp_path, written)

    assert [*verdicts] == ["ann", "ben", "cem"]
    assert all(verdicts[name].exercises == verdict(name).exercises for name in verdicts)
    lines = [json.loads(line) for line in written.splitlines()]
    assert all(line["keys"] for line in lines)
    # A line without a sum is absent.
    bare = [{name: value for name, value in line.items() if name != "sum"} for line in lines]
    assert read_again(tmp_path, b"".join(json.dumps(line).encode() + b"\n" for line in bare)) == {}


@pytest.mark.parametrize("change", [1, 0x20, 0x80, ord("\n"), ord("[")])
def test_no_damaged_byte_is_believed_or_ends_a_run(
    tmp_path: Path, written: bytes, change: int
) -> None:
    whole, size = read_again(tmp_path, written), len(written) // 3
    # In the middle line, and at its ends.
    for place in {*range(size, 2 * size, 1 if everything() else 15), 2 * size - 1}:
        damaged = bytearray(written)
        damaged[place] ^= change
        verdicts = read_again(tmp_path, bytes(damaged))
        assert verdicts.items() <= whole.items(), place
        assert len(verdicts) in (1, 2), place


@pytest.mark.parametrize("line", [
    b"[" * 200_000, b'{"a":' * 100_000, b"9" * 5_000, b'{"ground": 1e999}', b"null", b"\xff\x00",
    b'{}, "sum": "0123456789abcdef0123456789abcdef"}',
], ids=lambda line: line[:8].decode("latin-1"))  # fmt: skip
def test_no_strange_line_ends_a_run(tmp_path: Path, written: bytes, line: bytes) -> None:
    assert len(read_again(tmp_path, line + b"\n" + written + line + b"\n")) == 3


@pytest.mark.parametrize("home", ["other", "file"])
def test_where_there_is_another_key_or_none_every_run_begins_anew(
    tmp_path: Path, written: bytes, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / home))

    assert read_again(tmp_path, written) == {}


def test_a_pipe_or_a_link_in_the_place_of_a_journal_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / JOURNAL)
    with pytest.raises(OSError):  # noqa: PT011  # which one depends on the system
        Journal(tmp_path, OPTIONS)

    (tmp_path / JOURNAL).unlink()
    (tmp_path / JOURNAL).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError):  # noqa: PT011
        Journal(tmp_path, OPTIONS)
    assert not (tmp_path / "elsewhere").exists()


def test_many_long_notes_are_cut_and_known_again(tmp_path: Path) -> None:
    submission = Submission(
        "ann", {SLUG: b"x"}, notes=tuple(f"{n} {'a' * 9999}" for n in range(99))
    )
    noted = Journal(tmp_path, OPTIONS)
    noted.note(submission, verdict("ann"))
    noted.close()

    assert (tmp_path / JOURNAL).stat().st_size < 25_000
    again = Journal(tmp_path, OPTIONS)
    assert again.knows(submission)
    again.close()


# What a verdict depends on


def key(files: dict[str, bytes], slug: str = EX03, **more: object) -> str:
    return Keys(Options(SLUGS, dict.fromkeys(SLUGS, 1.0))).of(Submission("ann", files, **more))[
        slug
    ]  # type: ignore[arg-type]


def test_a_key_is_of_the_file_and_of_what_it_may_import() -> None:
    work, two = {EX01: b"1", EX03: f"import {EX01}".encode()}, {EX01: b"2"}
    wide = {EX01: b"1", EX03: f"import {EX01}".replace("x", "\uff58").encode()}
    coded = {EX01: b"1", EX03: b"# coding: utf-7"}

    assert key(work) == key({**work, EX02: b"anything"})
    assert key(work) != key({**work, **two})
    assert key(wide) != key({**wide, **two})
    assert key(coded) != key({**coded, **two})
    assert key(work, EX01) != key({**work, **two}, EX01)
    assert key(work) != key(work, notebooks={EX03: Origin("a.ipynb", {1: (2, 3)})})
    # Whoever handed in nothing would otherwise get the verdict on what is not read, or it theirs.
    assert key({}) != key({}, unread={EX03: "not UTF-8 text"})
    assert key({}, EX01) == key({}, EX01, unread={EX03: "not UTF-8 text"})


def test_keys_depend_on_the_content_only() -> None:
    keys = Keys(Options((EX01, EX02), dict.fromkeys((EX01, EX02), 1.0)))
    work = Submission("ann", {EX01: b"1", EX02: b"2"}, proofs={EX01: b"3"})
    same = Submission("ben", {EX02: b"2", EX01: b"1"}, ("a note",), proofs={EX01: b"3"})
    changes = [
        {"files": {EX01: b"1"}}, {"files": {EX01: b"2", EX02: b"1"}}, {"proofs": {EX01: b"4"}},
        {"notebooks": {EX01: Origin("homework.ipynb", {1: (2, 1)})}},
    ]  # fmt: skip

    assert keys.of(work) == keys.of(same)
    changed = [replace(work, **change) for change in changes]
    assert len({str(keys.of(version)) for version in (work, *changed)}) == 1 + len(changes)


def test_a_key_knows_whether_a_package_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget()
    before = key({EX03: b"from nobody_has_this import x\n"})
    (tmp_path / "nobody_has_this.py").write_text("")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    forget()

    assert key({EX03: b"from nobody_has_this import x\n"}) != before
    assert key({EX03: b"import os\n"}) == key({EX03: b"import os\n"})


def forget() -> None:
    """A run of the grader looks once for a package."""
    journal._packages.cache_clear()
    journal._is_installed.cache_clear()


def test_keys_of_a_large_class_take_no_time() -> None:
    everything = Options(tuple(exercises()), dict.fromkeys(exercises(), 1.0))
    made = Keys(everything)
    texts = {slug: exercise.solution.read_bytes() for slug, exercise in exercises().items()}
    begun = time.process_time()

    for number in range(30):
        own = {slug: text + f"# {number}".encode() for slug, text in texts.items()}
        made.of(Submission(f"s{number}", own))

    assert time.process_time() - begun < 0.5
