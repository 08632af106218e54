"""What a run says of itself while it lasts."""

from unittest.mock import patch

import pytest

from kata.grading import progress as module
from kata.grading.progress import MOST_NAMES, Progress, progress
from tests.helpers.processes import until, without_progress


def test_it_begins_with_reading_then_starts_judges_for_somebody() -> None:
    told = Progress(12, judges=2)
    assert told.text() == "reading what was handed in: 0 of 12 done"

    told.begin("ann")
    assert told.text() == "starting the judges, 0 s; first ann"


def test_then_it_counts_and_names_who_is_graded() -> None:
    told = Progress(12, judges=2)
    for name in ("ann", "bob"):
        told.begin(name)
    told.end("ann")
    told.step()

    assert told.text() == "1 of 12 done; now bob"


def test_who_waits_to_be_judged_again_is_not_judged_now() -> None:
    told = Progress(12, judges=2)
    for name in ("lost", "ann", "bob"):
        told.begin(name)
    told.end("ann")
    told.begin("cem")

    assert told.text() == "0 of 12 done; now bob, cem"


def test_of_many_it_names_a_few() -> None:
    told = Progress(12, judges=16)
    for number in range(16):
        told.begin(f"s{number}")
    told.end("s0")

    assert told.text().count("s1") == MOST_NAMES


def test_in_the_end_it_writes_the_grades() -> None:
    told = Progress(1, judges=2)
    told.begin("ann")
    told.end("ann")
    told.step()

    assert told.text() == "1 of 1 done; writing the grades"


def test_a_name_is_made_safe_and_short() -> None:
    told = Progress(1, judges=2)
    told.begin("\x1b[2J" + "a" * 100)

    assert "\x1b" not in told.text()
    assert len(told.text()) < 80


def test_there_are_more_lines_before_the_first_mark_than_after() -> None:
    told = Progress(2, judges=2)
    before = told.pause
    told.begin("ann")
    told.end("ann")

    assert before < told.pause


def test_lines_come_while_it_lasts_and_none_is_said_twice(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with patch.object(module, "OFTEN", 0.01), progress(3, judges=2) as told:
        until(lambda: told.line)
        told.step()
        until(lambda: told.line == told.text())

    said = capsys.readouterr().err
    assert said.splitlines() == ["reading what was handed in: 0 of 3 done",
                                 "reading what was handed in: 1 of 3 done"]  # fmt: skip
    assert without_progress(said) == ""
