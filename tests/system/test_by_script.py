"""Many answers by script, and one question after the other: the verdicts are the same."""

import pytest

from kata.grading.options import Options
from kata.grading.sandbox import sandbox
from kata.judging.case import begin_run
from tests.helpers.grader import lent_judge
from tests.helpers.sampling import everything, release
from tests.kata.grading.verdicts.test_by_script import SLUGS, answers, observed, told

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason="not all promises can be kept here")


@pytest.mark.parametrize("slug", [*SLUGS, pytest.param("ex06_causal_attention", marks=release)])
def test_the_verdicts_are_those_of_one_question_after_the_other(slug: str) -> None:
    judge = lent_judge(Options((slug,), {slug: 1.0}, seed=3, diagnosis=False))
    for text in answers(slug, *((3, 9) if everything() else (0, 90))):
        by_one = told(observed(judge, slug, text, plain=False))
        assert told(observed(judge, slug, text, plain=True)) == by_one, text
    begin_run(0)
