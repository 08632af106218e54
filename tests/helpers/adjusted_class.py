"""A class of plain folders or exports, with verdicts that nobody had to grade."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.grading.adjusted import adjusted
from kata.grading.collecting.submissions import listing
from kata.grading.late import read_deadline, read_rule
from kata.grading.options import Options
from kata.grading.plan import Choices, Plan, planned
from kata.marks import Mark
from kata.verdict import ClaimVerdict, ExerciseVerdict, State

EX01, EX05 = "ex01_softmax", "ex05_causal_masks"
POINTS = {EX01: 4.0, EX05: 6.0}
END = "2026-03-01 23:59 UTC"
Lines = Sequence[str]
RULE = "10% per day, grace 2 days, at most 50%"


def write(folder: Path, *names: str) -> Path:
    """Work under these names; a name with an ending is a file, any other a folder."""
    for name in names:
        path = folder / name if name.endswith((".py", ".zip")) else folder / name / f"{EX01}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"work = 1\n")
    return folder


def table(path: Path, *lines: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def choices(**more: Any) -> Choices:
    """What was asked for, with a deadline and a rule in words."""
    if "deadline" in more:
        more["deadline"] = read_deadline(more["deadline"])
    if "late" in more:
        more["late"] = read_rule(more["late"])
    return Choices(**more)


def plan_for(folder: Path, *, strict: bool = True, **more: Any) -> Plan:
    options = Options(tuple(POINTS), POINTS)
    students = listing(folder)
    return planned(students, choices(**more), options, folder.parent / "grades", strict=strict)


def plan_with(
    home: Path, *works: str, roster: Lines = (), overrules: Lines = (), **more: Any
) -> Plan:
    """For these works, with tables of these lines."""
    for name, lines in (("roster", roster), ("overrules", overrules)):
        if lines:
            more[name] = table(home / f"{name}.csv", *lines)
    return plan_for(write(home / "masks-submissions", *works), **more)


def graded(student: str, first: float = 3.0, second: float = 6.0) -> SubmissionVerdict:
    claims = (ClaimVerdict("test_it", State.PASSED),)
    exercises = tuple(ExerciseVerdict(slug, claims) for slug in POINTS)
    return SubmissionVerdict(student, exercises, (Mark(first, 4.0), Mark(second, 6.0)))


def reported(plan: Plan, **problems: str) -> dict[str, SubmissionVerdict]:
    """Everybody's verdict as reports get it: 9 of 10 points before anything is changed."""
    everybody = [
        SubmissionVerdict(source, problem=problems[source])
        if source in problems
        else graded(source)
        for source in plan.adjusting.sources
    ]
    verdicts = adjusted(ClassVerdict(lambda: iter(everybody), POINTS), plan.adjusting)
    return {verdict.student: verdict for verdict in verdicts.submissions()}
