"""The process that judges for `kata watch`; tests/system/test_watch.py starts a real one."""

import multiprocessing
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from kata.course.curriculum import exercises
from kata.judging.limits import PATIENCE
from kata.learner import waiting_judge
from kata.learner.waiting_judge import LearnerJudge
from kata.verdict import ClaimVerdict, ExerciseVerdict, State, exercise_to_dict

EX01 = exercises()["ex01_softmax"]
PASSED = ExerciseVerdict(EX01.slug, (ClaimVerdict("test_a", State.PASSED),))


def judging(
    monkeypatch: pytest.MonkeyPatch, folder: Path, words: list[object]
) -> tuple[list[ExerciseVerdict], list[float | None]]:
    """The verdicts if a process says these words, and how long each was waited for."""
    pipe, said = Mock(), iter(words)
    pipe.recv = lambda: next(said)
    pipe.poll.side_effect = [True] * len(words) + [False]
    monkeypatch.setattr(multiprocessing, "Pipe", lambda: (pipe, Mock()))
    monkeypatch.setattr(waiting_judge, "context", lambda **_: SimpleNamespace(Process=Mock()))
    judge = LearnerJudge(folder, forks=True, limit=2)
    found = list(judge.judge(EX01))
    judge.end()
    return found, [call.args[0] for call in pipe.poll.call_args_list]


def test_neither_starting_up_nor_the_diagnosis_counts_as_the_learners_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["first", "second", exercise_to_dict(PASSED), None]

    found, waited = judging(monkeypatch, tmp_path, words)

    assert found == [PASSED]
    assert waited == [None, 2 * PATIENCE, 2 * PATIENCE, None]


def test_a_claim_that_says_nothing_for_too_long_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (found,), _ = judging(monkeypatch, tmp_path, ["first", "second"])

    assert found.claims[0].state is State.TIMED_OUT
    assert found.claims[0].message.claim == "second"
    assert found.claims[0].message.evidence.startswith("stopped after 12 seconds: is there a loop")
