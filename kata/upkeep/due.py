"""Which gates have to be asked again, about which wrong answers, and what they complain about.

A gate that is not named here costs next to nothing, and is always asked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise
from kata.upkeep import gates, slow_gates
from kata.upkeep.faces import sheet_text_is_whole
from kata.upkeep.foundations import references_stand_on_accepted
from kata.upkeep.fuzz.gate import right_answers_agree, right_answers_agree_at_length
from kata.upkeep.hunts.gates import all_hunts_have_one_answer, hunts_have_one_answer
from kata.upkeep.hunts.losses import losses_are_true
from kata.upkeep.levels.gates import examples_are_not_enough
from kata.upkeep.mutants import equivalents_are_mutants
from kata.upkeep.notebooks import all_cells_are_judged_like_files, cells_are_judged_like_files
from kata.upkeep.proofs.model import model_proof_catches_level_1
from kata.upkeep.recording import records_are_true
from kata.upkeep.work import (
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
)  # fmt: skip

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
    asked = (*gates.GATES, *slow_gates.SLOW_GATES)
    idle = sum(not is_due(gate, work) for gate in asked)
    return len(bugs(exercise)) - len(work.entries), idle
