"""Code that has the idea, without any fine print, and code from notebooks: what is said of it.

Real code lacks a ValueError, cares for no row that hides every key, and takes the number of
dimensions that it needs. Whoever writes so has understood; what they are told first is no detail.
"""

import tomllib
from typing import Any

import pytest

from kata.course.catalogue import target_of
from kata.course.curriculum import ROOT, Exercise, exercises
from kata.course.source import read
from kata.course.suite_code import Group, groups
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.observe import observe
from kata.diagnosis.suspects import Suspects
from kata.judging.attempt import Attempt
from kata.judging.judge import check, suite
from kata.verdict import ClaimVerdict

SPECIMENS = ROOT / "tests" / "specimens"
IDEAS, DOCUMENTS = SPECIMENS / "ideas", SPECIMENS / "documents"
OUTCOMES = tomllib.loads((DOCUMENTS / "outcomes.toml").read_text(encoding="utf-8"))["specimen"]
BY_SHORT = {each.short: each for each in exercises().values()}
CORE_IDEAS = 120  # of some 290 claims of the core


@pytest.mark.parametrize("exercise", exercises().values(), ids=lambda each: each.short)
def test_who_has_the_idea_fails_no_claim_of_it(exercise: Exercise) -> None:
    text = read(IDEAS / exercise.filename).text
    attempt = Attempt(exercise, target_of(exercise, text))
    ideas = [each for each in suite(exercise)
             if each.device != "cuda" and groups(exercise)[each.name] is Group.IDEA]  # fmt: skip

    judged = [check(each, attempt) for each in ideas]

    assert [f"{each.name}: {each.message}" for each in judged if not each.held] == []


def test_the_idea_is_the_smaller_part_of_the_core() -> None:
    of_the_core = [group for each in exercises().values() if each.core
                   for group in groups(each).values()]  # fmt: skip

    assert of_the_core.count(Group.IDEA) <= CORE_IDEAS


@pytest.mark.parametrize("outcome", OUTCOMES, ids=lambda each: each["file"])
def test_code_from_notebooks_is_told_its_own_mistake_first(outcome: dict[str, Any]) -> None:
    exercise = BY_SHORT[outcome["exercise"]]
    text = read(DOCUMENTS / outcome["file"]).text
    seen = observe(exercise, target_of(exercise, text))
    first = seen.verdict.first_failure

    if "named" not in outcome and "says" not in outcome:
        assert of_the_idea(exercise, seen.verdict.judged) == []
        return
    assert first is not None
    assert first.message is not None
    assert groups(exercise)[first.plain_name] is Group.IDEA
    if said := outcome.get("says"):
        assert first.message.brief == said
    else:
        named = diagnose(exercise, seen.findings, Suspects(exercise), text)
        assert named is not None
        assert [each.slug for each in named.mistakes] == outcome["named"]


def of_the_idea(exercise: Exercise, judged: tuple[ClaimVerdict, ...]) -> list[str]:
    """The claims of the idea that do not hold."""
    known = groups(exercise)
    return [each.name for each in judged
            if not each.held and known[each.plain_name] is Group.IDEA]  # fmt: skip
