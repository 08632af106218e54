"""What an instructor has decided: applied to the marks, told as such, refused where impossible."""

from pathlib import Path

import pytest

from kata.errors import UserError
from kata.grading.reports import wording
from kata.points import Adjustment, Mark
from tests.helpers.adjusted_class import END, EX01, plan_for, reported, table, write

HEAD = "student,exercise,points,adjustment,comment,reason"
SAID = "overruled by the instructor"


def test_marks_are_replaced_and_adjusted_and_what_they_were_is_kept(tmp_path: Path) -> None:
    rows = table(tmp_path / "o.csv", HEAD, "ada,ex01,2.5,,see me,too short",
                 "ada,ex05,,-1,,", "ben,,7,,,", "cem,,,+0.5,,")  # fmt: skip
    plan = plan_for(write(tmp_path / "class", "ada", "ben", "cem", "dan"), overrules=rows)
    found = reported(plan)

    assert [each.score for each in found.values()] == [7.5, 7, 9.5, 9]
    assert [each.earned for each in found.values()] == [9] * 4
    assert found["ada"].marks == (Mark(2.5, 4), Mark(5, 6))
    assert found["ada"].marks_by_claims == (Mark(3, 4), Mark(6, 6))
    assert found["ada"].adjustments[0] == Adjustment(
        "overruled", 3, 2.5, EX01, SAID, "see me", "too short"
    )
    assert found["dan"].adjustments == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_a_table_may_be_as_a_european_spreadsheet_saves_it(tmp_path: Path, encoding: str) -> None:
    text = "student;exercise;adjustment;reason\nada;ex05;-1,5;zu spät\n"
    (tmp_path / "o.csv").write_bytes(text.encode(encoding))
    plan = plan_for(write(tmp_path / "class", "ada"), overrules=tmp_path / "o.csv")

    (made,) = reported(plan)["ada"].adjustments
    assert (made.points, made.reason) == (-1.5, "zu spät")


def test_a_mark_is_never_below_nothing_and_a_bonus_counts(tmp_path: Path) -> None:
    rows = table(tmp_path / "o.csv", HEAD, "ada,ex01,,+4,,", "ada,ex05,,-6,,", "ben,,,+10,,")
    found = reported(plan_for(write(tmp_path / "class", "ada", "ben"), overrules=rows))

    assert [mark.score for mark in found["ada"].marks] == [7, 0]
    assert wording.changes(found["ada"]) == [
        "ex01: from 3 to 7 points, a bonus of the instructor's, above what there is",
        f"ex05: from 6 to 0 points, {SAID}",
    ]
    assert found["ben"].score == 19


def test_the_reason_is_for_instructors_and_the_comment_for_the_student(tmp_path: Path) -> None:
    rows = table(tmp_path / "o.csv", HEAD, "ada,ex01,2,,see me,too short", "ada,,,,well done,",
                 "ada,,,,,met in the office")  # fmt: skip
    ada = reported(plan_for(write(tmp_path / "class", "ada"), overrules=rows))["ada"]

    assert wording.changes(ada) == [
        f"ex01: from 3 to 2 points, {SAID}; comment: see me", "comment: well done"
    ]  # fmt: skip
    assert wording.changes(ada, reasons=True)[0].endswith("comment: see me; reason: too short")
    assert wording.notes(ada)[-1] == "reason: met in the office"


def test_work_that_could_not_be_graded_gets_the_mark_that_the_instructor_gives(
    tmp_path: Path,
) -> None:
    rows = table(tmp_path / "o.csv", HEAD, "ada,ex05,5,,read by hand,", "ben,,8,,,", "cem,,,,rar?,")
    plan = plan_for(write(tmp_path / "class", "ada", "ben", "cem"), overrules=rows)
    found = reported(plan, ada="a rar archive", ben="a rar archive", cem="a rar archive")

    assert [(each.score, each.most, each.problem) for each in found.values()] == [
        (5, 10, ""), (8, 10, ""), (0, 0, "a rar archive")
    ]  # fmt: skip
    assert found["ada"].notes == ("a rar archive",)
    assert found["ada"].by_hand
    assert wording.notes(found["cem"]) == ["a rar archive", "comment: rar?"]


