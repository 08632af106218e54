"""Many answers by script, and one question after the other: the verdicts are the same."""

import pytest

from kata.grading.sandbox import sandbox
from kata.grading.verdicts.judge import Judge
from tests.kata.grading.verdicts.test_by_script import SLUGS, answers, graded, observed, told

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason="not all promises can be kept here")
__all__ = ["graded"]  # a fixture


@pytest.mark.parametrize("slug", SLUGS)
def test_the_verdicts_are_those_of_one_question_after_the_other(graded: Judge, slug: str) -> None:
    for text in answers(slug, right=3, step=9):
        by_one = told(observed(graded, slug, text, plain=False))
        assert told(observed(graded, slug, text, plain=True)) == by_one, text
