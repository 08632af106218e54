"""The time of a claim: what its worker has used, and how long it may make others wait."""

import pytest

from kata.grading.sandbox import channel
from kata.grading.sandbox.channel import Clock, StoppedError
from kata.verdict import State

NEVER = 10_000.0


class Wall:
    """A clock on the wall that a test turns."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    found = Wall()
    monkeypatch.setattr(channel, "time", found)
    return found


def test_who_has_used_the_time_is_stopped_at_once(wall: Wall) -> None:
    clock = Clock(10, NEVER)
    wall.now += 10

    with pytest.raises(StoppedError) as stopped:
        clock.check(before=3, now=13)

    assert stopped.value.state is State.TIMED_OUT
    assert not stopped.value.starved


def test_who_was_kept_from_running_gets_more_time(wall: Wall) -> None:
    clock = Clock(10, NEVER)
    wall.now += 10
    assert clock.left() == 0

    clock.check(before=0, now=4)

    assert clock.left() == 6


def test_who_sleeps_is_stopped_in_the_end_and_could_have_been_starved(wall: Wall) -> None:
    clock = Clock(10, NEVER)
    wall.now += 20

    with pytest.raises(StoppedError) as stopped:
        clock.check(before=0, now=0.1)

    assert stopped.value.starved


def test_what_earlier_claims_have_used_does_not_count(wall: Wall) -> None:
    clock = Clock(10, NEVER)
    wall.now += 10

    clock.check(before=55, now=60)

    assert clock.left() == 5


def test_a_second_look_counts_from_the_beginning_of_the_claim(wall: Wall) -> None:
    clock = Clock(10, NEVER)
    wall.now += 10
    clock.check(before=55, now=60)
    wall.now += 5

    with pytest.raises(StoppedError):
        clock.check(before=60, now=65)


def test_the_end_of_the_submission_is_the_end_of_each_claim(wall: Wall) -> None:
    clock = Clock(10, wall.now + 3)
    assert clock.left() == 3
    wall.now += 3

    with pytest.raises(StoppedError):
        clock.check(before=0, now=1)


def test_the_start_of_a_worker_is_charged_to_nobody(wall: Wall) -> None:
    clock = Clock(10, NEVER)
    wall.now += 2

    clock.put_off(2)

    assert clock.left() == 10
