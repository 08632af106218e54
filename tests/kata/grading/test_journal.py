"""The journal: a damaged line is absent, whatever the damage, and nothing else is lost."""

import json
import os
from pathlib import Path

import pytest

from kata.class_verdict import SubmissionVerdict
from kata.grading import journal
from kata.grading.collecting.submissions import HandedIn
from kata.grading.journal import NAME, Journal
from kata.grading.options import Options
from kata.points import Mark
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State
from tests.helpers.sampling import everything

SLUG = "ex01_softmax"
OPTIONS = Options((SLUG,), {SLUG: 1.0})
PEOPLE = [HandedIn(name, {SLUG: name.encode()}, notes=("late",)) for name in ("ann", "ben", "cem")]


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
    for each in PEOPLE:
        noted.note(each, verdict(each.student))
    noted.close()
    return (tmp_path / NAME).read_bytes()


def known(folder: Path, content: bytes) -> dict[str, SubmissionVerdict]:
    """What the next run reads there."""
    (folder / NAME).write_bytes(content)
    noted = Journal(folder, OPTIONS)
    names = [each.student for each in PEOPLE if noted.knows(each)]
    found = {each.student: each for each in noted.verdicts(names)}
    noted.close()
    return found


def test_what_was_written_is_read(tmp_path: Path, written: bytes) -> None:
    found = known(tmp_path, written)

    assert [*found] == ["ann", "ben", "cem"]
    assert all(each.exercises == verdict(name).exercises for name, each in found.items())
    assert all(json.loads(line)["keys"] for line in written.splitlines())


@pytest.mark.parametrize("change", [1, 0x20, 0x80, ord("\n"), ord("[")])
def test_no_damaged_byte_is_believed_or_ends_a_run(
    tmp_path: Path, written: bytes, change: int
) -> None:
    whole, size = known(tmp_path, written), len(written) // 3
    # In the middle line, and at its ends.
    for place in {*range(size, 2 * size, 1 if everything() else 15), 2 * size - 1}:
        damaged = bytearray(written)
        damaged[place] ^= change
        found = known(tmp_path, bytes(damaged))
        assert found.items() <= whole.items(), place
        assert len(found) in (1, 2), place


@pytest.mark.parametrize("line", [
    b"[" * 200_000, b'{"a":' * 100_000, b"9" * 5_000, b'{"ground": 1e999}', b"null", b"\xff\x00",
    b'{}, "sum": "0123456789abcdef0123456789abcdef"}',
], ids=lambda line: line[:8].decode("latin-1"))  # fmt: skip
def test_no_strange_line_ends_a_run(tmp_path: Path, written: bytes, line: bytes) -> None:
    assert len(known(tmp_path, line + b"\n" + written + line + b"\n")) == 3


def test_lines_without_a_sum_are_absent(tmp_path: Path, written: bytes) -> None:
    lines = [json.loads(each) for each in written.splitlines()]
    bare = [{name: value for name, value in each.items() if name != "sum"} for each in lines]

    assert known(tmp_path, b"".join(json.dumps(each).encode() + b"\n" for each in bare)) == {}


def test_a_line_of_another_user_is_absent(
    tmp_path: Path, written: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))

    assert known(tmp_path, written) == {}


def test_where_no_key_can_be_kept_every_run_begins_anew(
    tmp_path: Path, written: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))

    assert known(tmp_path, written) == {}


def test_a_pipe_or_a_link_in_the_place_of_a_journal_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / NAME)
    with pytest.raises(OSError):  # noqa: PT011  # which one depends on the system
        Journal(tmp_path, OPTIONS)

    (tmp_path / NAME).unlink()
    (tmp_path / NAME).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError):  # noqa: PT011
        Journal(tmp_path, OPTIONS)
    assert not (tmp_path / "elsewhere").exists()


def test_many_long_notes_are_cut_and_known_again(tmp_path: Path) -> None:
    handed = HandedIn("ann", {SLUG: b"x"}, notes=tuple(f"{n} {'a' * 9999}" for n in range(99)))
    noted = Journal(tmp_path, OPTIONS)
    noted.note(handed, verdict("ann"))
    noted.close()

    assert (tmp_path / NAME).stat().st_size < 25_000
    again = Journal(tmp_path, OPTIONS)
    assert again.knows(handed)
    again.close()
