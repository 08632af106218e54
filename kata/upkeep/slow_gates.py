"""Gates that are too slow for every run of pytest: for `kata check`, and for tests/long."""

from collections.abc import Callable, Iterator

from kata.course.curriculum import Exercise
from kata.upkeep.foundations import references_stand_on_accepted
from kata.upkeep.fuzz.gate import right_answers_agree_at_length
from kata.upkeep.recording import records_are_true

SLOW_GATES: tuple[Callable[[Exercise], Iterator[str]], ...] = (
    references_stand_on_accepted,
    right_answers_agree_at_length,
    records_are_true,
)
