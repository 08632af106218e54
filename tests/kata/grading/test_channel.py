"""The time of a claim: what its worker has used, and how long it may make others wait."""

import pytest

from kata.grading import channel
from kata.grading.channel import Clock, StoppedError
from kata.verdict import State

LIMIT, NEVER = 10, 10_000.0


class Wall:
    """A clock on the wall that a test turns."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    clock = Wall()
    monkeypatch.setattr(channel, "time", clock)
    return clock


@pytest.mark.parametrize(("passed", "before", "now", "end", "starved"), [
    pytest.param(10, 3, 13, NEVER, False, id="has used its time"),
    pytest.param(20, 0, 0.1, NEVER, True, id="sleeps, or was kept from running"),
    pytest.param(3, 0, 1, 103, True, id="the submission ends"),
])  # fmt: skip
def test_a_worker_is_stopped(
    wall: Wall, passed: float, before: float, now: float, end: float, starved: bool
) -> None:
    clock = Clock(LIMIT, end)
    assert clock.left() == min(LIMIT, end - wall.now)
    wall.now += passed

    with pytest.raises(StoppedError) as stopped:
        clock.check(before, now)

    assert stopped.value.state is State.TIMED_OUT
    assert stopped.value.starved is starved


def test_who_was_kept_from_running_gets_more_time_and_earlier_claims_do_not_count(
    wall: Wall,
) -> None:
    clock = Clock(LIMIT, NEVER)
    wall.now += 10
    assert clock.left() == 0

    clock.check(before=55, now=60)
    assert clock.left() == 5

    wall.now += 5
    with pytest.raises(StoppedError):  # this look counts from the beginning of the claim, too
        clock.check(before=60, now=65)


def test_the_start_of_a_worker_is_charged_to_nobody(wall: Wall) -> None:
    clock = Clock(LIMIT, NEVER)
    wall.now += 2

    clock.put_off(2)

    assert clock.left() == 10
