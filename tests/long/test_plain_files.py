"""All plain answers that the project knows are judged alike in any order, and in one process."""

import random
from functools import cache

import pytest

from kata.course.curriculum import exercises
from kata.grading.verdicts.plain.files import is_plain
from tests.helpers.plain_answers import Answer, answers, differences

MIXES = 24  # each with answers to all exercises, in one process with those before
# Of the right answers, those to ex19 and later use more of torch than a plain file may.
LEAST = {"solution": 1.0, "accepted": 0.9, "catalogue": 0.95, "attempts": 0.95, "rewritten": 0.9}


@cache
def known() -> list[Answer]:
    return [answer for exercise in exercises().values() for answer in answers(exercise)]


@cache
def mixed() -> list[Answer]:
    plain = [answer for answer in known() if is_plain(answer.tree)]
    random.Random(14).shuffle(plain)
    return plain


@pytest.mark.parametrize("kind", LEAST)
def test_most_answers_are_plain(kind: str) -> None:
    found = [is_plain(answer.tree) for answer in known() if answer.kind == kind]

    assert sum(found) >= LEAST[kind] * len(found)


@pytest.mark.parametrize("mix", range(MIXES))
def test_plain_answers_are_judged_alike_in_any_order(mix: int) -> None:
    assert list(differences(mixed()[mix::MIXES])) == []
