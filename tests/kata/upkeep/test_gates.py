"""Every gate holds for every exercise; and every gate can fail."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kata.course import curriculum
from kata.course.curriculum import ROOT, Exercise, exercises
from kata.upkeep.gates import (
    GATES,
    OVERALL_GATES,
    curriculum_and_folders_agree,
    documents_are_covered,
)


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda exercise: exercise.short)
def test_all_gates_hold(exercise: Exercise) -> None:
    assert {gate.__name__: list(gate(exercise)) for gate in GATES} == {
        gate.__name__: [] for gate in GATES
    }


@pytest.mark.parametrize("gate", OVERALL_GATES, ids=lambda gate: gate.__name__)
def test_overall_gate(gate: Callable[[], Iterator[str]]) -> None:
    assert list(gate()) == []


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the kata that may be broken."""
    home = tmp_path_factory.mktemp("copy")
    for name in ("kata", "exercises", "solutions", "bugs", "tests"):
        shutil.copytree(ROOT / name, home / name, ignore=shutil.ignore_patterns("__pycache__"))
    return home


STUB, SOLUTION = "exercises/ex01_softmax.py", "solutions/ex01_softmax.py"
SUITE, BUGS = "tests/graded/test_ex01_softmax.py", "bugs/ex01_softmax.toml"
ACCEPTED = "tests/accepted/ex01_softmax/einsum.py"
ASK_AXIS_0 = "equal(submission.softmax(scores, axis=0), naive(scores, axis=0))"
DRAW = "from kata.judging.inputs import given, normal"
BLIND = f'{DRAW}\n\n\ndef equal(*_, **__):\n    """See nothing."""'
NO_EXP = '["np.exp(scores - largest)", "scores"]'
WHOLE_ARRAY = '["powers.sum(axis=axis, keepdims=True)", "powers.sum()"]'
BASE_TWO = '["np.exp(scores - largest)", "np.exp2(scores - largest)"]'
BREAKAGES = {
    "a stub that is solved": (STUB, "raise NotImpl", "return NotImpl", "is started already"),
    "another default": (STUB, "axis: int = -1", "axis: int = 0", "differs from the solution"),
    "another docstring": (STUB, "Turn scores into", "Make scores", "differs from the solution"),
    "a wrong solution": (SOLUTION, "scores - largest", "scores", "the solution: "),
    "a wrong example": (SOLUTION, "[[0.5, 0.5]", "[[0.4, 0.6]", "Expected:"),
    "a wrong accepted answer": (ACCEPTED, "exp(last", "exp2(last", "einsum.py: test_one_row"),
    "a bare assert": (SUITE, f"    {ASK_AXIS_0}", "    assert True", "a bare assert"),
    "a claim without a sentence": (SUITE, '"""`axis=0` is', '""""""; """', "has no sentence"),
    "a claim that cannot fail": (SUITE, ASK_AXIS_0, "pass", "axis-zero-is-false names test_along"),
    "a suite that sees nothing": (SUITE, DRAW, BLIND, "base-two gets past the suite"),
    "a claim that is not there": (BUGS, '"test_no_weight_is_neg', '"test_no', "is no claim of"),
    "a field that is not there": (BUGS, "why = ", "because = ", "unexpected keyword argument"),
    "a text where a list belongs": (BUGS, 'seen_in = ["reproduced"]', 'seen_in = "x"', "a list of"),
    "letters where texts belong": (BUGS, '["reproduced"]', '["r", "e"]', "has single letters"),
    "a catalogue that is not TOML": (BUGS, "[[bug]]", "[[bug]", "ex01_softmax.toml is not TOML"),
    "a bug that is not Python": (BUGS, NO_EXP, '["return", "retrun 1"]', "is not Python"),
    "an answer that is not Python": (ACCEPTED, "def softmax", "def", "einsum.py:6 is not Python"),
    "a claim without a bug": (SUITE, ASK_AXIS_0, "pass", "no bug fails test_along_an_axis"),
    "a suite that asks the solution": (
        SUITE,
        "import math",
        "import math  # solutions",
        "names the",
    ),
    "a slug that stands twice": (BUGS, '"no-exp"', '"twice"', "twice stands twice"),
    "a change of nothing": (BUGS, NO_EXP, '["nothing", ""]', "no-exp: stands 0 times"),
    "a change of much": (BUGS, NO_EXP, '["np", ""]', "no-exp: stands 6 times"),
    "a claim that is not the first": (BUGS, NO_EXP, BASE_TWO, "but fails test_one_row_worked"),
    "a missing text": (BUGS, "scores divided by their sum", "", "a text is missing"),
    "two bugs that are one": (BUGS, WHOLE_ARRAY, BASE_TWO, "look the same to the suite"),
}


@pytest.mark.parametrize("breakage", BREAKAGES)
def test_a_gate_complains(copy: Path, breakage: str) -> None:
    name, find, replace, complaint = BREAKAGES[breakage]
    text = (copy / name).read_text()
    assert find in text
    (copy / name).write_text(text.replace(find, replace, 1))
    try:
        status, out = check(copy)
    finally:
        (copy / name).write_text(text)

    assert status > 0
    assert complaint in out
    assert "Traceback" not in out


def test_a_copy_of_a_right_answer_is_found(copy: Path) -> None:
    twin = copy / "tests/accepted/ex01_softmax/twin.py"
    text = (copy / ACCEPTED).read_text()
    twin.write_text(text.replace("powers", "p").replace("The normaliser", "Another normaliser"))
    try:
        status, out = check(copy)
    finally:
        twin.unlink()

    assert status == 1
    assert "einsum.py and twin.py are the same program" in out


def test_a_file_too_many_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(curriculum.EXERCISES, tmp_path / "exercises")
    stray = tmp_path / "exercises" / "ex99_telepathy.py"
    stray.write_text("")
    monkeypatch.setattr(curriculum, "EXERCISES", tmp_path / "exercises")

    assert f"{stray} is not in curriculum.toml" in list(curriculum_and_folders_agree())


def test_a_document_bug_that_nobody_has_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kata.upkeep.gates.DOCUMENT_BUGS", (1, 99))

    assert list(documents_are_covered()) == ["own bug 99 of the documents is in no catalogue"]


def test_the_command_counts(copy: Path) -> None:
    status, out = check(copy)

    assert status == 0
    assert out.splitlines()[0].split() == ["exercise", "claims", "bugs", "accepted"]
    assert "gates hold" in out


def test_the_command_knows_its_exercises(copy: Path) -> None:
    status, out = check(copy, "fourier")

    assert status == 2
    assert (
        out
        == "no exercise is called fourier; there are: "
        + ", ".join(each.short for each in exercises().values())
        + "\n"
    )


def check(home: Path, exercise: str = "ex01") -> tuple[int, str]:
    """`python -m kata check` in a copy."""
    command = [sys.executable, "-m", "kata", "check", "--local", exercise]
    process = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)
    return process.returncode, process.stdout + process.stderr
