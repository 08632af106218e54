"""Every gate can fail: a copy of the kata is broken, and `kata check` complains."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kata.course import curriculum
from kata.course.catalogue import target_of
from kata.course.curriculum import ROOT, exercises
from kata.diagnosis.observe import observe
from kata.upkeep import parity
from kata.upkeep.documents import documents_are_covered
from kata.upkeep.faces import no_file_is_left_over
from kata.upkeep.gates import OVERALL_GATES
from kata.upkeep.wrong_answers import trivial_answers


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the kata that may be broken."""
    home = tmp_path_factory.mktemp("copy")
    for name in ("kata", "exercises", "proofs", "solutions", "bugs", "tests"):
        shutil.copytree(ROOT / name, home / name, ignore=shutil.ignore_patterns("__pycache__"))
    return home


ENTRY = "exercises/curriculum.toml"
STUB, SOLUTION = "exercises/ex01_softmax.py", "solutions/ex01_softmax.py"
SUITE, BUGS = "tests/graded/test_ex01_softmax.py", "bugs/ex01_softmax.toml"
FIGURE, CAPTIONS = "kata/handouts/figures/ex01_softmax.py", "kata/handouts/figures/texts.toml"
SHEET = "kata/handouts/texts/ex01_softmax.toml"
HINT = "On paper first: three scores, their exponentials, the sum of these, three quotients."
ACCEPTED = "tests/accepted/ex01_softmax/einsum.py"
ASK_AXIS_0 = "equal(submission.softmax(scores, axis=0), naive(scores, axis=0))"
DRAW = "from kata.judging.inputs import given, in_any_order, normal, nudged"
BLIND = f'{DRAW}\n\n\ndef equal(*_, **__):\n    """See nothing."""'
NO_EXP = '["np.exp(scores - largest)", "scores"]'
CLIPPED = '["np.exp(scores - largest)", "np.exp(np.clip(scores, -700, 700))"]'
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
    "a claim that cannot fail": (SUITE, ASK_AXIS_0, "pass", "axis-zero-is-false names test_axis_0"),
    "a suite that sees nothing": (SUITE, DRAW, BLIND, "base-two gets past the suite"),
    "a claim that is not there": (
        BUGS,
        '"test_no_weight_is_neg',
        '"test_no',
        "which is not a claim of",
    ),
    "a field that is not there": (BUGS, "why = ", "because = ", "unexpected keyword argument"),
    "a text where a list belongs": (BUGS, 'seen_in = ["reproduced"]', 'seen_in = "x"', "a list of"),
    "letters where texts belong": (BUGS, '["reproduced"]', '["r", "e"]', "has single letters"),
    "a catalogue that is not TOML": (BUGS, "[[bug]]", "[[bug]", "ex01_softmax.toml is not TOML"),
    "a bug that is not Python": (BUGS, NO_EXP, '["return", "retrun 1"]', "is not Python"),
    "an answer that is not Python": (ACCEPTED, "def softmax", "def", "einsum.py:9 is not Python"),
    "a claim without a bug": (SUITE, ASK_AXIS_0, "pass", "no bug fails test_axis_0_is"),
    "a suite that asks the solution": (
        SUITE,
        "import math",
        "import math  # solutions",
        "names the",
    ),
    "a slug that stands twice": (BUGS, '"no-exp"', '"twice"', "twice is used twice"),
    "a change of nothing": (BUGS, NO_EXP, '["nothing", ""]', "no-exp: stands 0 times"),
    "a change of much": (BUGS, NO_EXP, '["np", ""]', "no-exp: stands 6 times"),
    "a claim that is not the first": (BUGS, CLIPPED, BASE_TWO, "but fails test_one_row_gets"),
    "a missing text": (BUGS, "scores divided by their sum", "", "a text is missing"),
    "two bugs that are one": (BUGS, WHOLE_ARRAY, BASE_TWO, "look the same to the suite"),
    "a curriculum that is not TOML": (ENTRY, "[ex01_softmax]", "[ex01", "curriculum.toml cannot"),
    "an entry without a field": (ENTRY, "points = 1", "", "ex01_softmax has no `points`"),
    "a field of another type": (ENTRY, "delegates = [", "delegates = 3 #", "not of type list"),
    "a field too many": (ENTRY, "points = 1", "points = 1\npoint = 1", "argument 'point'"),
    "no minutes": (ENTRY, "minutes = 20", "minutes = 0", "not above zero"),
    "a library that nobody has": (
        ENTRY,
        'y = "numpy"',
        'y = "jax"',
        "expected one of numpy, torch",
    ),
    "a need that comes later": (
        ENTRY,
        "needs = []",
        'needs = ["ex02_attention_scores"]',
        "ex02_attention_scores, which is not an earlier exercise",
    ),
    "a function without hints": (ENTRY, "softmax = [", "others = [", "has no hints for softmax"),
    "hints for nothing": (ENTRY, "softmax = [", "others = []\nsoftmax = [", "hints for others, wh"),
    "two hints": (ENTRY, f'    "{HINT}",\n', "", "2 hints for softmax, 3 different ones"),
    "an empty hint": (ENTRY, HINT, " ", "a hint for softmax is empty"),
    "a hint that gives the code": (ENTRY, HINT, "return it", "or gives the code"),
    "the solution among the delegates": (ENTRY, '["*[Ss]oftmax"', '["exp"', "would be flagged"),
    "a delegate of one letter": (ENTRY, '["*[Ss]oftmax"', '["*"', "shorter than three letters"),
    "something left to do": (SOLUTION, "# exp of", "# TODO: of", "says TODO in line 2"),
    "an entry with something to do": (ENTRY, HINT, "TODO: a hint", "says TODO about ex01_softmax"),
    "a caption with something to do": (CAPTIONS, '"From scores', '"TODO', "says TODO about ex01"),
    "a suite that cannot be imported": (SUITE, "import math", "import maths", "No module named"),
    "a suite that ends the process": (
        SUITE,
        "import math",
        "import sys; sys.exit(3)",
        "SystemExit",
    ),
    "a claim that wants too much": (SUITE, "(submission)", "(learner)", "a claim takes submission"),
    "a suite without claims": (SUITE, "def test_", "def _test_", "it has no claim"),
    "a solution that cannot be imported": (SOLUTION, "import numpy as np", "1 / 0", "ZeroDivision"),
    "a solution without names": (SOLUTION, "def softmax", "def _softmax", "no public function"),
    "an example out of line": (
        SOLUTION,
        "    [[0.5, 0.5]",
        "  [[0.5, 0.5]",
        "inconsistent leading",
    ),
    "a catalogue of other things": (BUGS, "[[bug]]", "bug = 3\n[[bug]]", "is not TOML"),
    "a change that is no pair": (BUGS, WHOLE_ARRAY, '"sum"', "cannot be used: ValueError"),
    "a level that nobody knows": (BUGS, "level = 1", "level = 2", "has the level 2; only 1 is"),
    "an answer without its reason": (ACCEPTED, "The contract:", "Why:", "does not end with the"),
    "a reason that is not in the contract": (
        ACCEPTED,
        "exp(score) divided",
        "exp(score) over",
        "this does not stand in ex01_softmax.py: exp(score) over by the sum",
    ),
    "a sheet that is not TOML": (SHEET, "subtitle =", "subtitle", "TOMLDecodeError"),
    "a sheet without a part": (SHEET, "[paper]", "[plastic]", "cannot be used: KeyError: 'paper'"),
    "a sheet that is not true": (SHEET, "== ", "!= ", "cannot be used: ExampleError"),
    "a figure that is not drawn": (FIGURE, "page = Drawing()", "page = Draw()", "NameError"),
    "a figure without texts": (CAPTIONS, "[ex01_softmax]", "[ex00]", "has no texts for ex01"),
    "captions that are not TOML": (
        CAPTIONS,
        "[ex01_softmax]",
        "[ex01",
        "texts.toml cannot be used",
    ),
}
EVERYWHERE = {"a suite without claims"}  # has to be changed in more than one line
FACES = [STUB, SOLUTION, SUITE, BUGS, "tests/accepted/ex01_softmax"]


