"""What a room is told of a verdict: never a line of code, never what the code has returned."""

from collections.abc import Iterable
from typing import Any

from kata.verdict import ExerciseVerdict, State

MOST_MISTAKES = 4  # of one exercise; two at once is the most that a diagnosis names


def summary(verdicts: Iterable[ExerciseVerdict]) -> list[dict[str, Any]]:
    """Each exercise with its claims that hold, the first that fails, and the mistakes' names."""
    return [_of(verdict) for verdict in verdicts]


def _of(verdict: ExerciseVerdict) -> dict[str, Any]:
    if verdict.state is State.NOT_STARTED:
        return {"exercise": verdict.slug, "state": verdict.state.value}
    first = None if verdict.is_whole else verdict.first_wrong
    return {
        "exercise": verdict.slug,
        "state": verdict.state.value,
        "held": verdict.held,
        "of": 0 if verdict.is_whole else len(verdict.judged),
        "claim": first.plain_name if first else "",
        "mistakes": [mistake.slug for mistake in verdict.mistakes[:MOST_MISTAKES]],
    }
