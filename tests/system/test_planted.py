"""A class with planted mistakes: what was misunderstood is named first, and cost decides what."""

import csv
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from kata.course.catalogue import bugs
from kata.course.curriculum import ROOT, exercises
from kata.grading import sandbox
from tests.helpers.answers import spelled
from tests.helpers.grader import grader
from tests.helpers.sampling import sample

ALL: list[dict[str, Any]] = tomllib.loads(
    (ROOT / "tests" / "specimens" / "planted" / "works.toml").read_text(encoding="utf-8")
)["work"]
SLUGS = sample(sorted({work["slug"] for work in ALL}), ["ex05_causal_masks"], one_in=20)
WORKS = [work for work in ALL if work["slug"] in SLUGS]
SEED = 11
ENOUGH = 0.9  # of the planted mistakes are named first
TITLES = {
    (slug, bug.slug): bug.title for slug, exercise in exercises().items() for bug in bugs(exercise)
}
UNREADABLE = ("Yan", b"this is no Python (")
SAME = ("Zoe", "Zac")  # who have the same strange answer

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason="not all promises can be kept here")


@dataclass(frozen=True)
class Graded:
    """What one run has written and printed."""

    folder: Path
    out: str

    @property
    def rows(self) -> dict[str, dict[str, str]]:
        with (self.folder / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
            return {row["student"]: row for row in csv.DictReader(file)}

    @property
    def report(self) -> str:
        return unescape(re.sub(r"</?code>", "", (self.folder / "report.html").read_text("utf-8")))

    def feedback(self, student: str) -> str:
        text = (self.folder / "feedback" / f"{student}.md").read_text("utf-8")
        return text.replace("\\", "").replace("`", "")

    def advice(self, work: dict[str, Any]) -> str:
        """What a student's page says about one exercise."""
        return (
            self.feedback(work["student"]).partition(f"### {short(work)}: ")[2].split("\n### ")[0]
        )

    def row(self, work: dict[str, Any]) -> str:
        """What the report says about one exercise of a student."""
        student = self.report.partition(f"<bdi>{work['student']}</bdi></button>")[2]
        return student.partition(f"<strong>{short(work)} ")[2].partition('<p class="of">')[0]


def short(work: dict[str, Any]) -> str:
    return str(work["slug"][:4])


def hand_in(folder: Path, student: str, slug: str, content: bytes) -> None:
    (folder / student).mkdir(exist_ok=True, parents=True)
    (folder / student / f"{slug}.py").write_bytes(content)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """The planted works, two strange ones, one that is no Python, and a little of everybody's."""
    home = tmp_path_factory.mktemp("planted")
    for work in WORKS:
        text = spelled(work["slug"], work["bodies"])
        hand_in(home / "class", work["student"], work["slug"], text.encode())
    hand_in(home / "class", UNREADABLE[0], "ex05_causal_masks", UNREADABLE[1])
    strange = {"mask_weights": "return (weights * mask).sqrt().round(decimals=1) / 7"}
    for student in SAME:
        text = f"{spelled('ex05_causal_masks', strange)}# {student}\n"
        hand_in(home / "class", student, "ex05_causal_masks", text.encode())
    only = [word for each in dict.fromkeys(map(short, WORKS)) for word in ("--only", each)]
    done = grader(home, "class", *only, "--seed", str(SEED), "--report", "feedback")
    assert done.status == 0, done.err
    return Graded(home / "grades", done.out)


def title(work: dict[str, Any], slug: str) -> str:
    return TITLES[work["slug"], slug].replace("`", "")


def share(found: list[bool]) -> float:
    return sum(found) / len(found)


def test_there_are_enough_works_of_several_kinds() -> None:
    assert len({work["student"] for work in ALL}) >= 60
    assert len({(work["slug"], work["first"]) for work in ALL}) >= 50
    assert len({work["slug"] for work in ALL}) >= 18
    assert sum(len(work["also"]) > 0 for work in ALL) >= 8


def test_the_table_names_the_planted_mistake_first(graded: Graded) -> None:
    def first(work: dict[str, Any]) -> bool:
        cell = graded.rows[work["student"]]["mistakes"].replace("`", "")
        mine = f"; {cell};".partition(f"; {short(work)}: ")[2]
        return mine.startswith(tuple(title(work, work["first"]) + end for end in (";", " / ")))

    assert share(list(map(first, WORKS))) >= ENOUGH


def test_the_table_names_the_others_too(graded: Graded) -> None:
    cells = {name: row["mistakes"].replace("`", "") for name, row in graded.rows.items()}
    found = [title(work, each) in cells[work["student"]] for work in WORKS for each in work["also"]]

    assert share(found) >= ENOUGH


def test_feedback_names_it_first_with_its_evidence_and_one_hint_each(graded: Graded) -> None:
    def first(work: dict[str, Any]) -> bool:
        causes = graded.advice(work).split("**Likely cause:**")[1:]
        return bool(causes) and title(work, work["first"]) in causes[0]

    assert share(list(map(first, WORKS))) >= ENOUGH
    ben = graded.feedback("Ben")
    assert ben.count("**Hint:**") == ben.count("**Likely cause:**") == ben.count("\n> ") == 3
    assert "Three things to look at, what costs most first:" in ben


def test_the_report_names_it_first(graded: Graded) -> None:
    def first(work: dict[str, Any]) -> bool:
        cause = graded.row(work).partition('<p class="cause">')[2].partition("</p>")[0]
        return title(work, work["first"]) in cause.replace("`", "")

    assert share(list(map(first, WORKS))) >= ENOUGH


def students(told: str) -> list[str]:
    return re.findall(r"; [\d.]+ points?, (\d+) student", told)


def test_what_is_to_be_repeated_is_what_most_have_made(graded: Graded) -> None:
    makers = Counter(
        (work["slug"], each) for work in WORKS for each in (work["first"], *work["also"])
    )
    told = re.findall(r"<ol class=\"repeat dearest\">(.*?)</ol>", graded.report, re.DOTALL)[0]
    named = [each.partition(" / ")[0] for each in re.findall(r"<strong>(.*?)</strong>", told)]
    shorts = re.findall(r"ex\d\d", told)
    found = {(key[0][:4], TITLES[key].replace("`", "")): count for key, count in makers.items()}

    theirs = [found[each] for each in zip(shorts, named, strict=True)]
    assert theirs == sorted(found.values(), reverse=True)[:3]
    # The terminal tells of what several students got wrong.
    several = [name for name, count in zip(named, students(told), strict=True) if count != "1"]
    places = [graded.out.replace("\n  ", " ").find(name) for name in several]
    assert several
    assert -1 not in places
    assert places == sorted(places)


def test_terminal_and_report_count_the_same(graded: Graded) -> None:
    told = re.findall(r"<ol class=\"repeat dearest\">(.*?)</ol>", graded.report, re.DOTALL)[0]
    of_report = re.findall(r"; ([\d.]+) points?, (\d+) student", told)
    of_terminal = re.findall(r"([\d.]+) points? lost by (\d+) students in ex\d\d: (?!no known)",
                             graded.out)  # fmt: skip

    assert of_terminal
    assert of_terminal == [each for each in of_report if each[1] != "1"]


def test_works_that_no_mistake_explains_are_a_group(graded: Graded) -> None:
    exercise = graded.report.partition('<ol class="repeat">')[2].partition("</ol>")[0]
    (group,) = re.findall(
        r"<li>(?:(?!<li>).)*no known mistake explains why.*?</li>", exercise, re.DOTALL
    )

    assert f"{len(SAME)} students" in group
    assert "mask_weights(" in group  # the first failing call


def test_what_is_no_python_costs_no_exercise_its_place(graded: Graded) -> None:
    assert "without 1 file that is no Python" in graded.report
