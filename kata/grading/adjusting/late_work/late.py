"""A deadline, and what work loses that is handed in after it."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from kata.errors import UserError
from kata.grading.adjusting.late_work.moments import end_of, zone_in
from kata.words import say

AMOUNT = r"(?P<amount>\d+(?:\.\d+)?) ?(?P<unit>%|points?)"
PER_DAY = re.compile(rf"{AMOUNT} (?:per|a|for each) day")
CAP = re.compile(rf"at most {AMOUNT}")
GRACE = re.compile(r"grace (?P<amount>\d+(?:\.\d+)?) (?P<unit>days?|hours?|minutes?)")
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Deadline:
    """The last moment, and the zone of all times that name none."""

    end: datetime
    zone: tzinfo | None


@dataclass(frozen=True)
class Amount:
    """Points, or per cent of the points that there are."""

    number: float
    is_share: bool

    def of(self, most: float) -> float:
        """As points."""
        return self.number * most / 100 if self.is_share else self.number


@dataclass(frozen=True)
class LateRule:
    """What each day that was started costs, after the time of grace, and what all of them cost."""

    text: str
    per_day: Amount
    grace: timedelta = timedelta()
    cap: Amount | None = None

    def off(self, days: int, most: float) -> float:
        """The points that so many days cost."""
        lost = days * self.per_day.of(most)
        return min(lost, self.cap.of(most)) if self.cap else lost


def deadline(text: str) -> Deadline:
    """The deadline in these words; a UserError says that it is none."""
    try:
        return Deadline(end_of(text), zone_in(text))
    except (ValueError, OverflowError):
        raise UserError(say("adjusting.no-deadline", text=text)) from None


def late_rule(text: str) -> LateRule:
    """The rule in these words; a UserError says which part is none."""
    found: dict[str, re.Match[str]] = {}
    for part in (each.strip() for each in text.split(",")):
        kinds = {"per_day": PER_DAY, "grace": GRACE, "cap": CAP}
        fits = {name: match for name, form in kinds.items() if (match := form.fullmatch(part))}
        if not fits or fits.keys() & found.keys():
            raise UserError(say("adjusting.no-late-rule", text=part))
        found |= fits
    if "per_day" not in found:
        raise UserError(say("adjusting.no-late-rule", text=text))
    return _rule(text, found)


def _rule(text: str, found: dict[str, re.Match[str]]) -> LateRule:
    per_day = _amount(found["per_day"])
    grace = _time(found["grace"]) if "grace" in found else timedelta()
    return LateRule(text, per_day, grace, _amount(found["cap"]) if "cap" in found else None)


def _amount(match: re.Match[str]) -> Amount:
    is_share = match["unit"] == "%"
    if is_share and float(match["amount"]) > 100:
        raise UserError(say("adjusting.no-late-rule", text=match[0]))
    return Amount(float(match["amount"]), is_share)


def _time(match: re.Match[str]) -> timedelta:
    unit = f"{match['unit'].removesuffix('s')}s"
    try:
        return timedelta(**{unit: float(match["amount"])})
    except OverflowError:
        raise UserError(say("adjusting.no-late-rule", text=match[0])) from None


def days_started(at: datetime, end: datetime) -> int:
    """How many days after `end` have started; 0 before it."""
    return (at - end) // DAY + 1 if at >= end else 0
