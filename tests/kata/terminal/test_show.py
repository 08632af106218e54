"""Messages, heat maps and the board, character by character."""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kata.course.curriculum import exercises
from kata.judging.values import number, shape
from kata.terminal.board import Origin, board
from kata.terminal.message import cause, headline, message
from kata.terminal.style import Style, style_of
from kata.verdict import (
    ClaimVerdict,
    Diagnosis,
    ExerciseVerdict,
    Fit,
    Message,
    Mistake,
    Picture,
    State,
)

FANCY, PLAIN = Style(unicode=True), Style(unicode=False)
PICTURE = Picture(expected=[[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]],
                  got=[[1.0, 0.0, 0.0], [0.25, 0.25, float("nan")]],
                  wrong=[[False, False, False], [True, True, True]], where="0, 2")  # fmt: skip


OPEN = Message("Hidden keys get no weight.", "f(x (2, 3))", "1 of 6 values differ")
BESIDE = ["each head is its own", "nothing is shared", "one token is enough", "x stays as it is"]
KIND = Diagnosis(Fit.KIND, (Mistake("nan", "NaN"),), 1)


@pytest.mark.parametrize("diagnosis", [None, KIND])
def test_where_no_known_mistake_explains_it_the_next_claims_that_fail_are_listed(
    diagnosis: Diagnosis | None,
) -> None:
    lines = message(OPEN, FANCY, diagnosis, BESIDE).splitlines()

    assert lines[-5:] == [
        "  these claims fail too:", "    - each head is its own", "    - nothing is shared",
        "    - one token is enough", "    and 1 more",
    ]  # fmt: skip
    assert "more" not in message(OPEN, FANCY, diagnosis, BESIDE[:3])
    assert "fail too" not in message(OPEN, FANCY, diagnosis, [])


def test_a_known_mistake_and_an_error_of_its_own_say_enough() -> None:
    known = Diagnosis(Fit.ONE, (Mistake("lost", "a lost result"),), 23)

    assert "fail too" not in message(OPEN, FANCY, known, BESIDE)
    assert "fail too" not in message(replace(OPEN, leads=True), FANCY, None, BESIDE)


def test_a_message_has_four_lines() -> None:
    found = Message("Hidden keys get no weight.", "f(x (2, 3))", "1 of 6 differ", "a lost result")

    assert message(found, FANCY).splitlines() == [
        "Hidden keys get no weight.", "  f(x (2, 3))", "  1 of 6 differ", "  a lost result",
    ]  # fmt: skip


MASK = Mistake("fill", "`masked_fill` is dropped", "Nothing is hidden.", "It is new.")
SIGN = Mistake("sign", "the mask is inverted", "The future is seen.", "True means may attend.")
FOUND = Message(
    "Every query here has a key to hide, so a softmax cannot give what it gave before.",
    "mask_scores(scores (5, 7) float32, mask (5, 7) bool)  seed 23328",
    "35 of 35 values of weights differ; worst at [3, 1]: expected 0, got 0.780156",
)


def test_a_message_at_width_60() -> None:
    diagnosis = Diagnosis(Fit.ONE, (MASK,), 68)

    assert message(FOUND, FANCY._replace(width=60), diagnosis).splitlines() == [
        "Every query here has a key to hide, so a softmax cannot give", "  what it gave before.",
        "  mask_scores(scores (5, 7) float32, mask (5, 7) bool)  seed", "    23328",
        "  35 of 35 values of weights differ; worst at [3, 1]:", "    expected 0, got 0.780156",
        "  known mistake, with the same result in all 68 claims:", "    `masked_fill` is dropped",
        "    Nothing is hidden.", "    It is new.",
    ]  # fmt: skip


CAUSES = {
    Fit.ONE: "  known mistake, with the same result in this claim: {0}",
    Fit.LIKE: "  the same result in this claim as a known mistake: {0}",
    Fit.NEAR: "  known mistake, with the same result in this claim: {0}",
    Fit.PART: "  a known mistake explains this claim, and perhaps not all of the others: {0}",
    Fit.KIND: "  a known kind of mistake: {0}",
    Fit.CRASH: "  an error with a known cause: {0}",
    Fit.EITHER: "  one of two known mistakes; the claims that were run cannot tell them apart:",
    Fit.TWINS: "  a known mistake in one of these forms, which no claim can tell apart:",
    Fit.BOTH: "  two known mistakes, which together explain this claim:",
}


