"""Late work: the deadline, the time of submission, and the points that coming late costs.

The command line reads the deadline and the rule; `plan` finds the days that count, and `adjusted`
takes off the points. Only the platform's own names and tables tell the time. The dates of files, of
archives and of commits are not trusted: exports change the first, and students choose the others.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from kata.errors import UserError
from kata.grading.collecting.names import few
from kata.grading.collecting.students import Student

TIME = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)"
    r"(?:[ T]+(?P<time>\d\d?:\d\d)(?P<seconds>:\d\d)?(?:[.,]\d+)?)?"
    r"\s*(?P<zone>Z|UTC|[+-]\d\d:?\d\d|[A-Za-z_]+(?:/[A-Za-z0-9_+-]+)+)?"
)
MOODLE_TIME = "%A, %d %B %Y, %I:%M %p"  # Sunday, 1 March 2026, 11:02 PM
DAY, MINUTE, SECOND = timedelta(days=1), timedelta(minutes=1), timedelta(seconds=1)
AMOUNT = r"(?P<amount>\d+(?:\.\d+)?) ?(?P<unit>%|points?)"
PARTS = {
    "per_day": re.compile(rf"{AMOUNT} (?:per|a|for each) day"),
    "grace": re.compile(r"grace (?P<amount>\d+(?:\.\d+)?) (?P<unit>days?|hours?|minutes?)"),
    "cap": re.compile(rf"at most {AMOUNT}"),
}
STAMP, STAMP_DIGITS = "%Y%m%d%H%M%S", 14  # of the time in one of Blackboard's names


@dataclass(frozen=True)
class Deadline:
    """The last moment, and the zone of all times that name none."""

    end: datetime
    zone: tzinfo | None

    def days_after(self, at: datetime, grace: timedelta = timedelta()) -> int:
        """Count the days that have started since the end and a time of grace; 0 before it."""
        end = self.end + grace
        return (at - end) // DAY + 1 if at >= end else 0

    def time_text(self, at: datetime) -> str:
        """Write a time as the zone of the deadline has it."""
        return f"{at.astimezone(self.zone):%Y-%m-%d %H:%M}"


@dataclass(frozen=True)
class Amount:
    """Points, or per cent of the points that there are."""

    number: float
    is_share: bool

    def of(self, most: float) -> float:
        """Return the amount as points, out of `most`."""
        return self.number * most / 100 if self.is_share else self.number


@dataclass(frozen=True)
class LateRule:
    """The price of every day that was started after the time of grace, and of all of them."""

    text: str
    per_day: Amount
    grace: timedelta = timedelta()
    cap: Amount | None = None

    def off(self, days: int, most: float) -> float:
        """Return the points that so many days cost, out of `most`."""
        lost = days * self.per_day.of(most)
        return min(lost, self.cap.of(most)) if self.cap else lost


@dataclass(frozen=True)
class Arrival:
    """The time of a student's last submission; `in_time` is what the platform says without one."""

    at: datetime | None = None
    in_time: bool | None = None

    def is_late(self, deadline: Deadline) -> bool:
        """Return whether the work certainly came after the deadline."""
        return self.in_time is False if self.at is None else deadline.days_after(self.at) > 0


@dataclass(frozen=True)
class Cost:
    """The days that count, why they do, and a note if nothing is taken off."""

    days: int = 0
    cause: str = ""
    notes: tuple[str, ...] = ()


def cost(arrival: Arrival, deadline: Deadline, rule: LateRule | None) -> Cost:
    """Apply the rule to a time; without a time, nothing is taken off."""
    if arrival.at is None:
        # If a platform tells no time of anybody, `without_time` says so once, to the instructor.
        unknown = "how late it was handed in is not known, so nothing was taken off"
        return Cost(notes=(unknown,) if arrival.is_late(deadline) else ())
    late, when = deadline.days_after(arrival.at), deadline.time_text(arrival.at)
    if not late:
        return Cost()
    if rule is None:
        days = "1 day" if late == 1 else f"{late} days"
        return Cost(notes=(f"handed in {when}, up to {days} late; nothing was taken off",))
    counting = deadline.days_after(arrival.at, rule.grace)
    if not counting:
        note = f"handed in {when}, after the deadline but within the days of grace; " \
            "nothing was taken off"  # fmt: skip
        return Cost(notes=(note,))
    days = "1 day counts" if counting == 1 else f"{counting} days count"
    return Cost(counting, f"handed in late, {when}; {days} ({rule.text})")


def count_late(arrivals: Mapping[str, Arrival], deadline: Deadline) -> str:
    """Say when the deadline was, with its zone, and how many came late."""
    late = sum(arrival.is_late(deadline) for arrival in arrivals.values())
    last = (deadline.end - SECOND).astimezone(deadline.zone)
    hours = f"{last:%z}"  # which names the same hours everywhere
    zone = f"UTC{hours[:3]}:{hours[3:5]}"
    return f"deadline {deadline.time_text(last)} {zone}: {late} handed in later"


