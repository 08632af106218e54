"""A sample of an exercise, for every push after which only the machinery is another one.

The same seed gives the same sample. Over many pushes that is everything but how wrong answers are
told apart that fare like many others: this takes seconds for each, and `kata check` does it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise
from kata.upkeep.due import OF_PARTS, Gate, complaints
from kata.upkeep.faces import accepted
from kata.upkeep.gates import accepted_answers_pass
from kata.upkeep.observing import near
from kata.upkeep.recording import records_are_true
from kata.upkeep.work import Work

ONE_IN, ONE_IN_RECORDED = 8, 3  # exercises, in each of the draws
CROWD = 4  # wrong answers, all of which would have to be judged


@dataclass(frozen=True)
class Sample:
    """What is judged of an exercise, although it has not changed.

    Attributes:
        entries: of these wrong answers all that is said of them, and
        recorded: of these what is recorded.
        answers: these right answers, and
        gates: what else these gates say of the exercise itself.
    """

    entries: tuple[Bug, ...]
    recorded: tuple[Bug, ...]
    answers: tuple[Path, ...]
    gates: tuple[Gate, ...]


NOTHING = Sample((), (), (), ())


def sample(exercise: Exercise, asked: Sequence[Gate], seed: str) -> Sample:
    """As the seed has it; most exercises are not in a draw."""
    drawn = Random(f"{seed} {exercise.slug}")
    of_parts = [gate for gate in asked if gate in OF_PARTS and gate is not accepted_answers_pass]
    return Sample(
        tuple(bug for bug in _one(drawn, bugs(exercise)) if len(near(exercise, (bug,))) <= CROWD),
        _one(drawn, bugs(exercise), ONE_IN_RECORDED),
        *(_one(drawn, some) for some in (accepted(exercise), of_parts)),
    )


def _one(drawn: Random, choices: Sequence[Any], one_in: int = ONE_IN) -> tuple[Any, ...]:
    return (drawn.choice(choices),) if choices and drawn.randrange(one_in) == 0 else ()


def complaints_of(exercise: Exercise, asked: Sequence[Gate], some: Sample) -> dict[str, list[str]]:
    """What the gates complain about in a sample."""
    found = {
        "answers": list(accepted_answers_pass(exercise, some.answers)),
        "records": list(records_are_true(exercise, some.recorded)),
        **complaints(exercise, asked, Work(some.entries, frozenset())),
    }
    for gate in some.gates:
        told = complaints(exercise, (gate,), Work((), frozenset(OF_PARTS[gate])))
        found[gate.__name__] = found.get(gate.__name__, []) + told[gate.__name__]
    return found
