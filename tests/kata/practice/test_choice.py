"""What is asked next."""

from datetime import date, timedelta
from itertools import islice

import pytest

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import exercises
from kata.learner.progress import Progress, learner
from kata.learner.status import Work
from kata.practice import choice
from kata.practice.choice import hunts, proof
from kata.practice.loss import Loss
from kata.practice.memory import Memory
from kata.practice.questions import Which
from kata.verdict import ClaimVerdict, Diagnosis, ExerciseVerdict, Fit, Message, Mistake, State
from tests.helpers.learner_folder import Learner

FEW = 12
TODAY = date(2026, 3, 1)
EX01, EX09 = exercises()["ex01_softmax"], exercises()["ex09_multi_head_attention"]


def note(mine: Learner, exercise, *claims: ClaimVerdict, named=()) -> None:
    """Remember a verdict on the file as it is now."""
    progress = Progress(mine.folder)
    told = Diagnosis(Fit.ONE, tuple(Mistake(each.slug, each.title) for each in named))
    verdict = ExerciseVerdict(exercise.slug, claims, diagnosis=told if named else None)
    progress.note(verdict, learner(mine.folder, progress).digest(exercise.slug))
    progress.save()


def failed(name: str) -> ClaimVerdict:
    return ClaimVerdict(name, State.FAILED, Message("", evidence="1 of 2 values differ"))


def asked(mine: Learner, count: int, today: date = TODAY) -> list[str]:
    found = islice(hunts(mine.folder, Memory(mine.folder), today), count)
    return [each.bug.slug for each in found if isinstance(each, Which)]


def test_nothing_is_asked_of_who_has_begun_nothing(learner: Learner) -> None:
    learner.take("ex01", "ex02")

    assert asked(learner, 1) == []
    assert proof(learner.folder, Memory(learner.folder), TODAY) is None


def test_what_was_named_comes_first_even_if_it_is_mended_since(learner: Learner) -> None:
    bug = bugs(EX01)[40]
    learner.write(EX01.slug, wrong_answer(EX01, bug))
    note(learner, EX01, failed(bug.claim), named=[bug])
    learner.solve("ex01")
    note(learner, EX01, ClaimVerdict("test_a", State.PASSED))

    assert asked(learner, 1) == [bug.slug]


def test_then_comes_what_breaks_the_claims_that_failed(learner: Learner) -> None:
    claim = bugs(EX01)[10].claim
    learner.write(EX01.slug, wrong_answer(EX01, bugs(EX01)[10]))
    note(learner, EX01, failed(claim))

    breaking = [each.slug for each in bugs(EX01) if each.claim == claim]
    assert asked(learner, len(breaking)) == breaking


def test_what_is_due_comes_before_all_and_what_is_not_due_does_not_come(
    learner: Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "bugs", lambda exercise: bugs(exercise)[:FEW])
    learner.solve("ex01")
    first, second = asked(learner, 2)
    memory = Memory(learner.folder)
    memory.note_hunt(EX01.slug, first, TODAY, right=False)
    memory.note_hunt(EX01.slug, second, TODAY, right=True)
    memory.save()

    assert {first, second} & set(asked(learner, FEW)) == set()
    assert asked(learner, 1, TODAY + timedelta(days=1)) == [first]
    assert asked(learner, 2, TODAY + timedelta(days=3)) == [first, second]


def test_after_some_hunts_comes_one_about_a_loss_of_what_is_passed(learner: Learner) -> None:
    learner.solve("ex01", "ex09")
    note(learner, EX09, ClaimVerdict("test_a", State.PASSED))

    kinds = [type(each) for each in islice(hunts(learner.folder, Memory(learner.folder), TODAY), 6)]

    assert Work(learner.folder).passed() == [EX09]
    assert kinds == [Which, Which, Which, Which, Loss, Which]


def test_a_proof_is_of_what_is_passed_and_returns_after_days(learner: Learner) -> None:
    learner.solve("ex01", "ex09")
    note(learner, EX01, ClaimVerdict("test_a", State.PASSED))
    note(learner, EX09, ClaimVerdict("test_a", State.PASSED))
    memory, suggested = Memory(learner.folder), []
    for days in (0, 0, 0, 3):
        day = TODAY + timedelta(days=days)
        found = proof(learner.folder, memory, day)
        suggested.append(found)
        if found:
            memory.note_proof(found.slug, day)

    assert suggested == [EX01, EX09, None, EX01]