def without_time(arrivals: Mapping[str, Arrival]) -> Iterator[str]:
    """Yield a line on the students without a time, if there are any."""
    names = [name for name, arrival in arrivals.items()
             if arrival.at is None and not arrival.in_time]  # fmt: skip
    if names:
        yield (
            f"when it was handed in is not known of {len(names)}, who lose nothing: {few(names)}; "
            "a column handed_in in the roster or in the overrules gives the times, and so does "
            "--roster with Moodle's worksheet"
        )


# Deadlines, rules and times, as an instructor writes them


def read_deadline(text: str) -> Deadline:
    """Read a deadline: the end of the day, minute or second that the words name."""
    try:
        start, length, zone = _written(text)
        return Deadline(_in_zone(start, zone) + length, zone)
    except (ValueError, OverflowError):
        raise UserError(
            f'{text} is not a deadline: write it like "2026-03-01 23:59", or '
            '"2026-03-01 23:59 Europe/Berlin"'
        ) from None


def read_rule(text: str) -> LateRule:
    """Read a rule for late work; a UserError says which part of the words is none."""
    matches: dict[str, re.Match[str]] = {}
    for part in (part.strip() for part in text.split(",")):
        fitting = {name: match for name, form in PARTS.items() if (match := form.fullmatch(part))}
        if not fitting or fitting.keys() & matches.keys():
            raise _no_rule(part)
        matches |= fitting
    if "per_day" not in matches:
        raise _no_rule(text)
    per_day = _amount(matches["per_day"])
    grace = _grace(matches["grace"]) if "grace" in matches else timedelta()
    return LateRule(text, per_day, grace, _amount(matches["cap"]) if "cap" in matches else None)


def _amount(match: re.Match[str]) -> Amount:
    is_share = match["unit"] == "%"
    if is_share and float(match["amount"]) > 100:
        raise _no_rule(match[0])
    return Amount(float(match["amount"]), is_share)


def _grace(match: re.Match[str]) -> timedelta:
    unit = f"{match['unit'].removesuffix('s')}s"
    try:
        return timedelta(**{unit: float(match["amount"])})
    except OverflowError:
        raise _no_rule(match[0]) from None


def _no_rule(text: str) -> UserError:
    return UserError(
        f'{text} is not a rule for late work: write it like "10% per day, grace 2 days, at most '
        '50%"; points may stand in the place of %'
    )


def read_time(text: str, zone: tzinfo | None = None) -> datetime:
    """Read a time; without a zone of its own it is in `zone`, else in this machine's.

    Raises a ValueError if the text is no time.
    """
    start, _, own_zone = _written(text)
    return _in_zone(start, own_zone or zone)


def _written(text: str) -> tuple[datetime, timedelta, tzinfo | None]:
    """Return the start of a written time, its length, and the zone that it names."""
    match = TIME.fullmatch(text.strip())
    if match is None:
        return datetime.strptime(text.strip(), MOODLE_TIME), MINUTE, None
    length = SECOND if match["seconds"] else MINUTE if match["time"] else DAY
    time = f"{match['time'] or '0:00'}{match['seconds'] or ':00'}"
    start = datetime.strptime(f"{match['day']} {time}", "%Y-%m-%d %H:%M:%S")
    return start, length, _zone(match["zone"]) if match["zone"] else None


def _zone(name: str) -> tzinfo:
    if name in {"Z", "UTC"}:
        return timezone.utc  # noqa: UP017  # as `timezone` below
    if "/" in name:
        try:
            return ZoneInfo(name)
        except (KeyError, OSError) as error:  # ZoneInfoNotFoundError is a KeyError
            raise ValueError(name) from error
    ahead = timedelta(hours=int(name[1:3]), minutes=int(name[-2:]))
    return timezone(ahead if name[0] == "+" else -ahead)


def _in_zone(time: datetime, zone: tzinfo | None) -> datetime:
    return time.replace(tzinfo=zone) if zone else time.astimezone()


# Times, as platforms tell them


def arrival_of(student: Student, zone: tzinfo | None) -> Arrival:
    """Return the time of this student's last submission."""
    times: list[datetime] = []
    for place in student.places:
        stamp = str(place.label.order)
        with suppress(ValueError, OverflowError):  # of a text that is no time, or of no calendar
            times.append(read_time(place.time, zone))
        with suppress(ValueError, OverflowError):
            if len(stamp) == STAMP_DIGITS:
                times.append(_in_zone(datetime.strptime(stamp, STAMP), zone))
    late = any(place.label.late for place in student.places)
    # Canvas marks what came late in the names that it makes.
    canvas = all(place.label.decorated and 0 < place.label.order < 10 ** (STAMP_DIGITS - 1)
                 for place in student.places)  # fmt: skip
    in_time = False if late else True if canvas else None
    return Arrival(max(times, default=None), in_time)
