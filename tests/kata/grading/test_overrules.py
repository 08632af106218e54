"""What an instructor has decided: applied to the marks, told as such, refused where impossible."""

from pathlib import Path
from typing import Any

import pytest

from kata.errors import UserError
from kata.grading.reports import wording
from kata.marks import Adjustment, Mark
from tests.helpers.adjusted_class import END, EX01, plan_for, plan_with, reported, table, write

HEAD = "student,exercise,points,adjustment,comment,reason"
SAID = "overruled by the instructor"


def test_marks_are_replaced_and_adjusted_and_what_they_were_is_kept(tmp_path: Path) -> None:
    overrules = (HEAD, "ada,ex01,2.5,,see me,too short", "ada,ex05,,-1,,", "ben,,7,,,",
                 "cem,,,+0.5,,")  # fmt: skip
    verdicts = reported(plan_with(tmp_path, "ada", "ben", "cem", "dan", overrules=overrules))
    ada = verdicts["ada"]

    assert [verdict.score for verdict in verdicts.values()] == [7.5, 7, 9.5, 9]
    assert [verdict.earned for verdict in verdicts.values()] == [9] * 4
    assert ada.marks == (Mark(2.5, 4), Mark(5, 6))
    assert ada.marks_by_claims == (Mark(3, 4), Mark(6, 6))
    change = Adjustment("overruled", 3, 2.5, EX01, SAID, "see me", "too short")
    assert (ada.adjustments[0], verdicts["dan"].adjustments) == (change, ())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_a_table_may_be_as_a_european_spreadsheet_saves_it(tmp_path: Path, encoding: str) -> None:
    text = "student;exercise;adjustment;reason\nada;ex05;-1,5;zu spät\n"
    (tmp_path / "o.csv").write_bytes(text.encode(encoding))
    plan = plan_for(write(tmp_path / "class", "ada"), overrules=tmp_path / "o.csv")

    (change,) = reported(plan)["ada"].adjustments
    assert (change.points, change.reason) == (-1.5, "zu spät")


def test_a_mark_is_never_below_nothing_a_bonus_counts_and_reasons_are_for_instructors(
    tmp_path: Path,
) -> None:
    overrules = (HEAD, "ada,ex01,,+4,see me,too short", "ada,ex05,,-6,,", "ada,,,,well done,",
                 "ada,,,,,met in the office", "ben,,,+10,,")  # fmt: skip
    ada, ben = reported(plan_with(tmp_path, "ada", "ben", overrules=overrules)).values()
    bonus = "ex01: from 3 to 7 points, a bonus of the instructor's, above what there is"

    assert [mark.score for mark in ada.marks] == [7, 0]
    assert ben.score == 19
    assert wording.changes(ada) == [
        f"{bonus}; comment: see me", f"ex05: from 6 to 0 points, {SAID}", "comment: well done",
    ]  # fmt: skip
    assert wording.changes(ada, reasons=True)[0] == f"{bonus}; comment: see me; reason: too short"
    assert wording.notes(ada)[-1] == "reason: met in the office"


def test_work_that_could_not_be_graded_gets_the_mark_that_the_instructor_gives(
    tmp_path: Path,
) -> None:
    overrules = HEAD, "ada,ex05,5,,read by hand,", "ben,,8,,,", "cem,,,,rar?,"
    plan = plan_with(tmp_path, "ada", "ben", "cem", overrules=overrules)
    verdicts = reported(plan, **dict.fromkeys(("ada", "ben", "cem"), "a rar archive"))

    assert [(verdict.score, verdict.most, verdict.problem) for verdict in verdicts.values()] == [
        (5, 10, ""), (8, 10, ""), (0, 0, "a rar archive")
    ]  # fmt: skip
    assert (verdicts["ada"].notes, verdicts["ada"].by_hand) == (("a rar archive",), True)
    assert wording.notes(verdicts["cem"]) == ["a rar archive", "comment: rar?"]