def test_somebody_who_handed_in_nothing_can_get_a_mark_all_the_same(tmp_path: Path) -> None:
    roster = table(tmp_path / "r.csv", "name,id,section", "Ada Lovelace,1,N", "Ben Okafor,2,S",
                   "Cleo Dyck,3,S", "Zoe Poe,4,N")  # fmt: skip
    rows = table(tmp_path / "o.csv", HEAD, "Zoe Poe,,6,,get well soon,ill", "Ben Okafor,ex01,4,,,",
                 "Cleo Dyck,,,,where is it?,")  # fmt: skip
    folder = write(tmp_path / "class", "Ada Lovelace", "Dan")
    plan = plan_for(folder, overrules=rows, roster=roster)
    found = reported(plan)

    assert {name: (each.score, each.status) for name, each in found.items()} == {
        "Ada Lovelace": (9, "graded"), "Ben Okafor": (4, "missing"), "Dan": (9, "graded"),
        "Zoe Poe": (6, "missing"),
    }  # fmt: skip
    assert (found["Zoe Poe"].id, found["Zoe Poe"].section) == ("4", "N")
    assert wording.changes(found["Zoe Poe"]) == [
        f"score: from 0 to 6 points, {SAID}; comment: get well soon"
    ]
    assert [each.student for each in plan.adjusting.missing] == ["Cleo Dyck"]
    assert plan.adjusting.sources == ("Ada Lovelace", "Dan")
    assert plan.notices == (
        "3 of 4 on the roster have handed in nothing: Ben Okafor, Cleo Dyck, Zoe Poe",
        "overruled, but nothing was handed in, and no points are given in its place: Cleo Dyck",
    )


def test_work_is_meant_by_the_name_in_the_table_and_by_that_of_the_platform(tmp_path: Path) -> None:
    roster = table(tmp_path / "r.csv", "name,team", "Ada Lovelace,Rocket", "Ben Okafor,Rocket")
    folder = write(tmp_path / "masks-submissions", "masks-rocket")
    called = plan_for(folder, roster=roster).adjusting.sources_of
    codes = plan_for(folder, roster=roster, key=tmp_path / "key.csv").adjusting

    assert called("Ben Okafor") == ("rocket",)
    assert {*called("rocket")} == {"rocket"}
    assert called("Cleo") == ()
    assert [codes.sources_of(each.student) for each in codes.entries] == [codes.sources[:1]] * 2


def test_coming_late_counts_after_single_marks_and_before_the_whole(tmp_path: Path) -> None:
    folder = write(tmp_path / "class", "x_ada_attempt_2026-03-02-10-00-00_ex01_softmax.py",
                   "x_ben_attempt_2026-03-02-10-00-00_ex01_softmax.py")  # fmt: skip
    rows = table(tmp_path / "o.csv", HEAD, "ada,ex01,4,,,", "ben,,9.5,,,")
    found = reported(plan_for(folder, overrules=rows, deadline=END, late="10% per day"))

    assert found["ada"].score == 9
    assert found["ben"].score == 9.5
    assert [each.kind for each in found["ben"].adjustments] == ["late", "overruled"]


def test_toml_says_the_same(tmp_path: Path) -> None:
    text = '[[overrule]]\nstudent = "ada"\nexercise = "ex01"\npoints = 2.5\nreason = "x"\n'
    (tmp_path / "o.toml").write_text(text)
    rows = table(tmp_path / "o.csv", HEAD, "ada,ex01,2.5,,,x")
    folder = write(tmp_path / "class", "ada")

    assert reported(plan_for(folder, overrules=tmp_path / "o.toml")) == reported(
        plan_for(folder, overrules=rows)
    )


def test_students_are_found_as_the_roster_knows_them_and_teams_as_a_whole(tmp_path: Path) -> None:
    roster = table(tmp_path / "r.csv", "name,login,team", "Ada Lovelace,adal,Rocket",
                   "Ben Okafor,ben,Rocket", "Cleo Dyck,cleo,")  # fmt: skip
    folder = write(tmp_path / "masks-submissions", "masks-rocket", "masks-cleo")
    rows = table(tmp_path / "o.csv", HEAD, "rocket,ex01,1,,,", "Dyck Cleo,ex01,2,,,",
                 "ADAL,ex05,3,,,")  # fmt: skip
    found = reported(plan_for(folder, overrules=rows, roster=roster))

    assert {each.student: each.score for each in found.values()} == {
        "Ada Lovelace": 4, "Ben Okafor": 7, "Cleo Dyck": 8
    }  # fmt: skip