@pytest.mark.parametrize("fit", [Fit.ONE, Fit.LIKE, Fit.NEAR, Fit.PART, Fit.CRASH, Fit.KIND])
def test_one_mistake(fit: Fit) -> None:
    assert cause(Diagnosis(fit, (MASK,), 1), FANCY._replace(width=100)) == [
        CAUSES[fit].format(MASK.title), "    Nothing is hidden.", "    It is new.",
    ]  # fmt: skip


@pytest.mark.parametrize("fit", [Fit.EITHER, Fit.BOTH])
def test_two_mistakes(fit: Fit) -> None:
    assert cause(Diagnosis(fit, (MASK, SIGN), 1), FANCY._replace(width=100)) == [
        CAUSES[fit], "    - `masked_fill` is dropped", "      Nothing is hidden.",
        "      It is new.", "    - the mask is inverted", "      The future is seen.",
        "      True means may attend.",
    ]  # fmt: skip


@pytest.mark.parametrize(("claims", "failing", "about", "told"), [
    (68, 30, "", "all 68 claims"), (7, 2, "padding_mask", "all 7 claims about `padding_mask`"),
    (17, 19, "", "17 of the 19 claims that fail"),
    (1, 2, "mask_scores", "1 of the 2 claims about `mask_scores` that fail"),
    (1, 1, "", "this claim"),
])  # fmt: skip
def test_how_much_a_mistake_explains(claims: int, failing: int, about: str, told: str) -> None:
    found = Diagnosis(Fit.ONE, (MASK,), claims, failing, about)

    assert headline(found) == f"known mistake, with the same result in {told}: {MASK.title}"


def test_twins_take_two_lines_each_since_they_look_the_same() -> None:
    assert cause(Diagnosis(Fit.TWINS, (MASK, SIGN), 1), FANCY._replace(width=100)) == [
        CAUSES[Fit.TWINS], "    - `masked_fill` is dropped", "      It is new.",
        "    - the mask is inverted", "      True means may attend.",
    ]  # fmt: skip


NAME = Message("Hidden keys get no weight.", "f(x [1, 2])",
               "NameError: name 'torch' is not defined",
               frames=["mine.py:3 in f\n    return torch.exp(x)"], leads=True)  # fmt: skip


def test_what_happened_stands_first_where_no_value_is_wrong() -> None:
    assert message(NAME, FANCY).splitlines() == [
        "NameError: name 'torch' is not defined", "  f(x [1, 2])", "    mine.py:3 in f",
        "        return torch.exp(x)", "  while checking: Hidden keys get no weight.",
    ]  # fmt: skip
    assert (NAME.brief, NAME.rest) == (NAME.evidence, NAME.claim)


def test_numbers_in_full_are_not_wrapped() -> None:
    lines = "  expected = [[0.1, 0.2],\n              [0.3, 0.4]]"
    found = Message("It holds.", "f(x)", "it does not", compared=lines, remark="never used: `x`")

    assert message(found, FANCY._replace(width=40)).splitlines() == [
        "It holds.", "  f(x)", "  it does not", "    expected = [[0.1, 0.2],",
        "                [0.3, 0.4]]", "  never used: `x`",
    ]  # fmt: skip


def test_no_terminal_obeys_the_name_of_a_file() -> None:
    mine = {"ex07_heads": Origin("mine\x1b[2J.ipynb", "theirs\x1b[2J.py", in_cells=True)}
    lines = board([ExerciseVerdict("ex07_heads")], exercises(), Path("a\x1b[2J"), FANCY, None, mine)

    assert "    mine.ipynb counts: it was saved after theirs.py" in lines
    assert lines[-1] == "next: ex07_heads  a/mine.ipynb"


def test_the_board_names_the_file_that_the_line_is_in() -> None:
    told = Message("It holds.", evidence="it does not", line=114, file="ex05_causal_masks.py")
    failed = ClaimVerdict("test_a", State.FAILED, told)
    lines = board([ExerciseVerdict("ex07_heads", (failed,))], exercises(), Path("mine"), FANCY)

    assert lines[-2] == "next: ex07_heads  mine/ex05_causal_masks.py:114"


