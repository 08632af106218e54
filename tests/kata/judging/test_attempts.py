"""Blind attempts by people who saw only the stubs, and wrong answers by people who saw the suites.

Both are kept as they were made, and replayed: some of them here, all of them by tests/long.
"""

import tomllib
from dataclasses import dataclass

import pytest

from kata.course.catalogue import target_of
from kata.course.curriculum import ROOT, exercises
from kata.judging import attempt as judging
from kata.judging.judge import check, suite
from kata.verdict import ExerciseVerdict
from tests.helpers.sampling import sample

SPECIMENS = ROOT / "tests" / "specimens"


@dataclass(frozen=True)
class Attempt:
    """One file that somebody wrote.

    `claim` is the claim that fails first; a blind attempt that passes has none. `note` says what
    misled its author, or what the author of a wrong answer tried; `became` is the bug of the
    catalogue that came of it, if it had got past the suite of its day.
    """

    file: str
    claim: str = ""
    note: str = ""
    became: str = ""

    @property
    def slug(self) -> str:
        return self.file.split("/")[0]


def kept(folder: str) -> list[Attempt]:
    table = tomllib.loads((SPECIMENS / folder / "outcomes.toml").read_text(encoding="utf-8"))
    return [Attempt(**each) for each in table["attempt"]]


def tried(folder: str) -> list[Attempt]:
    attempts = {attempt.file: attempt for attempt in kept(folder)}
    return [attempts[name] for name in sample([*attempts], one_in=20)]


def first_failure(folder: str, attempt: Attempt) -> str:
    exercise = exercises()[attempt.slug]
    text = (SPECIMENS / folder / attempt.file).read_text(encoding="utf-8")
    judged = judging.Attempt(exercise, target_of(exercise, text), remarks=False)
    for claim in suite(exercise):
        if failed := ExerciseVerdict(exercise.slug, (check(claim, judged),)).first_failure:
            return failed.plain_name
    return ""


@pytest.mark.parametrize("attempt", tried("attempts"), ids=lambda attempt: attempt.file)
def test_a_blind_attempt_ends_as_it_did(attempt: Attempt) -> None:
    assert first_failure("attempts", attempt) == attempt.claim


@pytest.mark.parametrize("attempt", tried("wrong"), ids=lambda attempt: attempt.file)
def test_a_wrong_answer_does_not_get_past(attempt: Attempt) -> None:
    assert first_failure("wrong", attempt) == attempt.claim


def test_people_solved_it_at_the_first_or_second_try() -> None:
    attempts = kept("attempts")
    for slug, exercise in exercises().items():
        tries: dict[str, list[str]] = {}
        for attempt in attempts:
            if attempt.slug == slug:
                person = attempt.file.split("/")[1].split("_")[0]
                tries.setdefault(person, []).append(attempt.claim)

        assert len(tries) >= (3 if exercise.core else 2), slug
        assert {len(claims) for claims in tries.values()} <= {1, 2}, slug
        assert {claims[-1] for claims in tries.values()} == {""}, slug


@pytest.mark.parametrize("folder", ["attempts", "wrong"])
def test_no_file_is_forgotten(folder: str) -> None:
    files = {
        str(path.relative_to(SPECIMENS / folder)) for path in (SPECIMENS / folder).rglob("*.py")
    }

    assert files == {attempt.file for attempt in kept(folder)}


def test_at_least_twenty_wrong_answers_were_tried() -> None:
    assert len(kept("wrong")) >= 20
    assert all(attempt.claim for attempt in kept("wrong"))
