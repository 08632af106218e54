"""What a table of prepared answers earns.

Run `python -m tests.helpers.prepared_answers [EXERCISE ...]`.

The answers of the solutions are written down in a run with one seed, and given back, claim by
claim and call by call, in a run with another. Constructors are real, and claims that ask for no
more do not count. A claim that holds all the same could be answered by somebody who computes
nothing.
"""

import sys
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from kata.course.curriculum import Exercise, exercise_named, exercises
from kata.course.target import reference
from kata.inside.arrays import arrays_in
from kata.inside.objects import ModuleRef, Objects
from kata.judging.attempt import Attempt
from kata.judging.case import begin_run
from kata.judging.judge import case_of, check, suite
from kata.verdict import State

Call = tuple[str, int]  # the claim, and how many calls it has made before


class Table(Objects):
    """The objects of the reference, whose answers are written down, or given back."""

    known: dict[Call, Any]
    claim, count, learns = "", 0, True
    given_back = 0

    def call(self, what: str | int, args: Any, kwargs: Any) -> Any:
        """What this call of this claim gave in the first run."""
        Table.count += 1
        key = (Table.claim, Table.count)
        if Table.learns or isinstance(Table.known.get(key), ModuleRef):
            return self._learned(key, what, args, kwargs)
        Table.given_back += 1
        if isinstance(found := Table.known.get(key), Exception):
            raise found
        return _with_gradients(_copied(found), [*args, *kwargs.values()])

    def _learned(self, key: Call, what: str | int, args: Any, kwargs: Any) -> Any:
        try:
            found = super().call(what, args, kwargs)
        except Exception as error:
            Table.known[key] = error
            raise
        Table.known[key] = _copied(found)
        return found


def _copied(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_copied(each) for each in value)
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    return value.copy() if isinstance(value, np.ndarray) else value


def _with_gradients(value: Any, given: list[Any]) -> Any:
    """The same numbers, connected to the arguments, so that only their gradients are wrong."""
    leaves = [each for each in arrays_in(given) if getattr(each, "requires_grad", False)]
    if not leaves or not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    return value + 0 * sum(each.double().nan_to_num(0, 0, 0).sum() for each in leaves).to(value)


def held(exercise: Exercise, first: int = 111, second: int = 222) -> tuple[list[str], int]:
    """The claims that hold without a computation, and how many there are."""
    Table.known = {}
    with patch("kata.inside.objects.Objects", Table):
        [*_passed(exercise, first, learns=True)]
        found = [*_passed(exercise, second, learns=False)]
    begin_run(0)
    return found, sum(each.device != "cuda" for each in suite(exercise))


def _passed(exercise: Exercise, seed: int, *, learns: bool) -> Iterator[str]:
    begin_run(seed)
    attempt = Attempt(exercise, reference())
    for claim in suite(exercise):
        if claim.device != "cuda":
            Table.claim, Table.count, Table.learns = claim.id, 0, learns
            Table.given_back = 0
            state = check(claim, attempt, case_of(claim, exercise)).state
            if state is State.PASSED and Table.given_back:
                yield claim.id


def main(words: list[str]) -> None:
    """A line for each exercise, and its claims below it."""
    chosen = [exercise_named(each) for each in words] or [*exercises().values()]
    total, most = 0, 0
    for exercise in chosen:
        found, count = held(exercise)
        print(f"{exercise.short}: {len(found)} of {count}", *found, sep="\n    ")
        total, most = total + len(found), most + count
    print(f"all: {total} of {most}")


if __name__ == "__main__":
    main(sys.argv[1:])
