"""Who is in the class: names for logins, those who are missing, and teams."""

from pathlib import Path

import pytest

from kata.class_verdict import Missing
from kata.errors import UserError
from kata.grading.people import read_roster
from tests.helpers.adjusted_class import plan_for, reported, table, write

HEAD = "Name,ID,Login,Email,Section,Team"
ADA = "Ada Lovelace,201,adal,ada@example.org,North,Rocket"
BEN = "Ben Okafor,202,benok,ben@example.org,South,Rocket"
CLEO = "Cleo van Dyck,203,cleo,cleo@example.org,North,"
WHO = "--names names.csv says who they are"
METADATA = """---
submission_1:
  :submitters:
  - :name: Ada Lovelace
    :sid: '201'
  - :name: Ben Okafor
    :sid: '202'
  - :name: Uma Unknown
    :sid: '999'
"""


@pytest.mark.parametrize(("head", "row"), [
    ("name,id", "Ada Lovelace,201"), ("NAME;Student ID", "Ada Lovelace;201"),
    ("First name,Surname,ID number,Email address", "Ada,Lovelace,201,"),
    ("Identifier,Full name,Status", "Participant 201,Ada Lovelace,No submission"),
    ("Student,ID,SIS User ID,Section", "Ada Lovelace,201,,"),
    ("full_name,user_id,what else", "Ada Lovelace,201,x"),
])  # fmt: skip
def test_a_roster_has_any_of_the_known_columns(tmp_path: Path, head: str, row: str) -> None:
    (person,) = read_roster(table(tmp_path / "roster.csv", head, row))

    assert (person.name, person.ids) == ("Ada Lovelace", ("201",))


def test_a_gradebook_of_canvas_is_a_roster(tmp_path: Path) -> None:
    path = table(tmp_path / "r.csv", "Student,ID,SIS Login ID,Section,Masks (7)",
                 "    Points Possible,,,,10", '"Doe, Jane",101,jdoe,A,',
                 '"Student, Test",7,x,A,')  # fmt: skip
    (person,) = read_roster(path)

    assert (person.name, person.id, person.login, person.section) == (
        "Doe, Jane", "101", "jdoe", "A"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "told"),
    [(["team,room", "a,b"], "has no column that tells who is who"), ([], "is empty"),
     (["name,id", "a,b,c"], "more cells")],
)  # fmt: skip
def test_what_is_no_roster_is_told(tmp_path: Path, lines: list[str], told: str) -> None:
    with pytest.raises(UserError, match=told):
        read_roster(table(tmp_path / "roster.csv", *lines))


@pytest.mark.parametrize(
    "name", ["adal", "Ada Lovelace", "ada lovelace", "Lovelace, Ada", "ada@example.org", "201",
             "lovelaceada_201_9001_ex01_softmax.py", "lovelaceada_7777_9001_ex01_softmax.py",
             "Ada Lovelace_201_assignsubmission_file_", "m_adal_attempt_2026-03-01-10-00-00_x.py"],
)  # fmt: skip
def test_whoever_handed_in_is_found(tmp_path: Path, name: str) -> None:
    table(tmp_path / "roster.csv", HEAD, ADA, BEN)
    plan = plan_for(write(tmp_path / "class", name), roster=tmp_path / "roster.csv")

    (found,) = reported(plan).values()
    assert (found.student, found.section, found.team) == ("Ada Lovelace", "North", "Rocket")
    assert plan.notices == ("1 of 2 on the roster has handed in nothing: Ben Okafor",)
    assert plan.adjusting.missing == (Missing("Ben Okafor", "202", "South", "Rocket"),)


TEAM = ["Ada Lovelace", "Ben Okafor"]
MEANT: dict[str, tuple[list[str], list[str], list[str]]] = {
    "any word of a name in front": (
        [CLEO], ["vandyckcleo_203_9001_ex01_softmax.py"], ["Cleo van Dyck"]
    ),
    "without accents, where one person is meant": (
        ["René d'Aville,1,r,,,", "Zoé,2,c,,,", "Zoë,3,d,,,"],
        ["Rene d'Aville", "Zoe"],
        ["René d'Aville", "Zoe"],
    ),
    **{
        f"{team} as {work}": (
            [ADA.replace("Rocket", team), BEN.replace("Rocket", team), CLEO],
            ["masks-cleo", work],
            [*TEAM, "Cleo van Dyck"],
        )
        for team, work in (("Rocket", "masks-team-rocket"), ("Team Rocket", "masks-rocket"),
                           ("Group 7", "masks-7"))
    },
}  # fmt: skip


@pytest.mark.parametrize("spelling", MEANT)
def test_names_of_files_may_be_spelled_otherwise(tmp_path: Path, spelling: str) -> None:
    rows, works, names = MEANT[spelling]
    table(tmp_path / "roster.csv", HEAD, *rows)
    folder = write(tmp_path / "masks-submissions", *works)

    assert [*reported(plan_for(folder, roster=tmp_path / "roster.csv"))] == names


