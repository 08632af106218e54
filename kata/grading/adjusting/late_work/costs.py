"""What coming late costs one student, and what is told about it."""

from dataclasses import dataclass
from datetime import datetime

from kata.grading.adjusting.late_work.handing_in import HandedIn
from kata.grading.adjusting.late_work.late import Deadline, LateRule, days_started
from kata.words import say


@dataclass(frozen=True)
class Cost:
    """The days that count, why they do, and a note if nothing is taken off."""

    days: int = 0
    cause: str = ""
    notes: tuple[str, ...] = ()


def cost(handed: HandedIn, deadline: Deadline, rule: LateRule | None) -> Cost:
    """What the rule makes of this time; nothing is taken off if no time is known."""
    if handed.at is None:
        return _unknown(handed)
    after = days_started(handed.at, deadline.end)
    if not after:
        return Cost()
    when = shown_in(handed.at, deadline)
    if rule is None:
        return Cost(
            notes=(
                say(
                    "adjusting.after-one" if after == 1 else "adjusting.after",
                    when=when,
                    count=after,
                ),
            )
        )
    days = days_started(handed.at, deadline.end + rule.grace)
    if not days:
        return Cost(notes=(say("adjusting.in-grace", when=when),))
    key = "adjusting.late-one" if days == 1 else "adjusting.late"
    cause = say(key, when=when, count=days, rule=rule.text)
    return Cost(days, cause)


def _unknown(handed: HandedIn) -> Cost:
    """A platform that says nothing says so of everybody: that is told once, to the instructor."""
    late = handed.in_time is False
    return Cost(notes=(say("adjusting.how-late-unknown"),) if late else ())


def shown_in(at: datetime, deadline: Deadline) -> str:
    """A time as the zone of the deadline has it."""
    here = at.astimezone(deadline.zone) if deadline.zone else at.astimezone()
    return f"{here:%Y-%m-%d %H:%M}"
