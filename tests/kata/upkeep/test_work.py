"""Each ingredient of a digest, changed in turn: exactly what depends on it is judged again."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kata.__main__ import main
from kata.commands import check
from kata.course import catalogue, source, target
from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import OWN, Exercise, exercises
from kata.course.target import Target
from kata.diagnosis import suspects
from kata.diagnosis.observe import Observation
from kata.judging import judge
from kata.upkeep import gates, records, right_answers, wrong_answers
from kata.upkeep.records import PARTS, changed, recorded, relying

ENTRY = """[{slug}]
title = "{slug}"
points = 1
minutes = 1
library = "numpy"
needs = [{needs}]
"""
SUITE = '''from kata.judging.claims import equal
from {beside} import ARGUMENT


def test_{name}_of_a_number(submission):
    """It grows."""
    equal(submission.{name}(ARGUMENT), {wanted} * ARGUMENT)


def test_{name}_of_nothing(submission):
    """It stays."""
    equal(submission.{name}(0.0 * ARGUMENT), 0.0 * ARGUMENT)
'''
BUG = """
[[bug]]
slug = "{slug}"
title = "it is {slug}"
claim = "test_{name}_of_a_number"
change = [["{find}", "{instead}"]]
seen_in = ["reproduced"]
symptom = "It is {slug}."
why = "It has to grow."
hints = ["How much?", "As much?", "More."]
invisible_when = "it is not called"
"""
FILES = {
    "exercises/curriculum.toml": ENTRY.format(slug="ex91_double", needs="")
    + ENTRY.format(slug="ex92_fourfold", needs='"ex91_double"')
    + ENTRY.format(slug="ex93_halved", needs=""),
    "solutions/ex91_double.py": "def double(x):\n    return 2 * x\n",
    "solutions/ex92_fourfold.py": "from .ex91_double import double\n\n\n"
    "def fourfold(x):\n    return double(double(x))\n",
    "solutions/ex93_halved.py": "def halved(x):\n    return 0.5 * x\n",
    "tests/graded/shared_91.py": "import numpy as np\n\nARGUMENT = np.array([3.0])\n",
    "tests/graded/shared_93.py": "from shared_too import ARGUMENT\n",
    "tests/graded/shared_too.py": "import numpy as np\n\nARGUMENT = np.array([5.0])\n",
    "bugs/ex91_double.toml": BUG.format(slug="same", name="double", find="2 * x", instead="x")
    + BUG.format(slug="more", name="double", find="2 * x", instead="2 * x + 1"),
    "bugs/ex92_fourfold.toml": BUG.format(
        slug="once", name="fourfold", find="double(double(x))", instead="double(x)"
    ),
    "bugs/ex93_halved.toml": BUG.format(slug="all", name="halved", find="0.5 * x", instead="x"),
    **{
        f"tests/graded/test_{slug}.py": SUITE.format(
            name=slug[5:], wanted=wanted, beside=f"shared_{beside}"
        )
        for slug, wanted, beside in (
            ("ex91_double", 2, 91),
            ("ex92_fourfold", 4, 91),
            ("ex93_halved", 0.5, 93),
        )
    },
}
OURS = ("ex91_double", "ex92_fourfold", "ex93_halved")
EVERY = {"same", "more", "once", "all"}
ASKED = (
    wrong_answers.every_bug_is_caught,
    wrong_answers.every_pair_is_told_apart,
    wrong_answers.every_form_is_caught,
)


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A course of three exercises whose gates have held, with a machinery of its own."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    for slug in OURS:
        stub = (tmp_path / "solutions" / f"{slug}.py").read_text().split("return")[0]
        (tmp_path / "exercises" / f"{slug}.py").write_text(f"{stub}raise NotImplementedError\n")
    engine = tmp_path / "kata" / "engine"
    engine.mkdir(parents=True)
    (engine / "judge.py").write_text("LIMIT = 1\n")
    monkeypatch.setattr(records, "CODE", tmp_path)
    monkeypatch.setattr(records, "ENGINE", ("engine",))
    monkeypatch.setattr(suspects, "FOLDER", tmp_path / "records")
    monkeypatch.setenv(OWN, str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path / "tests" / "graded")
    forget()
    for slug in OURS:
        records.record(exercises()[slug], recorded(exercises()[slug]))
    yield tmp_path
    monkeypatch.undo()
    forget()


def forget() -> None:
    """What this process remembers of files."""
    for module in (catalogue, source, target, judge, wrong_answers, suspects, records):
        for each in vars(module).values():
            if hasattr(each, "cache_clear") and not isinstance(each, ModuleType):
                each.cache_clear()
    exercises.cache_clear()


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Callable[[], set[str]]:
    """Which wrong answers run when the gates are asked about what is due."""
    texts: set[str] = set()

    def noted(exercise: Exercise, text: str) -> Target:
        texts.add(text)
        return catalogue.target_of(exercise, text)

    monkeypatch.setattr(records, "target_of", noted)
    monkeypatch.setattr(wrong_answers, "target_of", noted)

    def ask() -> set[str]:
        forget()
        found: set[str] = set()
        for exercise in (exercises()[slug] for slug in OURS):
            texts.clear()
            todo = records.work(exercise)
            with relying(exercise, changed(exercise).entries):
                told = gates.complaints(exercise, ASKED, todo)
            assert not any(told.values()), told
            found |= {bug.slug for bug in bugs(exercise) if wrong_answer(exercise, bug) in texts}
        return found

    return ask


NEVER = "\n# Another text.\n"
INGREDIENTS = {
    "an entry's text": ("bugs/ex91_double.toml", "It is same.", "It is the same.", {"same"}),
    "an entry's change": ("bugs/ex91_double.toml", '"x"]', '"1 * x"]', {"same"}),
    "its solution": ("solutions/ex93_halved.py", "\n", NEVER, {"all"}),
    "a solution that another needs": ("solutions/ex91_double.py", "\n", NEVER, EVERY - {"all"}),
    "its suite": ("tests/graded/test_ex92_fourfold.py", "It stays.", "It is kept.", {"once"}),
    "what two suites import": ("tests/graded/shared_91.py", "\n", NEVER, EVERY - {"all"}),
    "what that imports": ("tests/graded/shared_too.py", "5.0", "6.0", {"all"}),
    "the engine": ("kata/engine/judge.py", "1", "2", EVERY),
    "a file that nothing depends on": ("exercises/ex93_halved.py", "\n", NEVER, set()),
}


def test_exactly_what_depends_on_a_change_is_judged_again(course: Path, judged) -> None:
    assert judged() == set()
    found, wanted = {}, {}
    for name, (file, find, instead, slugs) in INGREDIENTS.items():
        text = (course / file).read_text(encoding="utf-8")
        assert find in text, name
        (course / file).write_text(text.replace(find, instead, 1), encoding="utf-8")
        found[name], wanted[name] = judged(), slugs
        (course / file).write_text(text, encoding="utf-8")

    assert found == wanted
    assert judged() == set()


PARTS_OF = {
    "exercises/ex91_double.py": ({"answers"}, set()),
    "tests/accepted/ex91_double/other.py": ({"answers"}, {"below"}),
    "bugs/ex91_double.toml": ({"catalogue"}, set()),
    "solutions/ex91_double.py": ({"answers", "losses"}, {"answers", "losses"}),
    "tests/graded/shared_91.py": ({"answers"}, {"answers"}),
}


def test_each_part_changes_with_its_files(course: Path) -> None:
    """Of the exercise itself, and of the one that needs it."""
    found = {}
    for file in PARTS_OF:
        text = (course / file).read_text() if (course / file).exists() else None
        (course / file).parent.mkdir(parents=True, exist_ok=True)
        (course / file).write_text(f"{text or ''}{NEVER}")
        forget()
        found[file] = tuple({*changed(exercises()[slug]).parts} for slug in OURS[:2])
        (course / file).write_text(text) if text else (course / file).unlink()

    assert found == PARTS_OF


@pytest.mark.usefixtures("course")
def test_a_sample_has_everything_sooner_or_later() -> None:
    """The same for the same number: always one wrong answer, and mostly nothing more."""
    double = exercises()["ex91_double"]
    answer = double.accepted / "other.py"
    answer.parent.mkdir(parents=True)
    answer.write_text("def double(x):\n    return x + x\n")
    drawn = [gates.sample(double, gates.GATES, str(seed)) for seed in range(1200)]

    assert drawn == [gates.sample(double, gates.GATES, str(seed)) for seed in range(1200)]
    assert {bug for some in drawn for bug in some.entries} == {*bugs(double)}
    assert {bug for some in drawn for bug in some.recorded} == {*bugs(double)}
    assert {path for some in drawn for path in some.answers} == {answer}
    assert {gate for some in drawn for gate in some.gates} == {*gates.GATES} & gates.DRAWN
    assert gates.OF_PARTS.keys() - gates.DRAWN == gates.DEAR | {right_answers.accepted_answers_pass}
    assert {len(some.recorded) for some in drawn} == {1}
    nothing = [replace(gates.NOTHING, recorded=some.recorded) for some in drawn]
    assert sum(some == other for some, other in zip(drawn, nothing, strict=True)) > 400


@pytest.mark.usefixtures("course")
def test_what_many_resemble_is_told_apart_by_other_means(monkeypatch) -> None:
    monkeypatch.setattr("kata.upkeep.gates.CROWD", 0)
    drawn = [gates.sample(exercises()["ex91_double"], (), str(seed)) for seed in range(60)]

    assert [some.entries for some in drawn if some.entries] == []
    assert any(some.recorded for some in drawn)


def test_all_of_a_sample_is_judged(course: Path) -> None:
    """What is drawn is complained about, and nothing else."""
    double = exercises()["ex91_double"]
    record, wrong = suspects.file_of(double), double.accepted / "other.py"
    record.write_text(record.read_text().replace('"3 ', '"1 '))
    wrong.parent.mkdir(parents=True)
    wrong.write_text("def double(x):\n    return x\n")
    catalogue_file = course / "bugs" / "ex91_double.toml"
    text = catalogue_file.read_text()
    catalogue_file.write_text(text.replace('of_a_number"', 'of_nothing"', 1))
    forget()
    same, more = bugs(double)
    drawn = gates.Sample((same,), (more,), (wrong,), (right_answers.docstring_examples_run,))
    found = {}
    for part in vars(drawn):
        told = gates.complaints_of(
            double, ASKED, replace(gates.NOTHING, **{part: getattr(drawn, part)})
        )
        found[part] = {gate for gate, each in told.items() if each}

    assert found == {
        "entries": {"every_bug_is_caught"},
        "recorded": {"records"},
        "answers": {"answers"},
        "gates": {"docstring_examples_run"},
    }


def test_a_gate_about_a_part_is_asked_when_that_part_has_changed() -> None:
    idle, whole = records.Work((), frozenset()), records.Work((), frozenset(PARTS))
    asked = {*gates.GATES, *gates.SLOW_GATES}

    assert {gate for gate in asked if gates.is_due(gate, whole)} - {
        gate for gate in asked if gates.is_due(gate, idle)
    } == gates.OF_PARTS.keys()
    assert {part for some in gates.OF_PARTS.values() for part in some} == {*PARTS}
    assert asked >= gates.OF_ENTRIES


@pytest.mark.usefixtures("course")
def test_only_who_fails_the_same_claims_is_judged_beside_what_has_changed() -> None:
    """What is left out by its record would have been told apart by its states."""
    double = exercises()["ex91_double"]
    same, more = bugs(double)
    apart = Observation.looks_like(*(seen for _, seen in wrong_answers.observe_bugs(double)))

    assert not apart
    assert [bug.slug for bug, _ in wrong_answers.observe_near(double, (same,))] == ["same"]
    assert [bug.slug for bug, _ in wrong_answers.observe_near(double, (more,))] == ["more"]

    alike = suspects.file_of(double).read_text(encoding="utf-8").replace('"3 ', '"1 ')
    with suspects.relied_on(double, alike):
        near = [bug.slug for bug, _ in wrong_answers.observe_near(double, (more,))]
    assert near == ["same", "more"]


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """What `kata check ex91` says of its wrong answers, after the line with the counts."""
    monkeypatch.setattr(gates, "GATES", (lambda _: iter(()), *ASKED))
    monkeypatch.setattr("kata.upkeep.gates.SLOW_GATES", (records.records_are_true,))
    monkeypatch.setattr(check, "_counts", lambda exercise: exercise.slug)

    def run(*options: str) -> list[str]:
        forget()
        main(["check", "ex91", *options])
        lines = capsys.readouterr().out.splitlines()
        return [line.strip() for line in lines[2:] if ": note: " not in line]

    return run


KEPT = "not judged again, and 4 gates were not asked: nothing that they depend on has changed since"


@pytest.mark.usefixtures("course")
def test_a_gate_that_fails_complains_of_that_and_the_others_are_asked(says, monkeypatch) -> None:
    def fails(_: Exercise) -> Iterator[str]:
        raise ZeroDivisionError("of nothing")
        yield

    def complains(_: Exercise) -> Iterator[str]:
        yield "is not well"

    gates_of_one = (lambda _: iter(()), fails, complains)
    monkeypatch.setattr(gates, "GATES", gates_of_one)

    assert says("--anew")[-3:] == [
        "ex91: fails: could not be asked: ZeroDivisionError: of nothing",
        "ex91: complains: is not well",
        "2 complaints",
    ]


def test_only_what_holds_is_recorded(course: Path, says) -> None:
    catalogue_file = course / "bugs" / "ex91_double.toml"
    record = course / "records" / "ex91_double.json"
    before, right = record.read_text(), catalogue_file.read_text()
    idle = [f"2 wrong answers were {KEPT} all gates held; `--anew` judges everything"]
    holds = "all 5 gates hold"
    assert says() == [*idle, holds]
    assert says("--anew") == [holds]

    catalogue_file.write_text(right.replace('of_a_number"', 'of_nothing"', 1))
    wrong = "ex91: every bug is caught: same names test_double_of_nothing, but fails test_double_of"
    for options in ((), ("--record",), ("--anew", "--record")):
        told = says(*options)
        assert told[0] == f"{wrong}_a_number first"
        assert told[-1] == "1 complaint"
        assert record.read_text() == before

    catalogue_file.write_text(right.replace("As much?", "How many?", 1))
    one = "1 wrong answer was not judged again, and 0 gates were not asked:"
    assert says("--record")[0].startswith(one)
    assert record.read_text() != before
    assert says() == [*idle, holds]


def test_what_was_recorded_by_other_machinery_is_recorded_anew(course: Path, says) -> None:
    """Where it gives another verdict now, that is told; and it is written down when it is asked."""
    record = course / "records" / "ex91_double.json"
    right = record.read_text()
    record.write_text(right.replace('"3 ', '"2 ').replace('"1 ', '"2 '))
    assert says()[-1] == "all 5 gates hold"

    (course / "kata" / "engine" / "judge.py").write_text("LIMIT = 2\n")

    assert any("records are true: ex91_double.json does not say" in line for line in says())
    assert says("--record")[-1] == "all 5 gates hold"
    forget()
    now = json.loads(record.read_text())
    assert now == {**json.loads(right), "engine": records.engine()}
