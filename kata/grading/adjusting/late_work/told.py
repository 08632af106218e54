"""What an instructor is told of a class's times."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from kata.grading.adjusting.late_work.costs import shown_in
from kata.grading.adjusting.late_work.handing_in import HandedIn
from kata.grading.adjusting.late_work.late import Deadline, days_started
from kata.grading.adjusting.late_work.moments import SECOND
from kata.words import say


def on_times(times: Mapping[str, HandedIn], deadline: Deadline | None) -> Iterator[str]:
    """The deadline with its zone, how many came late, and of how many no time is known."""
    if deadline is None:
        return
    known = [each.at for each in times.values() if each.at]
    late = sum(days_started(each, deadline.end) > 0 for each in known)
    unknown = sum(each.at is None and not each.in_time for each in times.values())
    last = (deadline.end - SECOND).astimezone(deadline.zone)
    when = f"{shown_in(last, deadline)} {_zone(last)}"
    key = "adjusting.deadline-unknown" if unknown else "adjusting.deadline"
    yield say(key, when=when, late=late, unknown=unknown)


def _zone(at: datetime) -> str:
    """`UTC+01:00`, which names the same hours everywhere."""
    hours = f"{at:%z}"
    return f"UTC{hours[:3]}:{hours[3:5]}"
