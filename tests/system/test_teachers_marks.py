"""Marks that a teacher would give: each in docs/measurements.md is what the grader gives now."""

import ast
import re
from collections.abc import Callable

import pytest

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import ROOT, Exercise, exercises
from tests.helpers.marking import mark_of

ROW = re.compile(
    r"^\| (.+?) \| (ex\d\d), (\d) points? \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", re.M
)
TABLE = (ROOT / "docs" / "measurements.md").read_text(encoding="utf-8")
ROWS = [each.groups() for each in ROW.finditer(TABLE)]
NEAR = 0.35
BY_SHORT = {each.short: each for each in exercises().values()}
OTHER_CONVENTION = [  # True marks what is hidden, in all five functions
    (".tril()", ".triu(diagonal=1)"),
    ("~mask", "mask"),
    ("< lengths", ">= lengths"),
    ("weights * mask", "weights * ~mask"),
]


def with_mistakes(*slugs: str) -> Callable[[Exercise], str]:
    def text(exercise: Exercise) -> str:
        known = {each.slug: each for each in bugs(exercise)}
        return wrong_answer(exercise, *(known[slug] for slug in slugs))

    return text


def without(*names: str) -> Callable[[Exercise], str]:
    """The solution, of which these functions are not written."""

    def text(exercise: Exercise) -> str:
        lines = exercise.solution.read_text(encoding="utf-8").splitlines()
        nodes = [each for each in ast.parse("\n".join(lines)).body
                 if isinstance(each, ast.FunctionDef) and each.name in names]  # fmt: skip
        assert len(nodes) == len(names)
        for node in reversed(nodes):
            stop = f'    raise NotImplementedError("{exercise.short} {node.name}: not written yet")'
            lines[node.body[1].lineno - 1 : node.end_lineno] = [stop]
        return "\n".join(lines) + "\n"

    return text


def other_convention(exercise: Exercise) -> str:
    text = exercise.solution.read_text(encoding="utf-8")
    for before, after in OTHER_CONVENTION:
        text = text.replace(before, after)
    return text


FUNCTIONS = ("causal_mask", "padding_mask", "mask_scores", "mask_weights", "masked_attention")
ANSWERS: dict[tuple[str, str], Callable[[Exercise], str]] = {
    ("causal mask inverted", "ex05"): with_mistakes("causal-marks-the-hidden"),
    ("`causal_mask` not written", "ex05"): without("causal_mask"),
    ("nothing but `causal_mask`", "ex05"): without(*FUNCTIONS[1:]),
    ("all but `masked_attention`", "ex05"): without("masked_attention"),
    ("two of five functions", "ex05"): without(*FUNCTIONS[2:]),
    ("half of the functions", "ex02"): without("attention_weights", "context_vectors"),
    ("half of the functions", "ex07"): without("merge_heads"),
    ("no scale", "ex04"): with_mistakes("no-scale"),
    ("no scale", "ex05"): with_mistakes("attention-not-scaled"),
    ("weights not returned", "ex04"): with_mistakes("output-alone"),
    ("weights not returned", "ex05"): with_mistakes("attention-returns-output-only"),
    ("weights not returned", "ex09"): with_mistakes("output-alone"),
    ("softmax over the wrong axis", "ex04"): with_mistakes("softmax-over-queries"),
    ("softmax over the wrong axis", "ex01"): with_mistakes("axis-zero"),
    ("heads scrambled", "ex07"): with_mistakes("split-view-without-transpose",
                                                "merge-without-transpose"),
    ("the whole convention inverted", "ex05"): other_convention,
    ("pre-norm", "ex14"): with_mistakes("pre-norm"),
    ("averaged weights", "ex09"): with_mistakes("weights-averaged"),
    ("no residual", "ex14"): with_mistakes("no-residuals"),
    ("dropout forgotten", "ex09"): with_mistakes("no-dropout"),
    ("no maximum subtracted", "ex01"): with_mistakes("no-shift"),
}  # fmt: skip


def test_the_table_has_all_of_them() -> None:
    assert [(name, short) for name, short, *_ in ROWS] == [*ANSWERS]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[1]} {row[0]}")
def test_a_mark_is_one_that_a_teacher_would_give(row: tuple[str, ...]) -> None:
    name, short, points, _, now, teacher = row
    exercise = BY_SHORT[short]
    text = ANSWERS[name, short](exercise)
    given = mark_of(exercise, text).score

    assert exercise.points == int(points)
    assert f"{given:.2f}" == now
    assert abs(given - float(teacher)) <= NEAR + 1e-9
