"""What a room is told of a verdict: never a line of code, never what the code has returned."""

from collections.abc import Iterable
from typing import Any

from kata.verdict import ExerciseVerdict, State

MOST_MISTAKES = 4  # of one exercise; two at once is the most that a diagnosis names


def summary(found: Iterable[ExerciseVerdict]) -> list[dict[str, Any]]:
    """Each exercise with its claims that hold, the first that fails, and the mistakes' names."""
    return [_of(each) for each in found]


def _of(found: ExerciseVerdict) -> dict[str, Any]:
    if found.state is State.NOT_STARTED:
        return {"exercise": found.slug, "state": found.state.value}
    first = None if found.is_whole else found.first_wrong
    return {
        "exercise": found.slug,
        "state": found.state.value,
        "held": found.held,
        "of": 0 if found.is_whole else len(found.judged),
        "claim": first.plain_name if first else "",
        "mistakes": [each.slug for each in found.mistakes[:MOST_MISTAKES]],
    }
