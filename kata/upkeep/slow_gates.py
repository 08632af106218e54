"""Gates that are too slow for every run of pytest: for `kata check`, and for tests/long."""

from collections.abc import Callable, Iterator

from kata.upkeep.foundations import references_stand_on_accepted
from kata.upkeep.fuzz.gate import right_answers_agree_at_length
from kata.upkeep.hunts.gates import all_hunts_have_one_answer
from kata.upkeep.hunts.losses import losses_are_true
from kata.upkeep.notebooks import all_cells_are_judged_like_files
from kata.upkeep.recording import records_are_true

SLOW_GATES: tuple[Callable[..., Iterator[str]], ...] = (
    references_stand_on_accepted,
    right_answers_agree_at_length,
    records_are_true,
    all_hunts_have_one_answer,
    losses_are_true,
    all_cells_are_judged_like_files,
)