def test_colours() -> None:
    style = FANCY._replace(colour=True)
    text = message(Message("It holds.", "f(x)", "it does not"), style, Diagnosis(Fit.ONE, (MASK,)))

    assert text.splitlines()[:3] == [
        "\033[1mIt holds.\033[0m", "  f(x)", "\033[31m  it does not\033[0m",
    ]  # fmt: skip
    assert "\033[36;1m  known mistake" in text


def test_a_long_error_keeps_its_lines() -> None:
    found = Message("x.py:3 is not Python: invalid syntax\n    def (")

    assert message(found, FANCY).splitlines()[1].strip() == "def ("


def test_a_message_says_nothing_of_what_is_not_known() -> None:
    assert message(Message("It holds.", evidence="it does not"), FANCY).count("\n") == 1


def test_arguments_in_a_few_words() -> None:
    assert shape("size", 5) == "size=5"
    assert shape("x", np.zeros((2, 3, 4))) == "x (2, 3, 4) float64"
    assert shape("x", np.array([1.0, -np.inf])) == "x [1, -inf]"
    assert shape("mask", np.array([True, False])) == "mask [True, False]"
    assert shape("text", "a" * 100) == f"text='{'a' * 56}..."


def test_numbers() -> None:
    assert number(0.1 + 0.2) == "0.3"
    assert number(1e-12) == "1e-12"
    assert number(np.True_) == "True"


def verdict(slug: str, *states: State, stand_ins: tuple[str, ...] = ()) -> ExerciseVerdict:
    claims = tuple(ClaimVerdict(f"test_{i}", state) for i, state in enumerate(states))
    return ExerciseVerdict(slug, claims, stand_ins)


VERDICTS = [
    verdict("ex01_softmax", State.PASSED, State.PASSED, State.SKIPPED),
    verdict("ex02_attention_scores", State.PASSED, State.FAILED, stand_ins=("ex01_softmax",)),
    verdict("ex04_scaled_attention", State.NOT_STARTED),
    verdict("ex05_causal_masks", State.ERROR, State.BLOCKED),
    verdict("ex07_heads", State.TIMED_OUT, State.BLOCKED),
]


def test_the_board() -> None:
    assert board(VERDICTS, exercises(), Path("exercises"), FANCY) == [
        "  ✓ ex01_softmax          ★  2 of 2 claims hold",
        "  ✗ ex02_attention_scores ★  1 of 2 claims hold",
        "  · ex04_scaled_attention ★  not started",
        "  ✗ ex05_causal_masks     ★  cannot be judged yet",
        "  ✗ ex07_heads            ★  ran out of time",
        "    ex02_attention_scores was judged with the reference of ex01_softmax",
        "",
        "next: ex02_attention_scores  exercises/ex02_attention_scores.py:1",
    ]


def test_the_board_in_40_columns() -> None:
    lines = board(VERDICTS, exercises(), Path("exercises"), FANCY._replace(width=40))

    assert lines[1] == "  ✗ ex02_attention_scores ★  1/2"


def test_the_board_in_colour() -> None:
    lines = board(VERDICTS, exercises(), Path("exercises"), FANCY._replace(colour=True))

    assert lines[0].startswith("  \033[32m✓\033[0m ex01_softmax")
    assert lines[1].startswith("  \033[31m✗\033[0m ex02")


def test_the_board_of_what_was_changed_since() -> None:
    lines = board([ExerciseVerdict("ex01_softmax", not_run=1)], exercises(), Path("e"), FANCY)

    assert lines[0] == "  – ex01_softmax ★  changed since it was last judged"
    assert lines[-1] == "next: ex01_softmax  e/ex01_softmax.py:1"


def test_the_board_without_unicode() -> None:
    lines = board(VERDICTS, exercises(), Path("exercises"), PLAIN)

    assert all(line.isascii() for line in lines)
    assert lines[0] == "  + ex01_softmax          *  2 of 2 claims hold"


def test_the_board_when_all_is_done() -> None:
    assert board(VERDICTS[:1], exercises(), Path(), FANCY)[-1] == "every claim that was run holds"


def test_what_a_stream_can_show() -> None:
    assert style_of(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")).unicode
    assert not style_of(io.TextIOWrapper(io.BytesIO(), encoding="cp1252")).unicode
    assert not style_of(io.StringIO()).unicode
