"""All claims of an exercise, checked without pytest."""

import pytest

from kata.course.curriculum import exercises
from kata.course.target import reference
from kata.judging.judge import judge
from kata.verdict import State
from tests.helpers.sampling import sample


@pytest.mark.parametrize("slug", sample([*exercises()], one_in=5))
def test_the_reference_passes_without_pytest(slug: str) -> None:
    verdict = judge(exercises()[slug], reference())

    assert verdict.state is State.PASSED
    assert verdict.stand_ins == ()
