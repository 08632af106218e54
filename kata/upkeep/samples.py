"""A sample of an exercise, for every push after which only the machinery is another one.

The same seed gives the same sample. Over many pushes that is everything but what takes seconds for
each exercise, and what `kata check` does: how wrong answers are told apart that fare like many
others, and the gates in DEAR.
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
from kata.upkeep.mutants import equivalents_are_mutants
from kata.upkeep.observing import near
from kata.upkeep.proofs.model import model_proof_catches_level_1
from kata.upkeep.recording import records_are_true
from kata.upkeep.work import Work

ONE_IN = 8  # exercises, in each of the draws
CROWD = 4  # wrong answers, all of which would have to be judged
DEAR = {equivalents_are_mutants, model_proof_catches_level_1}
DRAWN = {*OF_PARTS} - DEAR - {accepted_answers_pass}


@dataclass(frozen=True)
class Sample:
    """What is judged of an exercise, although it has not changed.

    Attributes:
        entries: of these wrong answers all that is said of them, and
        recorded: of these what is recorded, which is the verdict on them and their name.
        answers: these right answers, and
        gates: what else these gates say of the exercise itself.
    """

    entries: tuple[Bug, ...]
    recorded: tuple[Bug, ...]
    answers: tuple[Path, ...]
    gates: tuple[Gate, ...]

    @property
    def judged(self) -> frozenset[Bug]:
        """The wrong answers in it."""
        return frozenset((*self.entries, *self.recorded))


NOTHING = Sample((), (), (), ())


def sample(exercise: Exercise, asked: Sequence[Gate], seed: str) -> Sample:
    """As the seed has it: a wrong answer of each exercise, and now and then more."""
    drawn, entries = Random(f"{seed} {exercise.slug}"), bugs(exercise)
    return Sample(
        tuple(bug for bug in _one(drawn, entries) if len(near(exercise, (bug,))) <= CROWD),
        tuple(drawn.sample(entries, min(1, len(entries)))),
        _one(drawn, accepted(exercise)),
        _one(drawn, [gate for gate in asked if gate in DRAWN]),
    )


def _one(drawn: Random, choices: Sequence[Any]) -> tuple[Any, ...]:
    return (drawn.choice(choices),) if choices and drawn.randrange(ONE_IN) == 0 else ()


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