def test_somebody_who_handed_in_nothing_can_get_a_mark_all_the_same(tmp_path: Path) -> None:
    roster = ("name,id,section", "Ada Lovelace,1,N", "Ben Okafor,2,S", "Cleo Dyck,3,S",
              "Zoe Poe,4,N")  # fmt: skip
    overrules = (HEAD, "Zoe Poe,,6,,get well soon,ill", "Ben Okafor,ex01,4,,,",
                 "Cleo Dyck,,,,where is it?,")  # fmt: skip
    plan = plan_with(tmp_path, "Ada Lovelace", "Dan", overrules=overrules, roster=roster)
    verdicts = reported(plan)
    zoe = verdicts["Zoe Poe"]

    assert {name: (verdict.score, verdict.status) for name, verdict in verdicts.items()} == {
        "Ada Lovelace": (9, "graded"), "Ben Okafor": (4, "missing"), "Dan": (9, "graded"),
        "Zoe Poe": (6, "missing"),
    }  # fmt: skip
    assert (zoe.id, zoe.section) == ("4", "N")
    assert wording.changes(zoe) == [f"score: from 0 to 6 points, {SAID}; comment: get well soon"]
    assert [person.student for person in plan.adjusting.missing] == ["Cleo Dyck"]
    assert plan.adjusting.sources == ("Ada Lovelace", "Dan")
    assert plan.notices == (
        "3 of 4 on the roster have handed in nothing: Ben Okafor, Cleo Dyck, Zoe Poe",
        "overruled, but nothing was handed in, and no points are given in its place: Cleo Dyck",
    )


def test_work_is_meant_by_the_name_in_the_table_and_by_that_of_the_platform(tmp_path: Path) -> None:
    roster = "name,team", "Ada Lovelace,Rocket", "Ben Okafor,Rocket"
    sources_of = plan_with(tmp_path, "masks-rocket", roster=roster).adjusting.sources_of
    codes = plan_with(tmp_path, "masks-rocket", roster=roster, key=tmp_path / "key.csv").adjusting

    assert sources_of("Ben Okafor") == ("rocket",)
    assert {*sources_of("rocket")} == {"rocket"}
    assert sources_of("Cleo") == ()
    assert [codes.sources_of(entry.student) for entry in codes.entries] == [codes.sources[:1]] * 2


def test_coming_late_counts_after_single_marks_and_before_the_whole(tmp_path: Path) -> None:
    works = (f"x_{name}_attempt_2026-03-02-10-00-00_ex01_softmax.py" for name in ("ada", "ben"))
    overrules = HEAD, "ada,ex01,4,,,", "ben,,9.5,,,"
    plan = plan_with(tmp_path, *works, overrules=overrules, deadline=END, late="10% per day")
    ada, ben = reported(plan).values()

    assert (ada.score, ben.score) == (9, 9.5)
    assert [change.kind for change in ben.adjustments] == ["late", "overruled"]


def test_toml_says_the_same(tmp_path: Path) -> None:
    text = '[[overrule]]\nstudent = "ada"\nexercise = "ex01"\npoints = 2.5\nreason = "x"\n'
    toml = table(tmp_path / "o.toml", text)
    csv = table(tmp_path / "o.csv", HEAD, "ada,ex01,2.5,,,x")
    folder = write(tmp_path / "class", "ada")

    assert reported(plan_for(folder, overrules=toml)) == reported(plan_for(folder, overrules=csv))


def test_students_are_found_as_the_roster_knows_them_and_teams_as_a_whole(tmp_path: Path) -> None:
    roster = ("name,login,team", "Ada Lovelace,adal,Rocket", "Ben Okafor,ben,Rocket",
              "Cleo Dyck,cleo,")  # fmt: skip
    overrules = HEAD, "rocket,ex01,1,,,", "Dyck Cleo,ex01,2,,,", "ADAL,ex05,3,,,"
    plan = plan_with(tmp_path, "masks-rocket", "masks-cleo", roster=roster, overrules=overrules)

    assert {name: verdict.score for name, verdict in reported(plan).items()} == {
        "Ada Lovelace": 4, "Ben Okafor": 7, "Cleo Dyck": 8
    }  # fmt: skip