@pytest.mark.parametrize("breakage", BREAKAGES)
def test_a_gate_complains(copy: Path, breakage: str) -> None:
    name, find, replace, complaint = BREAKAGES[breakage]
    text = (copy / name).read_text()
    assert find in text
    count = -1 if breakage in EVERYWHERE else 1
    (copy / name).write_text(text.replace(find, replace, count))
    try:
        status, out = check(copy)
    finally:
        (copy / name).write_text(text)

    assert status > 0
    assert complaint in out
    assert "Traceback" not in out


@pytest.mark.parametrize("name", FACES)
def test_a_missing_face_is_one_sentence(copy: Path, name: str) -> None:
    (copy / name).rename(copy / "away")
    try:
        status, out = check(copy)
    finally:
        (copy / "away").rename(copy / name)

    assert status == 1
    assert out.splitlines()[1:] == [
        "ex01_softmax",
        f"  ex01: every face is there: {name} is missing",
        "1 complaint",
    ]


def test_a_lost_figure_is_noticed_by_its_texts(copy: Path) -> None:
    figure = (copy / FIGURE).read_text()
    (copy / FIGURE).unlink()
    try:
        status, out = check(copy)
    finally:
        (copy / FIGURE).write_text(figure)

    assert status == 1
    assert "ex01: note: there is no figure" in out
    assert f"ex01: figure is whole: {FIGURE} is missing, but {CAPTIONS} has its texts" in out


