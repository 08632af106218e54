"""Many answers by script, and one question after the other: the verdicts are the same."""

from collections.abc import Iterable

import pytest

from kata.course.catalogue import applied, bugs
from kata.course.curriculum import exercises
from kata.grading import sandbox
from kata.grading.options import Options
from kata.judging.case import begin_run
from tests.helpers.grader import lent_judge
from tests.helpers.sampling import everything, release
from tests.kata.grading.test_script_judge import SLUGS, answers, observed, told

# One of its answers reads memory that nobody has set: two live runs differ, too.
UNREPEATABLE = "ex22_decoder_block"
REMEMBERING = {
    slug: forms
    for slug, exercise in exercises().items()
    if (forms := [form for bug in bugs(exercise) if bug.remembers for form in bug.forms])
}

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason="not all promises can be kept here")


def compare(slug: str, texts: Iterable[str]) -> None:
    """Judge each text both ways."""
    judge = lent_judge(Options((slug,), {slug: 1.0}, seed=3, diagnosis=False))
    for text in texts:
        live, scripted = (told(observed(judge, slug, text, scripted=way)) for way in (False, True))
        if slug == UNREPEATABLE:
            live, scripted = ([claim[:2] for claim in claims] for claims in (live, scripted))
        assert scripted == live, text
    begin_run(0)


@pytest.mark.parametrize("slug", [*SLUGS, pytest.param("ex06_causal_attention", marks=release)])
def test_the_verdicts_are_those_of_one_question_after_the_other(slug: str) -> None:
    compare(slug, answers(slug, *((3, 9) if everything() else (0, 90))))


@pytest.mark.parametrize("slug", REMEMBERING)
def test_so_are_those_on_every_answer_that_remembers(slug: str) -> None:
    exercise = exercises()[slug]
    compare(slug, (text for form in REMEMBERING[slug] for text in applied(exercise, form)))


def test_many_answers_remember() -> None:
    assert len(REMEMBERING) > 10
    assert sum(map(len, REMEMBERING.values())) >= 40
