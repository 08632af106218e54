"""The step from verdicts to reports: nothing that is not asked for changes a byte."""

import os
from pathlib import Path

import pytest

from kata.class_verdict import ClassVerdict, Missing
from kata.grading.adjusted import Adjusting, Entry, adjusted
from kata.grading.late import read_rule
from kata.grading.reports import formats
from tests.helpers.adjusted_class import POINTS, RULE, graded
from tests.helpers.odd_class import odd_class

COUNT = 45  # students: all the odd names, and some plain ones


def written(verdicts: ClassVerdict, folder: Path) -> dict[str, bytes]:
    folder.mkdir()
    counts = formats.write_tables(folder, verdicts, {"seed": 1})
    formats.write(verdicts, counts, folder, formats.ON_REQUEST)
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*") if path.is_file()}  # fmt: skip


def test_what_does_not_apply_changes_no_byte_of_any_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody is on the roster under their own name, in time, and nothing is overruled."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    verdicts = odd_class(COUNT, ["ex05_causal_masks"])
    entries = tuple(Entry(verdict.student, verdict.student) for verdict in verdicts.submissions())
    adjusting = Adjusting(entries, read_rule(RULE))

    before = written(adjusted(verdicts, Adjusting()), tmp_path / "before")
    after = written(adjusted(verdicts, adjusting), tmp_path / "after")

    assert len(before) > COUNT * len(formats.ON_REQUEST)
    assert before == after == written(verdicts, tmp_path / "plain")


def test_whoever_has_no_verdict_yet_is_left_out() -> None:
    """As after Ctrl-C."""
    entries = (Entry("c", "ada"), Entry("a", "ben"), Entry("b", "cem"), Entry("b", "dan"))
    some = [graded("c"), graded("b"), graded("b")]
    verdicts = adjusted(ClassVerdict(lambda: iter(some), POINTS), Adjusting(entries))

    assert [verdict.student for verdict in verdicts.submissions()] == ["ada", "cem", "dan"]


def test_the_class_says_who_is_missing_and_whether_marks_may_have_changed() -> None:
    plain = ClassVerdict(lambda: iter([graded("a")]), POINTS)
    missing = (Missing("zoe", "7", "North"),)
    late = adjusted(plain, Adjusting((Entry("a", "ada", days=1),), missing=missing))

    assert (late.adjusted, late.missing) == (True, missing)
    assert not adjusted(plain, Adjusting((Entry("a", "ada"),))).adjusted


def test_the_tables_say_what_was_earned_who_is_missing_and_in_which_section(tmp_path: Path) -> None:
    entries = (Entry("a", "=ada", section="@North", days=1, cause="late"), Entry("b", "ben"))
    how = Adjusting(entries, read_rule("1 point per day"), (Missing("-zoe", "7", "@North"),),
                    ("@North",))  # fmt: skip
    verdicts = adjusted(ClassVerdict(lambda: iter([graded("a"), graded("b")]), POINTS), how)

    formats.write_tables(tmp_path, verdicts, {"seed": 1})

    assert (tmp_path / "grades.csv").read_text(encoding="utf-8-sig").splitlines() == [
        "student,score,max_score,status,ex01_softmax,ex05_causal_masks,section,earned,"
        "mistakes,flags,notes",
        "'=ada,8,10,graded,3,6,'@North,9,,,\"score: from 9 to 8 points, late\"",
        "ben,9,10,graded,3,6,,9,,,",
        "'-zoe,,10,missing,,,'@North,,,,",
    ]