@pytest.mark.parametrize(("rows", "reasons"), [
    (["zoe,ex01,1,,,"], ["2: nobody who handed in, or is on the roster, is called zoe"]),
    ([",ex01,1,,,"], ["2: no student is named"]),
    (["ada,ex99,1,,,"], ["2: no exercise is called ex99"]),
    (["ada,ex01,5,,,"], ["2: 5 points, and there are 4"]),
    (["ada,,11,,,"], ["2: 11 points, and there are 10"]),
    (["ada,ex01,,-5,,"], ["2: 5 points, and there are 4"]),
    (["ada,ex01,+1,,,"],
     ["2: +1 has a sign: what is added to a mark belongs into the column adjustment"]),
    (["ada,ex01,-1,,,"], ["2: -1 has a sign"]),
    (["ada,ex01,one,,,"], ["2: one is not a number of points"]),
    (["ada,ex01,nan,,,"], ["2: nan is not a number of points"]),
    (["ada,ex01,1,1,,"], ["2: points and adjustment cannot both be given"]),
    (["ada,ex01,,,,"],
     ["2: neither points, adjustment, comment, reason nor handed_in is given"]),
    (["", "ada,ex01,9,,,", "zoe,,1,,,", "ben,ex01,1,,,", "BEN,ex01,2,,,"],
     ["3: 9 points, and there are 4", "4: nobody who", "6: the same is decided twice"]),
])  # fmt: skip
def test_each_row_that_cannot_be_applied_gets_a_line(
    tmp_path: Path, rows: list[str], reasons: list[str]
) -> None:
    with pytest.raises(UserError) as error:
        plan_with(tmp_path, "ada", "ben", overrules=[HEAD, *rows])

    for line, reason in zip(str(error.value).splitlines(), reasons, strict=True):
        assert line.startswith(f"{tmp_path / 'overrules.csv'}, line {reason}")


@pytest.mark.parametrize(("name", "text", "reason"), [
    ("o.csv", "student,marks\nada,1\n", "marks is not known here"),
    ("o.csv", "exercise,points\nex01,1\n", "has no column student"),
    ("o.toml", "student = 1\n", r"has to consist of tables \[\[overrule\]\]"),
    ("o.toml", "[[overrule]]\nwho = 1\n", "who is not known here"),
    ("o.toml", "[[overrule", "cannot be read"),
])  # fmt: skip
def test_what_is_no_such_file_is_told(tmp_path: Path, name: str, text: str, reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        plan_for(write(tmp_path / "class", "ada"), overrules=table(tmp_path / name, text))


@pytest.mark.parametrize(("row", "more", "notices"), [
    ("ada,ex09,1,,,", {},
     ("overrules about exercises that are not graded here were left out: 1",)),
    ("ben,ex01,,+1,,", {"roster": ("name", "ada", "ben")},
     ("1 of 2 on the roster has handed in nothing: ben", "overruled, but nothing was handed in, "
      "and no points are given in its place: ben")),
    ("ben,ex01,1,,,", {"strict": False}, ()),
], ids=["not graded here", "nothing handed in", "another student"])  # fmt: skip
def test_what_does_not_apply_is_left_out(
    tmp_path: Path, row: str, more: dict[str, Any], notices: tuple[str, ...]
) -> None:
    plan = plan_with(tmp_path, "ada", overrules=(HEAD, row, "ada,ex01,1,,,"), **more)

    assert {name: verdict.score for name, verdict in reported(plan).items()} == {"ada": 7}
    assert plan.notices == notices
