"""Who is in the class: names for logins, those who are missing, and teams."""

from pathlib import Path

import pytest

from kata.class_verdict import Missing
from kata.errors import UserError
from kata.grading.people import read_roster
from tests.helpers.adjusted_class import Lines, plan_with, reported, table

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


def test_what_is_no_roster_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no column that tells who is who"):
        read_roster(table(tmp_path / "roster.csv", "team,room", "a,b"))


@pytest.mark.parametrize(
    "name", ["adal", "Ada Lovelace", "ada lovelace", "Lovelace, Ada", "ada@example.org", "201",
             "lovelaceada_201_9001_ex01_softmax.py", "lovelaceada_7777_9001_ex01_softmax.py",
             "Ada Lovelace_201_assignsubmission_file_", "m_adal_attempt_2026-03-01-10-00-00_x.py"],
)  # fmt: skip
def test_whoever_handed_in_is_found(tmp_path: Path, name: str) -> None:
    plan = plan_with(tmp_path, name, roster=(HEAD, ADA, BEN))

    (ada,) = reported(plan).values()
    assert (ada.student, ada.section, ada.team) == ("Ada Lovelace", "North", "Rocket")
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

    assert [*reported(plan_with(tmp_path, *works, roster=(HEAD, *rows)))] == names


ZHANG = "zhangwei_1002_9001_ex01_softmax.py", "zhangwei_1001_9002_ex01_softmax.py"
UNDECIDED: dict[str, tuple[Lines, Lines, Lines, Lines]] = {
    "a number decides between people of one name": (
        ["name,id", "Wei Zhang,1001", "Wei Zhang,1002"], ZHANG,
        ["Wei Zhang (1001)", "Wei Zhang (1002)"], [],
    ),
    "nothing tells people of one name apart": (
        ["name,section", "Wei Zhang,North", "Wei Zhang,South"], ZHANG,
        ["zhangwei (1001)", "zhangwei (1002)"],
        [f"not on the roster: zhangwei (1001), zhangwei (1002); {WHO}",
         "more than one on the roster is called Wei Zhang: a column id, login or email tells whose "
         "work it is"],
    ),
    "who is not on the roster keeps their name": (
        [HEAD, ADA], ["adal", "zoe"], ["Ada Lovelace", "zoe"], [f"not on the roster: zoe; {WHO}"],
    ),
    "two works of one person keep their names": (
        [HEAD, ADA], ["adal", "ada@example.org"], ["ada@example.org", "adal"],
        ["ada@example.org, adal may all be Ada Lovelace of the roster: each was graded under its "
         "own name; --names names.csv says whose they are",
         f"not on the roster: ada@example.org, adal; {WHO}"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", UNDECIDED)
def test_what_the_instructor_has_to_decide(tmp_path: Path, case: str) -> None:
    roster, works, names, undecided = UNDECIDED[case]
    plan = plan_with(tmp_path, *works, roster=roster)

    assert [*reported(plan)] == [*names]
    assert plan.undecided == tuple(undecided)


def test_a_group_of_gradescope_is_a_mark_for_each_member(tmp_path: Path) -> None:
    table(tmp_path / "masks-submissions" / "submission_metadata.yml", METADATA)
    plan = plan_with(tmp_path, "submission_1", roster=(HEAD, ADA, BEN, CLEO))
    verdicts = reported(plan)

    assert [(name, verdict.id, verdict.score) for name, verdict in verdicts.items()] == [
        ("Ada Lovelace", "201", 9), ("Ben Okafor", "202", 9), ("Uma Unknown", "999", 9)
    ]  # fmt: skip
    assert verdicts["Ben Okafor"].notes == ("handed in together with Ada Lovelace, Uma Unknown",)
    assert plan.undecided == (f"not on the roster: Uma Unknown; {WHO}",)
    assert plan.notices == ("1 of 3 on the roster has handed in nothing: Cleo van Dyck",)


def test_the_repository_of_a_team_is_a_mark_for_each_member(tmp_path: Path) -> None:
    team = ADA.replace("Rocket", "Team Rocket"), BEN.replace("Rocket", "Team Rocket")
    plan = plan_with(tmp_path, "masks-team-rocket", "masks-cleo", roster=(HEAD, *team, CLEO))
    verdicts = reported(plan)

    assert [*verdicts] == ["Ada Lovelace", "Ben Okafor", "Cleo van Dyck"]
    assert {verdict.team for verdict in verdicts.values()} == {"Team Rocket", ""}
    assert plan.label("team-rocket") == "Ada Lovelace, Ben Okafor"
    assert plan.by_source({("Ada Lovelace, Ben Okafor", "ex01"): "alike"}) == {
        ("team-rocket", "ex01"): "alike"
    }


def test_own_work_counts_before_that_of_the_team(tmp_path: Path) -> None:
    plan = plan_with(tmp_path, "masks-rocket", "masks-adal", roster=(HEAD, ADA, BEN))

    assert [(entry.source, entry.student) for entry in plan.adjusting.entries] == [
        ("adal", "Ada Lovelace"), ("rocket", "Ben Okafor")
    ]  # fmt: skip


def test_who_is_missing_has_a_number_where_there_are_namesakes(tmp_path: Path) -> None:
    roster = "name,id", "Wei Zhang,1001", "Wei Zhang,1003"

    assert plan_with(tmp_path, ZHANG[1], roster=roster).notices == (
        "1 of 2 on the roster has handed in nothing: Wei Zhang (1003)",
    )


def test_a_large_list_of_missing_people_is_cut(tmp_path: Path) -> None:
    roster = ["login", "ada", *(f"s{number:03}" for number in range(50))]
    (notice,) = plan_with(tmp_path, "ada", roster=roster).notices

    assert notice.startswith("50 of 51 on the roster have handed in nothing: s000, s001,")
    assert notice.endswith(" s039 and 10 more, in grades.csv")


def test_of_one_student_looked_at_again_nobody_is_missing(tmp_path: Path) -> None:
    plan = plan_with(tmp_path, "adal", strict=False, roster=(HEAD, ADA, BEN))

    assert (plan.notices, plan.adjusting.missing) == ((), ())
