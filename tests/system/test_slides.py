"""All slides, judged as tests/kata/handouts/test_slides.py judges those of two exercises."""

from functools import cache

import pytest

from kata.course.curriculum import Exercise, exercises
from kata.handouts.paper.slides import data, slides
from kata.handouts.paper.typesetting import Data
from tests.helpers.sampling import release
from tests.kata.handouts.test_slides import (
    EACH,
    Slides,
    assert_asked_before_answered,
    assert_parted,
    assert_readable,
    assert_seen,
    assert_whole,
)

pytestmark = release
ALL = list(exercises().values())
CORE = [exercise for exercise in ALL if exercise.core]


@cache
def core() -> Slides:
    return Slides(data(core=True), slides(core=True))


@cache
def whole() -> list[Data]:
    exercises_shown: list[Data] = data(core=False)["exercises"]
    return exercises_shown


def test_the_slides_of_the_core_can_be_read_from_the_back_row() -> None:
    assert len(core().pages) == 1 + len(CORE) * len(EACH)
    assert "7exercises" in core().read[0][0]
    assert_readable(core())


@pytest.mark.parametrize("exercise", CORE, ids=lambda exercise: exercise.short)
def test_an_exercise_of_the_core_is_told_whole_and_asked_about_first(exercise: Exercise) -> None:
    assert_asked_before_answered(core(), exercise)
    assert_whole(core(), exercise)


def test_every_mistake_can_be_seen_and_every_figure_parted() -> None:
    for exercise, told in zip(ALL, whole(), strict=True):
        assert_seen(exercise, told["mistake"])
        assert_parted(exercise)


def test_no_two_exercises_show_the_same_mistake_if_there_is_another_one() -> None:
    slugs = [told["mistake"]["slug"] for told in whole()]

    assert len(slugs) - len(set(slugs)) <= 1
