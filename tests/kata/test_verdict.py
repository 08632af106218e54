"""Verdicts as plain data: nothing is lost on the way to another process, or to a disk and back."""

import json
from typing import Any

import pytest

from kata.class_verdict import SubmissionVerdict, submission_to_dict
from kata.course.curriculum import exercises
from kata.plain import decode, encode
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, Picture, State
from tests.helpers.odd_class import odd_class

# Every name and every state; two exercises say as much as all.
CLASS = odd_class(50, [*exercises()][::20])


def test_claims_whose_evidence_tells_most_come_first() -> None:
    first, values, error = (
        ClaimVerdict(f"test_{name}", State.FAILED, Message("It holds.", evidence=evidence))
        for name, evidence in [
            ("one", "1 of 6 values differ; worst at [0]"),
            ("two_are_two", "6 of 6 values differ; worst at [0]"),
            ("three_are_three", "RuntimeError: no\nat all"),
        ]
    )
    unwritten = ClaimVerdict("test_four", State.NOT_STARTED, Message(""))
    verdict = ExerciseVerdict("ex01", (first, values, error, unwritten))

    assert verdict.beside(first) == ["three are three: RuntimeError: no", "two are two"]


ESCAPES = "\x1b]52;c;eA==\x07a\x1b[2J\u202eb\x00"
PLAIN = "a\ufffdb\ufffd"


def test_a_verdict_holds_nothing_that_a_terminal_obeys() -> None:
    """Texts of errors have it, and so may a note of earlier verdicts that somebody has prepared."""
    texts = ("claim", "inputs", "evidence", "cause", "compared", "remark", "file")
    said = Message(**dict.fromkeys(texts, ESCAPES), frames=[ESCAPES])
    exercise = ExerciseVerdict("ex01", printed=ESCAPES, tampering=(ESCAPES,), flags=(ESCAPES,))

    assert {*[getattr(said, each) for each in texts], *said.frames} == {PLAIN}
    assert {exercise.printed, *exercise.tampering, *exercise.flags} == {PLAIN}
    assert decode(Message, {**encode(said), "evidence": ESCAPES}).evidence == PLAIN
    assert Message("two\nlines\tand a tab").claim == "two\nlines\tand a tab"


def through_json(data: Any) -> Any:
    """As a file would hold it."""
    return json.loads(json.dumps(data, allow_nan=False))


def test_everything_of_a_verdict_comes_back() -> None:
    for verdict in CLASS.submissions():
        again = decode(SubmissionVerdict, through_json(encode(verdict)))

        assert repr(again) == repr(verdict)  # two numbers that are nan are not equal


def test_what_is_written_of_a_submission_is_read_again() -> None:
    for verdict in CLASS.submissions():
        written = submission_to_dict(verdict)
        again = decode(SubmissionVerdict, through_json(written))

        assert submission_to_dict(again) == written
        assert (again.status, again.score) == (verdict.status, verdict.score)


def test_of_each_exercise_one_picture_is_written_and_every_text() -> None:
    for verdict in CLASS.submissions():
        again = decode(SubmissionVerdict, submission_to_dict(verdict))
        for old, new in zip(verdict.exercises, again.exercises, strict=True):
            first = new.first_failure
            texts = [claim.message and claim.message.evidence for claim in new.claims]

            assert repr(first) == repr(old.first_failure)
            assert texts == [claim.message and claim.message.evidence for claim in old.claims]
            others = [claim.message for claim in new.claims if claim is not first]
            assert not any(message and message.picture for message in others)


def test_a_verdict_that_was_written_before_there_were_ids_is_still_read() -> None:
    written = submission_to_dict(next(CLASS.submissions()))
    del written["id"]

    assert decode(SubmissionVerdict, written).id == ""


def test_numbers_that_are_not_finite_are_written_as_text() -> None:
    picture = Picture([[0.5]], [[float("-inf")]], [[True]])

    assert encode(picture)["got"] == [["-inf"]]
    assert decode(Picture, through_json(encode(picture))) == picture


@pytest.mark.parametrize(
    ("states", "state"),
    [
        ([], State.NOT_STARTED),
        ([State.NOT_STARTED], State.NOT_STARTED),
        ([State.PASSED, State.SKIPPED], State.PASSED),
        ([State.PASSED, State.NOT_STARTED], State.FAILED),
        ([State.ERROR, State.BLOCKED], State.ERROR),
        ([State.TIMED_OUT, State.BLOCKED], State.TIMED_OUT),
        ([State.PASSED, State.TIMED_OUT], State.FAILED),
    ],
)
def test_an_exercise_stands_as_its_claims_do(states: list[State], state: State) -> None:
    claims = tuple(ClaimVerdict(f"test_{i}", each) for i, each in enumerate(states))

    assert ExerciseVerdict("ex01_softmax", claims).state is state


def test_claims_that_were_not_run_are_not_held() -> None:
    verdict = ExerciseVerdict("ex01_softmax", (ClaimVerdict("a", State.PASSED),), not_run=1)

    assert verdict.state is State.SKIPPED


def test_a_border_may_know_nothing_but_plain_types() -> None:
    assert type(encode(ClaimVerdict("test_a", State.FAILED))["state"]) is str
