"""A file that is not read is no exercise that was not handed in: everything says so, and why."""

import json
from pathlib import Path

import pytest

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.grading.reports.gradebooks import grade
from kata.grading.reports.terminal import Report, table
from kata.points import Mark
from kata.terminal.board import standing
from kata.terminal.style import Style
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State
from tests.helpers.grader import grader
from tests.helpers.handed_work import EX01, EX05, F01, F05
from tests.helpers.handing_in import write
from tests.helpers.page_reader import counted

NOTE = "not read: ex05_causal_masks.py: not UTF-8 text; save it as UTF-8"
REASON = f"{NOTE} (line 126)"


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("unread")
    softmax, masks = (exercises()[slug].solution.read_bytes() for slug in (EX01, EX05))
    odd = masks + "\n\nNAME = 'größe'\n".encode("latin-1")
    write(home / "class", {f"ada/{F01}": softmax, f"ada/{F05}": odd})
    words = ("--only", "ex01", "--only", "ex05", "--report", "feedback")
    assert grader(home, "class", *words).status == 0
    return home / "grades"


def test_the_results_and_both_pages_say_it(graded: Path) -> None:
    results, feedback, report = (
        (graded / name).read_text(encoding="utf-8")
        for name in ("results.json", "feedback/ada.md", "report.html")
    )

    (submission,) = json.loads(results)["submissions"]
    (claim,) = submission["exercises"][1]["claims"]
    assert (claim["state"], claim["message"]["claim"]) == ("not gradable", REASON)
    assert (submission["score"], submission["notes"]) == (1, [NOTE])
    assert "- ? **ex05_causal_masks**: not read; 0 of 3 points" in feedback
    reason = REASON.replace(")", "\\)")  # as Markdown has it
    judged = "This file could not be judged, so none of its claims could hold"
    assert f"{judged}:\n\n> {reason}" in feedback
    assert "Hint" not in feedback
    assert '<td class="cell not-read"><span aria-hidden="true">?</span>' in report
    assert '<span class="unseen">not read</span>' in report


def verdict() -> SubmissionVerdict:
    claim = ClaimVerdict("not_read", State.NOT_GRADABLE, Message(REASON))
    return SubmissionVerdict(
        "ada", (ExerciseVerdict(EX05, (claim,)),), (Mark(0, 3),), notes=(REASON,)
    )


def test_the_table_and_the_gradebook_say_it() -> None:
    verdicts = ClassVerdict(lambda: iter([verdict()]), {EX05: 3.0})
    lines = [*table(Report(verdicts, counted(verdicts), 1), Style())]

    assert lines[1].endswith("?")
    assert lines[2].strip() == REASON
    assert REASON in grade(verdict()).feedback
    assert standing(verdict().exercises[0]) == "not read"
