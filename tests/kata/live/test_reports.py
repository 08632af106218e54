"""What of a message is taken: only what the course knows."""

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.live.reports import MessageError, content, count, reports, text
from kata.verdict import State

EX05 = "ex05_causal_masks"
BUG = bugs(exercises()[EX05])[0]
ENTRY = {
    "exercise": EX05, "state": "failed", "held": 3, "of": 68, "claim": BUG.claim,
    "mistakes": [BUG.slug],
}  # fmt: skip


def test_a_message_is_read() -> None:
    (found,) = reports({"work": [ENTRY]})

    assert found.state is State.FAILED
    assert (found.held, found.of, found.claim, found.mistakes) == (3, 68, BUG.claim, (BUG.slug,))


def test_what_is_not_started_needs_no_more_than_that() -> None:
    (found,) = reports({"work": [{"exercise": EX05, "state": "not started"}]})

    assert found.state is State.NOT_STARTED


def test_words_that_the_course_does_not_have_are_left_out() -> None:
    """So that nothing that somebody has written is shown beside their name."""
    words = {"claim": "test_<script>", "mistakes": ["<script>", 7, BUG.slug, "argument-changed"]}
    (found,) = reports({"work": [ENTRY | words, ENTRY | {"exercise": "<script>"}]})

    assert found.claim == ""
    assert found.mistakes == (BUG.slug, "argument-changed")


def taken(read: Callable[[Any], object], given: Iterable[Any]) -> list[Any]:
    """Those that are not refused."""
    found = []
    for each in given:
        with suppress(MessageError):
            read(each)
            found.append(each)
    return found


def test_a_report_that_no_kata_sends_is_refused() -> None:
    wrong = [
        {"state": "best of all"}, {"state": None}, {"held": -1}, {"held": 69}, {"of": 10**9},
        {"held": True}, {"held": 1.5}, {"of": "68"}, {"mistakes": "all"}, {"mistakes": None},
    ]  # fmt: skip

    assert taken(lambda change: reports({"work": [ENTRY | change]}), wrong) == []


def test_work_is_a_list_of_reports() -> None:
    assert taken(lambda work: reports({"work": work}), [None, {}, "x", [1], [[]]]) == []


def test_a_body_that_is_no_message_is_refused() -> None:
    assert taken(content, [b"", b"[]", b"{", b"\xff", b"[" * 30_000, b"NaN"]) == []


def test_a_count_is_a_number_of_some_size() -> None:
    numbers = [None, 0, -1, 1.0, "1", True, 2**63]

    assert taken(lambda number: count({"count": number}), numbers) == []


def test_half_a_character_is_replaced() -> None:
    found = text(content(json.dumps({"name": "\ud800A"}).encode()), "name")

    assert found.encode("utf-8")
    assert found.endswith("A")
