"""The gates on groups of claims and on prices: each is broken once, and tells what is wrong."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kata.course import curriculum, suite_code
from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise, exercises
from kata.course.suite_code import Group, compiled, groups
from kata.upkeep import suites, wrong_answers
from kata.upkeep.wrong_answers import with_claims

HEADS = next(each for each in exercises().values() if each.short == "ex07")
Changed = Callable[[str, str], Exercise]


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Changed]:
    """The exercise with another text in its suite."""
    own = (groups, compiled, suite_code._codes, suite_code.about)

    def change(before: str, after: str) -> Exercise:
        text = HEADS.suite.read_text(encoding="utf-8")
        assert before in text
        (tmp_path / HEADS.suite.name).write_text(text.replace(before, after, 1), encoding="utf-8")
        monkeypatch.setattr(curriculum, "GRADED", tmp_path)
        monkeypatch.delitem(sys.modules, f"kata_graded.{HEADS.suite.stem}", raising=False)
        for each in own:
            each.cache_clear()
        return HEADS

    yield change
    monkeypatch.undo()
    for each in own:
        each.cache_clear()


def test_a_missing_heading_is_told(changed: Changed) -> None:
    exercise = changed(f"# {Group.FINE_PRINT}\n", "")

    (told,) = suites.claims_are_in_groups(exercise)

    assert told == "the headings are The idea, Refusals, not The idea, The fine print, Refusals"


def test_a_claim_before_all_headings_is_told(changed: Changed) -> None:
    claim = 'def test_first(submission):\n    """It is."""\n'
    exercise = changed(f"# {Group.IDEA}\n", f"{claim}\n\n# {Group.IDEA}\n")

    assert "a claim stands before `# The idea`" in [*suites.claims_are_in_groups(exercise)]


def test_a_function_without_an_idea_is_told(changed: Changed) -> None:
    exercise = changed("# merge_heads\n", f"# {Group.FINE_PRINT}\n\n\n# merge_heads\n")

    assert "no claim is about the idea of merge_heads" in [*suites.claims_are_in_groups(exercise)]


def test_refusals_are_where_errors_are_asked_for_and_nowhere_else(changed: Changed) -> None:
    exercise = changed(f"# {Group.REFUSALS}\n", "")

    told = [*suites.refusals_are_last(exercise)]

    assert told
    assert all("asks for an error, and stands below `# The fine print`" in each for each in told)


def test_what_asks_for_no_error_is_no_refusal(changed: Changed) -> None:
    exercise = changed(f"# {Group.FINE_PRINT}\n", f"# {Group.REFUSALS}\n")

    told = [*suites.refusals_are_last(exercise)]

    assert told
    assert all("asks for no error, and stands below `# Refusals`" in each for each in told)


def test_a_share_belongs_to_a_function() -> None:
    exercise = replace(HEADS, shares={"split_head": 2, "merge_heads": 0})

    assert [*suites.shares_are_of_functions(exercise)] == [
        "there is a share of split_head, which no claim is about",
        "merge_heads has no share of the points",
    ]


def test_traps_and_what_happened_have_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    real = next(each for each in bugs(HEADS) if each.is_real)
    known = {"none": replace(real, price=""), "unknown": replace(real, price="dear")}
    for entry in known.values():
        monkeypatch.setattr(wrong_answers, "bugs", lambda _, entry=entry: (entry,))
        (told,) = wrong_answers.prices_are_read(HEADS)
        assert told.startswith(real.slug)

    thought_of = replace(real, price="", seen_in=("reproduced",), level=0)
    monkeypatch.setattr(wrong_answers, "bugs", lambda _: (thought_of,))
    assert [*wrong_answers.prices_are_read(HEADS)] == []


def test_first_claims_are_written_and_nothing_else() -> None:
    entry = '[[bug]]\nslug = "{}"\nclaim = "old"\nwhy = "claim"\n'
    text = "\n".join(["# head\n", entry.format("a"), entry.format("b")])

    assert with_claims(text, {"a": "new"}) == text.replace('"old"', '"new"', 1)
