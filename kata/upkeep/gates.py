"""All gates of an exercise, and which of them have to be asked again about what has changed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise
from kata.upkeep import faces, right_answers, suites, wrong_answers
from kata.upkeep.documents import documents_are_covered, numbers_are_of_today
from kata.upkeep.fuzz import right_answers_agree, right_answers_agree_at_length
from kata.upkeep.hunts import all_hunts_have_one_answer, hunts_have_one_answer, losses_are_true
from kata.upkeep.levels import (
    examples_are_not_enough,
    level_1_is_real,
    level_1_is_whole,
    model_proof_catches_level_1,
)
from kata.upkeep.mutants import equivalents_are_mutants
from kata.upkeep.parity import all_cells_are_judged_like_files, cells_are_judged_like_files
from kata.upkeep.records import (
    ANSWERS,
    BELOW,
    CATALOGUE,
    LEVEL_1,
    LOSSES,
    MUTANTS,
    PARTS,
    PROOF,
    SHEET_TEXT,
    VERSIONS,
    Work,
    records_are_true,
)

# A gate yields a complaint for everything that is not as its docstring says.
Gate = Callable[..., Iterator[str]]
GATES: tuple[Gate, ...] = (
    faces.every_face_is_there,  # the others run only if this one holds
    faces.nothing_says_todo,
    faces.every_name_has_its_hints,
    faces.delegates_are_not_the_solution,
    faces.sheet_text_is_whole,
    faces.figure_is_whole,
    faces.there_are_enough_answers,
    wrong_answers.every_find_matches_once,
    wrong_answers.every_bug_has_its_texts,
    wrong_answers.every_bug_is_caught,
    wrong_answers.every_form_is_caught,
    wrong_answers.every_version_is_what_it_says,
    wrong_answers.every_claim_has_a_bug,
    wrong_answers.every_pair_is_told_apart,
    wrong_answers.every_bug_is_named,
    right_answers.stub_is_not_started,
    right_answers.stub_and_solution_agree,
    faces.proof_follows_from_the_contract,
    right_answers.docstring_examples_run,
    right_answers.solution_passes,
    right_answers.accepted_answers_pass,
    right_answers_agree,
    right_answers.right_answers_differ,
    right_answers.right_answers_quote_their_contract,
    level_1_is_whole,
    level_1_is_real,
    examples_are_not_enough,
    hunts_have_one_answer,
    cells_are_judged_like_files,
    wrong_answers.trivial_answers_earn_nothing,
    model_proof_catches_level_1,
    equivalents_are_mutants,
    suites.suite_follows_its_rules,
    suites.claims_are_in_groups,
    suites.refusals_are_last,
    suites.shares_are_of_functions,
    wrong_answers.prices_are_read,
    suites.cuda_claims_exist,
)
SLOW_GATES: tuple[Gate, ...] = (
    right_answers.references_stand_on_accepted,
    right_answers_agree_at_length,
    records_are_true,
    all_hunts_have_one_answer,
    losses_are_true,
    all_cells_are_judged_like_files,
)
OVERALL_GATES: tuple[Callable[[], Iterator[str]], ...] = (
    faces.no_file_is_left_over,
    documents_are_covered,
    numbers_are_of_today,
)
# These gates take the wrong answers to judge.
OF_ENTRIES: frozenset[Gate] = frozenset(
    (
        wrong_answers.every_find_matches_once,
        wrong_answers.every_form_is_caught,
        wrong_answers.every_bug_is_caught,
        wrong_answers.every_pair_is_told_apart,
        wrong_answers.every_bug_is_named,
        cells_are_judged_like_files,
        records_are_true,
        all_hunts_have_one_answer,
        all_cells_are_judged_like_files,
    )
)
# The parts of an exercise that a gate looks at; one that is in neither table is always asked.
OF_PARTS: Mapping[Gate, tuple[str, ...]] = {
    wrong_answers.every_version_is_what_it_says: (ANSWERS, VERSIONS),
    right_answers.docstring_examples_run: (ANSWERS,),
    right_answers.right_answers_differ: (ANSWERS,),
    suites.suite_follows_its_rules: (ANSWERS,),
    faces.sheet_text_is_whole: (ANSWERS, SHEET_TEXT),
    right_answers.solution_passes: (ANSWERS,),
    right_answers.accepted_answers_pass: (ANSWERS,),
    right_answers_agree: (ANSWERS,),
    examples_are_not_enough: (ANSWERS, LEVEL_1),
    hunts_have_one_answer: (ANSWERS, CATALOGUE),
    cells_are_judged_like_files: (ANSWERS,),
    wrong_answers.trivial_answers_earn_nothing: (ANSWERS,),
    model_proof_catches_level_1: (ANSWERS, LEVEL_1, PROOF),
    equivalents_are_mutants: (ANSWERS, MUTANTS),
    suites.cuda_claims_exist: (ANSWERS,),
    right_answers.references_stand_on_accepted: (ANSWERS, BELOW),
    right_answers_agree_at_length: (ANSWERS,),
    losses_are_true: (ANSWERS, LOSSES),
    all_cells_are_judged_like_files: (ANSWERS,),
}
ONE_IN = 8  # exercises, in every draw
CROWD = 4  # wrong answers, all of which would have to be judged
DEAR = {equivalents_are_mutants, model_proof_catches_level_1}
DRAWN = {*OF_PARTS} - DEAR - {right_answers.accepted_answers_pass}


def complaints(exercise: Exercise, gates: Iterable[Gate], work: Work) -> dict[str, list[str]]:
    """Return the complaints of these gates, if this is to be judged."""
    return {gate.__name__: list(_asked(gate, exercise, work)) for gate in gates}


def _asked(gate: Gate, exercise: Exercise, work: Work) -> Iterator[str]:
    if not is_due(gate, work):
        return
    if gate in OF_ENTRIES and not is_whole(exercise, work):
        yield from gate(exercise, work.entries)
    else:
        yield from gate(exercise)


def is_due(gate: Gate, work: Work) -> bool:
    """Return whether anything that a gate looks at is to be judged."""
    if gate not in OF_ENTRIES and gate not in OF_PARTS:
        return True
    of_entries = gate in OF_ENTRIES and work.entries
    return bool(of_entries or work.parts & {*OF_PARTS.get(gate, ())})


def is_whole(exercise: Exercise, work: Work) -> bool:
    """Return whether all of an exercise is to be judged."""
    return len(work.entries) == len(bugs(exercise)) and work.parts == {*PARTS}


def left_out(exercise: Exercise, work: Work) -> tuple[int, int]:
    """Return how many wrong answers are not judged again, and how many gates are not asked."""
    idle = sum(not is_due(gate, work) for gate in (*GATES, *SLOW_GATES))
    return len(bugs(exercise)) - len(work.entries), idle


@dataclass(frozen=True)
class Sample:
    """The part of an exercise that is judged although it has not changed.

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


