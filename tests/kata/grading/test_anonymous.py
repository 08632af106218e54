"""Codes in the place of names, and nothing that gives a name away."""

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from kata.errors import UserError
from kata.grading.anonymous import CODE, Codes, Hider
from kata.grading.collecting.submissions import Origin, Submission, read
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State
from tests.helpers.adjusted_class import EX01, graded, plan_for, reported, table, write

NAMES = {"Jane Doe": "S-1", "doejane": "S-1", "101": "S-1", "jane@example.org": "S-1", "Max": "S-2"}


@pytest.mark.parametrize(("text", "hidden"), [
    ("Jane Doe was here", "S-1 was here"), ("JANE DOE, jane doe.", "S-1, S-1."),
    ("doejane_LATE_101_9001_ex01_softmax.py", "S-1_LATE_S-1_9001_ex01_softmax.py"),
    ("to jane@example.org", "to S-1"), ("doejanet, Maxwell and 1012", "doejanet, Maxwell and 1012"),
    ("the max", "the S-2"),
])  # fmt: skip
def test_names_are_hidden_as_wholes(text: str, hidden: str) -> None:
    assert Hider(NAMES).text(text) == hidden


def test_why_work_cannot_be_read_names_nobody() -> None:
    submission = Submission("doejane", {}, ("late: doejane",), "only doejane_101_9001_x.txt", "101")

    assert Hider(NAMES, {"doejane": "S-1"}).submission(submission) == Submission(
        "S-1", {}, ("late: S-1",), "only S-1_S-1_9001_x.txt"
    )


def test_a_part_of_a_name_in_the_name_of_a_file_is_hidden() -> None:
    hider = Hider({"René May": "S-1", "may@example.org": "S-1", "Max": "S-2"}, {"x": "S-1"})
    note = "rene_ex09.py may count for ex09, most_of_rows.py and Rene/May 2.py, too"
    origin = Origin("Rene.ipynb", {1: (1, 1)}, modules={2: ("my/rene_utils.py", 1)})

    hidden = hider.submission(
        Submission("x", {}, (note,), notebooks={EX01: origin}, unread={EX01: "not read: RENÉ.py"})
    )

    assert hidden.notes == (
        "S-1_ex09.py may count for ex09, most_of_rows.py and S-1/S-1 2.py, too",
    )
    assert hidden.unread == {EX01: "not read: S-1.py"}
    assert hidden.notebooks[EX01].name == "S-1.ipynb"
    assert hidden.notebooks[EX01].modules == {2: ("my/S-1_utils.py", 1)}


def test_what_may_be_no_name_stays_in_messages() -> None:
    hider = Hider(NAMES)

    assert hider.sure("the max of 101 rows") == "the max of 101 rows"
    assert hider.sure("jane@example.org, Jane Doe") == "S-1, S-1"


def test_the_key_file_is_for_its_owner_and_codes_stay(tmp_path: Path) -> None:
    path = table(tmp_path / "key.csv", "code,student", 'S-222222,"Ada, the first"')
    path.chmod(0o644)  # anybody could read it
    codes = Codes(path, tmp_path / "grades")
    ben = codes.of("ben")
    codes.keep()
    again = Codes(path, tmp_path / "grades")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert CODE.fullmatch(ben)
    assert (again.of("Ada, the first"), again.of("ben")) == ("S-222222", ben)
    assert again.student("S-222222") == "Ada, the first"
    assert path.read_text() == f'code,student\nS-222222,"Ada, the first"\n{ben},ben\n'


@pytest.mark.parametrize("path", ["grades/key.csv", "grades/inner/key.csv", "link/key.csv"])
def test_the_key_does_not_lie_among_the_grades(tmp_path: Path, path: str) -> None:
    (tmp_path / "grades" / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "grades")

    for grades in ("grades", "link"):
        with pytest.raises(UserError, match="would lie in"):
            Codes(tmp_path / path, tmp_path / grades)