def test_a_number_decides_between_people_of_one_name(tmp_path: Path) -> None:
    table(tmp_path / "roster.csv", "name,id", "Wei Zhang,1001", "Wei Zhang,1002", "Wei Zhang,1003")
    names = ("zhangwei_1002_9001_ex01_softmax.py", "zhangwei_1001_9002_ex01_softmax.py")
    plan = plan_for(write(tmp_path / "class", *names), roster=tmp_path / "roster.csv")

    assert [*reported(plan)] == ["Wei Zhang (1001)", "Wei Zhang (1002)"]
    assert plan.notices == ("1 of 3 on the roster has handed in nothing: Wei Zhang (1003)",)


def test_what_would_tell_people_of_one_name_apart_is_told(tmp_path: Path) -> None:
    table(tmp_path / "roster.csv", "name,section", "Wei Zhang,North", "Wei Zhang,South")
    names = ("zhangwei_1002_9001_ex01_softmax.py", "zhangwei_1001_9002_ex01_softmax.py")
    plan = plan_for(write(tmp_path / "class", *names), roster=tmp_path / "roster.csv")

    assert plan.undecided == (
        f"not on the roster: zhangwei (1001), zhangwei (1002); {WHO}",
        "more than one on the roster is called Wei Zhang: a column id, login or email tells whose "
        "work it is",
    )


def test_who_is_not_on_the_roster_keeps_their_name_and_is_told(tmp_path: Path) -> None:
    table(tmp_path / "roster.csv", HEAD, ADA)
    folder = write(tmp_path / "class", "adal", "zoe")
    plan = plan_for(folder, roster=tmp_path / "roster.csv")

    assert [*reported(plan)] == ["Ada Lovelace", "zoe"]
    assert plan.undecided == (f"not on the roster: zoe; {WHO}",)


def test_two_works_of_one_person_keep_their_names(tmp_path: Path) -> None:
    table(tmp_path / "roster.csv", HEAD, ADA)
    folder = write(tmp_path / "class", "adal", "ada@example.org")
    plan = plan_for(folder, roster=tmp_path / "roster.csv")

    assert [*reported(plan)] == ["ada@example.org", "adal"]
    assert plan.undecided == (
        "ada@example.org, adal may all be Ada Lovelace of the roster: each was graded under its "
        "own name; --names names.csv says whose they are",
        f"not on the roster: ada@example.org, adal; {WHO}",
    )


def test_a_group_of_gradescope_is_a_mark_for_each_member(tmp_path: Path) -> None:
    table(tmp_path / "roster.csv", HEAD, ADA, BEN, CLEO)
    folder = write(tmp_path / "class", "submission_1")
    (folder / "submission_metadata.yml").write_text(METADATA)
    plan = plan_for(folder, roster=tmp_path / "roster.csv")
    found = reported(plan)

    assert [(each.student, each.id, each.score) for each in found.values()] == [
        ("Ada Lovelace", "201", 9), ("Ben Okafor", "202", 9), ("Uma Unknown", "999", 9)
    ]  # fmt: skip
    assert found["Ben Okafor"].notes == ("handed in together with Ada Lovelace, Uma Unknown",)
    assert plan.undecided == (f"not on the roster: Uma Unknown; {WHO}",)
    assert plan.notices == ("1 of 3 on the roster has handed in nothing: Cleo van Dyck",)


def test_the_repository_of_a_team_is_a_mark_for_each_member(tmp_path: Path) -> None:
    table(tmp_path / "roster.csv", HEAD, ADA.replace("Rocket", "Team Rocket"),
          BEN.replace("Rocket", "Team Rocket"), CLEO)  # fmt: skip
    folder = write(tmp_path / "masks-submissions", "masks-team-rocket", "masks-cleo")
    plan = plan_for(folder, roster=tmp_path / "roster.csv")
    found = reported(plan)

    assert [*found] == ["Ada Lovelace", "Ben Okafor", "Cleo van Dyck"]
    assert {each.team for each in found.values()} == {"Team Rocket", ""}
    assert plan.label("team-rocket") == "Ada Lovelace, Ben Okafor"
    assert plan.by_source({("Ada Lovelace, Ben Okafor", "ex01"): "alike"}) == {
        ("team-rocket", "ex01"): "alike"
    }


def test_own_work_counts_before_that_of_the_team(tmp_path: Path) -> None:
    table(tmp_path / "roster.csv", HEAD, ADA, BEN)
    folder = write(tmp_path / "masks-submissions", "masks-rocket", "masks-adal")
    plan = plan_for(folder, roster=tmp_path / "roster.csv")

    assert [(each.source, each.student) for each in plan.adjusting.entries] == [
        ("adal", "Ada Lovelace"), ("rocket", "Ben Okafor")
    ]  # fmt: skip


def test_a_large_list_of_missing_people_is_cut(tmp_path: Path) -> None:
    table(tmp_path / "roster.csv", "login", "ada", *(f"s{number:03}" for number in range(50)))
    plan = plan_for(write(tmp_path / "class", "ada"), roster=tmp_path / "roster.csv")

    assert plan.notices[0].startswith("50 of 51 on the roster have handed in nothing: s000, s001,")
    assert plan.notices[0].endswith(" s039 and 10 more, in grades.csv")


def test_of_one_student_looked_at_again_nobody_is_missing(tmp_path: Path) -> None:
    table(tmp_path / "roster.csv", HEAD, ADA, BEN)
    plan = plan_for(write(tmp_path / "class", "adal"), strict=False,
                    roster=tmp_path / "roster.csv")  # fmt: skip

    assert (plan.notices, plan.adjusting.missing) == ((), ())
