"""What an instructor is told of a class's times."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from kata.grading.adjusting.late_work.costs import shown_in
from kata.grading.adjusting.late_work.handing_in import HandedIn
from kata.grading.adjusting.late_work.late import Deadline, days_started
from kata.grading.adjusting.late_work.moments import SECOND
from kata.grading.collecting.names import few
from kata.words import say


def on_times(times: Mapping[str, HandedIn], deadline: Deadline | None) -> Iterator[str]:
    """The deadline with its zone, and how many came late."""
    if deadline is None:
        return
    late = sum(each.at is not None and days_started(each.at, deadline.end) > 0
               for each in times.values())  # fmt: skip
    late += sum(each.at is None and each.in_time is False for each in times.values())
    last = (deadline.end - SECOND).astimezone(deadline.zone)
    when = f"{shown_in(last, deadline)} {_zone(last)}"
    yield say("adjusting.deadline", when=when, late=late)


def on_unknown(times: Mapping[str, HandedIn], deadline: Deadline | None) -> Iterator[str]:
    """Of whom no time is known, if there is a deadline."""
    names = [name for name, each in times.items() if each.at is None and not each.in_time]
    if deadline and names:
        yield say("adjusting.no-times", count=len(names), names=few(names))


def _zone(at: datetime) -> str:
    """`UTC+01:00`, which names the same hours everywhere."""
    hours = f"{at:%z}"
    return f"UTC{hours[:3]}:{hours[3:5]}"