def sample(exercise: Exercise, gates: Sequence[Gate], seed: str) -> Sample:
    """Draw a wrong answer of every exercise, and now and then more; the same for the same seed."""
    chance, entries = Random(f"{seed} {exercise.slug}"), bugs(exercise)
    return Sample(
        tuple(
            bug
            for bug in _drawn(chance, entries)
            if len(wrong_answers.near(exercise, (bug,))) <= CROWD
        ),
        tuple(chance.sample(entries, min(1, len(entries)))),
        _drawn(chance, faces.accepted(exercise)),
        _drawn(chance, [gate for gate in gates if gate in DRAWN]),
    )


def _drawn(chance: Random, choices: Sequence[Any]) -> tuple[Any, ...]:
    return (chance.choice(choices),) if choices and chance.randrange(ONE_IN) == 0 else ()


def complaints_of(
    exercise: Exercise, gates: Sequence[Gate], chosen: Sample
) -> dict[str, list[str]]:
    """Return the complaints of these gates about a sample."""
    by_gate = {
        "answers": list(right_answers.accepted_answers_pass(exercise, chosen.answers)),
        "records": list(records_are_true(exercise, chosen.recorded)),
        **complaints(exercise, gates, Work(chosen.entries, frozenset())),
    }
    for gate in chosen.gates:
        more = complaints(exercise, (gate,), Work((), frozenset(OF_PARTS[gate])))
        by_gate[gate.__name__] = by_gate.get(gate.__name__, []) + more[gate.__name__]
    return by_gate
