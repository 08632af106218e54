"""All plain answers that the project knows are judged alike in any order, and in one process."""

import random
from functools import cache

import pytest

from kata.course.curriculum import exercises
from kata.grading.verdicts.plain.files import is_plain
from tests.helpers.plain_answers import Answer, answers, differences

MIXES = 24  # each with answers to all exercises, in one process with those before
# Right answers to ex19 and later use more of torch than a plain file may: 63 of 79 are plain.
LATER = "accepted since ex19"
LEAST = {
    "solution": 1.0,
    "accepted": 0.97,
    LATER: 0.75,
    "catalogue": 0.95,
    "attempts": 0.95,
    "rewritten": 0.9,
}


@cache
def known() -> list[Answer]:
    return [answer for exercise in exercises().values() for answer in answers(exercise)]


@cache
def mixed() -> list[Answer]:
    plain = [answer for answer in known() if is_plain(answer.tree)]
    random.Random(14).shuffle(plain)
    return plain


def kind_of(answer: Answer) -> str:
    later = answer.kind == "accepted" and answer.exercise.short >= "ex19"
    return LATER if later else answer.kind


@pytest.mark.parametrize("kind", LEAST)
def test_most_answers_are_plain(kind: str) -> None:
    found = [is_plain(answer.tree) for answer in known() if kind_of(answer) == kind]

    assert sum(found) >= LEAST[kind] * len(found)


@pytest.mark.parametrize("mix", range(MIXES))
def test_plain_answers_are_judged_alike_in_any_order(mix: int) -> None:
    assert list(differences(mixed()[mix::MIXES])) == []
