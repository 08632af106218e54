"""The line above a verdict in `kata watch`."""

import pytest

from kata.terminal.board import status_line
from kata.terminal.style import Style
from kata.verdict import ClaimVerdict, ExerciseVerdict, State

GREEN, YELLOW, RED = 32, 33, 31


@pytest.mark.parametrize(("states", "colour"), [
    ([State.PASSED, State.PASSED], GREEN), ([State.PASSED, State.NOT_STARTED], YELLOW),
    ([State.NOT_STARTED, State.NOT_STARTED], YELLOW), ([State.PASSED, State.FAILED], RED),
    ([State.PASSED, State.FAILED, State.NOT_STARTED], RED), ([State.ERROR], RED),
])  # fmt: skip
def test_what_is_not_written_yet_is_not_shown_as_wrong(states: list[State], colour: int) -> None:
    claims = tuple(ClaimVerdict(f"test_{at}", state) for at, state in enumerate(states))

    shown = status_line(ExerciseVerdict("ex01_softmax", claims), 0.1, Style(colour=True))

    assert shown.startswith(f"\033[1;{colour}m")
