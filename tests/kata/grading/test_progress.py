"""What a run says of itself while it lasts."""

from unittest.mock import patch

import pytest

from kata.grading import progress as module
from kata.grading.progress import MOST_NAMES, Progress, progress
from tests.helpers.processes import until, without_progress


def test_it_says_what_is_done_from_reading_to_writing() -> None:
    status = Progress(2, judges=2)
    lines = [status.text()]
    status.begin("lost")
    lines.append(status.text())
    for name in ("ann", "bob"):
        status.begin(name)
    before = status.pause
    status.end("ann")
    status.begin("cem")
    lines.append(status.text())  # who waits to be judged again is not judged now
    for name in ("bob", "cem", "lost"):
        status.end(name)
    status.step()
    lines.append(status.text())
    status.step()

    assert [*lines, status.text()] == [
        "reading what was handed in: 0 of 2 done",
        "starting the judges, 0 s; first lost",
        "0 of 2 done; now bob, cem",
        "reading what was handed in: 1 of 2 done",
        "2 of 2 done; writing the grades",
    ]
    assert before < status.pause  # there are more lines before the first mark than after


def test_of_many_it_names_a_few() -> None:
    status = Progress(12, judges=16)
    for number in range(16):
        status.begin(f"s{number}")
    status.end("s0")

    assert status.text().count("s1") == MOST_NAMES


def test_a_name_is_made_safe_and_short() -> None:
    status = Progress(1, judges=2)
    status.begin("\x1b[2J" + "a" * 100)

    assert "\x1b" not in status.text()
    assert len(status.text()) < 80


def test_lines_come_while_it_lasts_and_none_is_said_twice(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with patch.object(module, "OFTEN", 0.01), progress(3, 2, "class: 3 students") as status:
        until(lambda: status.line)
        status.step()
        until(lambda: status.line == status.text())

    text = capsys.readouterr().err
    assert text.splitlines() == ["class: 3 students", "reading what was handed in: 0 of 3 done",
                                 "reading what was handed in: 1 of 3 done"]  # fmt: skip
    assert without_progress(text) == ""