@pytest.mark.parametrize(
    "lines", [["name,id", "ada,1"], ["code,student", "ada,S-222222"],
              ["code,student", "S-222222,ada", "S-222222,ben"], ["code,student", "S-222222"]]
)  # fmt: skip
def test_what_is_no_key_file_is_never_written_over(tmp_path: Path, lines: list[str]) -> None:
    path = table(tmp_path / "key.csv", *lines)

    with pytest.raises(UserError, match="is not a key file"):
        Codes(path, tmp_path / "grades")


def test_a_class_under_codes_comes_in_their_order(tmp_path: Path) -> None:
    names = [f"student {number:02}" for number in range(30)]
    plan = plan_for(write(tmp_path / "class", *names), key=tmp_path / "key.csv")
    codes = reported(plan)

    assert len(codes) == 30
    assert all(map(CODE.fullmatch, codes))
    assert [*codes] == sorted(codes) == [*plan.adjusting.sources]
    assert [student.name for student in plan.students] != names
    assert [plan.submission(read(student)).student for student in plan.students] == sorted(codes)


def test_work_is_kept_without_the_name_and_number_of_its_author(tmp_path: Path) -> None:
    folder = write(tmp_path / "class", "doejane_101_9001_ex01_softmax.py",
                   "roejoe_102_9002_ex99.py", "mustermax.zip")  # fmt: skip
    roster = table(tmp_path / "r.csv", "name,id,email", "Jane Doe,101,jane@example.org",
                   "Joe Roe,102,", "Ada Missing,103,")  # fmt: skip
    plan = plan_for(folder, key=tmp_path / "key.csv", roster=roster)
    works = [plan.submission(read(student)) for student in plan.students]
    texts = repr([(work.student, work.id, work.notes, work.problem) for work in works])

    assert any(work.notes for work in works)
    assert not [part for part in ("doe", "roe", "101", "9001", "muster") if part in texts.lower()]
    assert CODE.fullmatch(plan.adjusting.missing[0].student)
    assert "Ada" not in repr(plan.notices)


def test_what_code_has_printed_or_raised_names_nobody(tmp_path: Path) -> None:
    roster = table(tmp_path / "r.csv", "name,login", "Jane Doe,jane")
    plan = plan_for(write(tmp_path / "class", "jane"), key=tmp_path / "key.csv", roster=roster)
    message = Message("A claim.", evidence="ValueError: Jane Doe", frames=["# by Jane Doe"])
    claim = ClaimVerdict("test_it", State.ERROR, message)
    exercise = ExerciseVerdict(EX01, (claim,), printed="Jane Doe", tampering=("open('Jane Doe')",))

    verdict = plan.verdict(replace(graded("S"), exercises=(exercise,), marks=()))

    assert "Jane" not in repr(verdict)
    assert "ValueError: S-" in repr(verdict)


def test_decisions_name_codes_or_names_and_are_written_without_names(tmp_path: Path) -> None:
    folder = write(tmp_path / "class", "ada lovelace", "ben okafor")
    first = reported(plan_for(folder, key=tmp_path / "key.csv"))
    rows = table(tmp_path / "o.csv", "student,points,comment", f"{next(iter(first))},5,",
                 "ben okafor,,\"Ben Okafor, see me\"", "ada lovelace,,hello")  # fmt: skip
    verdicts = reported(plan_for(folder, key=tmp_path / "key.csv", overrules=rows))

    assert [*verdicts] == [*first]
    assert verdicts[next(iter(first))].score == 5
    assert "Okafor" not in repr(verdicts)


def test_names_and_codes_never_stand_in_one_folder(tmp_path: Path) -> None:
    folder = write(tmp_path / "class", "ada")
    (tmp_path / "grades").mkdir()
    about = tmp_path / "grades" / "about.json"

    about.write_text(json.dumps({"seed": 1}))
    with pytest.raises(UserError, match="has names in it from an earlier run"):
        plan_for(folder, key=tmp_path / "key.csv")
    about.write_text(json.dumps({"seed": 1, "anonymous": True}))
    with pytest.raises(UserError, match="is anonymous: give --anonymous with its key file"):
        plan_for(folder)
    assert plan_for(folder, key=tmp_path / "key.csv").students
