"""Which gates have to be asked again, about which wrong answers, and what they complain about."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise
from kata.upkeep import gates
from kata.upkeep.answers import model_proof_catches_level_1, references_stand_on_accepted
from kata.upkeep.faces import accepted, sheet_text_is_whole
from kata.upkeep.fuzz import right_answers_agree, right_answers_agree_at_length
from kata.upkeep.gates import accepted_answers_pass
from kata.upkeep.hunts import all_hunts_have_one_answer, hunts_have_one_answer, losses_are_true
from kata.upkeep.levels import examples_are_not_enough
from kata.upkeep.mutants import equivalents_are_mutants
from kata.upkeep.notebooks import all_cells_are_judged_like_files, cells_are_judged_like_files
from kata.upkeep.observing import near
from kata.upkeep.recording import (  # fmt: skip
    ANSWERS,
    BELOW,
    CATALOGUE,
    LEVEL_1,
    LOSSES,
    MUTANTS,
    PARTS,
    PROOF,
    SHEET,
    VERSIONS,
    Work,
    records_are_true,
)

Gate = Callable[..., Iterator[str]]
OF_ENTRIES: frozenset[Gate] = frozenset(
    (  # they take the wrong answers to judge
        gates.every_find_matches_once,
        gates.every_form_is_caught,
        gates.every_bug_is_caught,
        gates.every_pair_is_told_apart,
        gates.every_bug_is_named,
        cells_are_judged_like_files,
        records_are_true,
        all_hunts_have_one_answer,
        all_cells_are_judged_like_files,
    )
)
OF_PARTS: Mapping[Gate, tuple[str, ...]] = {
    gates.every_version_is_what_it_says: (ANSWERS, VERSIONS),
    gates.docstring_examples_run: (ANSWERS,),
    gates.right_answers_differ: (ANSWERS,),
    gates.suite_follows_its_rules: (ANSWERS,),
    sheet_text_is_whole: (ANSWERS, SHEET),
    gates.solution_passes: (ANSWERS,),
    gates.accepted_answers_pass: (ANSWERS,),
    right_answers_agree: (ANSWERS,),
    examples_are_not_enough: (ANSWERS, LEVEL_1),
    hunts_have_one_answer: (ANSWERS, CATALOGUE),
    cells_are_judged_like_files: (ANSWERS,),
    gates.trivial_answers_earn_nothing: (ANSWERS,),
    model_proof_catches_level_1: (ANSWERS, LEVEL_1, PROOF),
    equivalents_are_mutants: (ANSWERS, MUTANTS),
    gates.cuda_claims_exist: (ANSWERS,),
    references_stand_on_accepted: (ANSWERS, BELOW),
    right_answers_agree_at_length: (ANSWERS,),
    losses_are_true: (ANSWERS, LOSSES),
    all_cells_are_judged_like_files: (ANSWERS,),
}
ONE_IN = 8  # exercises, in each of the draws
CROWD = 4  # wrong answers, all of which would have to be judged
DEAR = {equivalents_are_mutants, model_proof_catches_level_1}
DRAWN = {*OF_PARTS} - DEAR - {accepted_answers_pass}
SLOW_GATES: tuple[Callable[..., Iterator[str]], ...] = (
    references_stand_on_accepted,
    right_answers_agree_at_length,
    records_are_true,
    all_hunts_have_one_answer,
    losses_are_true,
    all_cells_are_judged_like_files,
)


def complaints(exercise: Exercise, asked: Iterable[Gate], work: Work) -> dict[str, list[str]]:
    """What each of these gates complains about, if this is to be judged."""
    return {gate.__name__: list(_asked(gate, exercise, work)) for gate in asked}


def _asked(gate: Gate, exercise: Exercise, work: Work) -> Iterator[str]:
    if not is_due(gate, work):
        return
    if gate in OF_ENTRIES and not is_whole(exercise, work):
        yield from gate(exercise, work.entries)
    else:
        yield from gate(exercise)


def is_due(gate: Gate, work: Work) -> bool:
    """Whether anything that a gate looks at is to be judged."""
    if gate not in OF_ENTRIES and gate not in OF_PARTS:
        return True
    of_entries = gate in OF_ENTRIES and work.entries
    return bool(of_entries or work.parts & {*OF_PARTS.get(gate, ())})


def is_whole(exercise: Exercise, work: Work) -> bool:
    """Whether all of an exercise is to be judged."""
    return len(work.entries) == len(bugs(exercise)) and work.parts == {*PARTS}


def left_out(exercise: Exercise, work: Work) -> tuple[int, int]:
    """How many wrong answers are not judged again, and how many gates are not asked at all."""
    asked = (*gates.GATES, *SLOW_GATES)
    idle = sum(not is_due(gate, work) for gate in asked)
    return len(bugs(exercise)) - len(work.entries), idle


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