def test_parity_gates_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = exercises()["ex01_softmax"]
    text = trivial_answers(exercise)["zeros of the right shape"]
    other = observe(exercise, target_of(exercise, text))
    monkeypatch.setattr(parity, "graded", lambda *_: other)

    for gate in parity.PARITY_GATES:
        assert any("in a process of its own" in each for each in gate(exercise)), gate.__name__


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


WRONG_IF_EXPANDED = (
    "def softmax(scores, axis=-1):\n    if 0 in scores.strides:\n        return scores\n"
)


def test_an_answer_that_is_wrong_outside_of_the_suite_is_found(copy: Path) -> None:
    """Here where an axis is expanded, which no claim does: only random inputs find it."""
    text = (copy / ACCEPTED).read_text()
    lines = text.splitlines(keepends=True)
    start = next(line for line in lines if line.startswith("def softmax"))
    (copy / ACCEPTED).write_text(text.replace(start, WRONG_IF_EXPANDED))
    try:
        status, out = check(copy)
    finally:
        (copy / ACCEPTED).write_text(text)

    told = [line.split(": ")[1] for line in out.splitlines() if "einsum.py" in line]
    assert status > 0
    assert told == ["right answers agree", "right answers agree at length"]
    assert " expanded): values that are " in out


def test_an_earlier_answer_that_later_exercises_cannot_stand_on_is_found(copy: Path) -> None:
    text = (copy / ACCEPTED).read_text()
    (copy / ACCEPTED).write_text(text.replace("exp(last", "exp2(last"))
    try:
        status, out = check(copy, "ex02")
    finally:
        (copy / ACCEPTED).write_text(text)

    told = [line for line in out.splitlines() if "stand on accepted" in line]
    assert status == 1
    assert len(told) == 1
    assert "the solution fails test_the_weights_of_each_query_sum_to_one" in told[0]
    assert "on top of ex01_softmax/einsum.py" in told[0]


def test_a_file_too_many_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(curriculum.EXERCISES, tmp_path / "exercises")
    stray = tmp_path / "exercises" / "ex99_telepathy.py"
    stray.write_text("")
    monkeypatch.setattr(curriculum, "EXERCISES", tmp_path / "exercises")

    assert list(no_file_is_left_over())[-1] == f"{stray} is not in curriculum.toml"


def test_the_overall_gates_survive_an_exercise_that_has_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = replace(exercises()["ex01_softmax"], slug="ex99_telepathy")
    monkeypatch.setattr(curriculum, "exercises", lambda: {**exercises(), made.slug: made})

    assert [list(gate()) for gate in OVERALL_GATES] == [[], [], []]


def test_a_document_bug_that_nobody_has_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kata.upkeep.documents.DOCUMENT_BUGS", (1, 99))

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
    command = [sys.executable, "-m", "kata", "check", exercise]
    process = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)
    return process.returncode, process.stdout + process.stderr