@pytest.mark.parametrize(("line", "told"), [
    ("zoe,ex01,1,,,", "nobody who handed in, or is on the roster, is called zoe"),
    (",ex01,1,,,", "no student is named"), ("ada,ex99,1,,,", "no exercise is called ex99"),
    ("ada,ex01,5,,,", "5 points, and there are 4"), ("ada,,11,,,", "11 points, and there are 10"),
    ("ada,ex01,,-5,,", "5 points, and there are 4"),
    ("ada,ex01,+1,,,", "+1 has a sign: what is added to a mark belongs into the column"),
    ("ada,ex01,-1,,,", "-1 has a sign"), ("ada,ex01,one,,,", "one is not a number of points"),
    ("ada,ex01,nan,,,", "nan is not a number of points"),
    ("ada,ex01,1,1,,", "points and adjustment cannot both be given"),
    ("ada,ex01,,,,", "neither points, adjustment, comment, reason nor handed_in is given"),
])  # fmt: skip
def test_a_row_that_cannot_be_applied_is_one_line(tmp_path: Path, line: str, told: str) -> None:
    rows = table(tmp_path / "o.csv", HEAD, line)

    with pytest.raises(UserError) as error:
        plan_for(write(tmp_path / "class", "ada", "ben"), overrules=rows)
    assert str(error.value).startswith(f"{rows}, line 2: {told}")
    assert "\n" not in str(error.value)


def test_all_such_rows_are_told_at_once(tmp_path: Path) -> None:
    rows = table(tmp_path / "o.csv", HEAD, "ada,ex01,9,,,", "zoe,,1,,,", "ben,ex01,1,,,",
                 "BEN,ex01,2,,,")  # fmt: skip

    with pytest.raises(UserError) as error:
        plan_for(write(tmp_path / "class", "ada", "ben"), overrules=rows)
    assert [each.partition(": ")[0] for each in str(error.value).splitlines()] == [
        f"{rows}, line {number}" for number in (2, 3, 5)
    ]
    assert "the same is decided twice" in str(error.value)


@pytest.mark.parametrize(("name", "text", "told"), [
    ("o.csv", "student,marks\nada,1\n", "marks is not known here"),
    ("o.csv", "exercise,points\nex01,1\n", "has no column student"),
    ("o.toml", "student = 1\n", r"has to consist of tables \[\[overrule\]\]"),
    ("o.toml", "[[overrule]]\nwho = 1\n", "who is not known here"),
    ("o.toml", "[[overrule", "cannot be read"),
])  # fmt: skip
def test_what_is_no_such_file_is_told(tmp_path: Path, name: str, text: str, told: str) -> None:
    (tmp_path / name).write_text(text)

    with pytest.raises(UserError, match=told):
        plan_for(write(tmp_path / "class", "ada"), overrules=tmp_path / name)


def test_rows_about_exercises_that_are_not_graded_here_are_left_out(tmp_path: Path) -> None:
    rows = table(tmp_path / "o.csv", HEAD, "ada,ex09,1,,,", "ada,ex01,1,,,")
    plan = plan_for(write(tmp_path / "class", "ada"), overrules=rows)

    assert reported(plan)["ada"].score == 7
    assert plan.notices == ("overrules about exercises that are not graded here were left out: 1",)


def test_a_decision_about_somebody_who_handed_in_nothing_waits(tmp_path: Path) -> None:
    roster = table(tmp_path / "r.csv", "name", "ada", "ben")
    rows = table(tmp_path / "o.csv", HEAD, "ben,ex01,,+1,,")
    plan = plan_for(write(tmp_path / "class", "ada"), overrules=rows, roster=roster)

    assert [*reported(plan)] == ["ada"]


def test_of_one_student_looked_at_again_decisions_about_others_do_not_matter(
    tmp_path: Path,
) -> None:
    rows = table(tmp_path / "o.csv", HEAD, "ada,ex01,1,,,", "ben,ex01,1,,,")
    plan = plan_for(write(tmp_path / "class", "ada"), overrules=rows, strict=False)

    assert reported(plan)["ada"].score == 7
