"""What a run has changed: the marks that rose or fell since the tables were last written."""

import csv
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import StringIO
from pathlib import Path

from kata.files import read_file
from kata.grading.reports.tables import harmless
from kata.grading.reports.wording import number
from kata.text import shown
from kata.words import say

GRADES = "grades.csv"
MOST = 6  # students who are named
DIGITS = 2
Scores = Mapping[str, float]


def scores_in(folder: Path) -> dict[str, float]:
    """The scores of the last run by student; none if there is no table that can be read."""
    found: dict[str, float] = {}
    with suppress(OSError, ValueError, csv.Error, TypeError, KeyError):
        for row in _rows(folder):
            if row["score"]:  # who is missing has none
                found[row["student"]] = float(row["score"])
    return found


def most_in(folder: Path) -> float | None:
    """How many points there were in the last run, if there is a table that can be read."""
    with suppress(OSError, ValueError, csv.Error, TypeError, KeyError):
        return next((float(row["max_score"]) for row in _rows(folder)), None)
    return None


def _rows(folder: Path) -> Iterator[dict[str, str]]:
    return csv.DictReader(StringIO(read_file(folder / GRADES).decode("utf-8-sig"), newline=""))


def of_points(before: float | None, now: float) -> Iterator[str]:
    """One line if there are more points than before, or fewer: marks then change with them."""
    if before is not None and before != now:
        yield say("grading.other-points", before=number(before), now=number(now))


def told(before: Scores, now: Scores, judged: int) -> Iterator[str]:
    """One line on those who were there before and are still; none if nobody was judged again."""
    after = {harmless(name): score for name, score in now.items()}
    changed = {name: (score, after[name]) for name, score in before.items()
               if name in after and score != after[name]}  # fmt: skip
    if changed:
        rose = sum(old < new for old, new in changed.values())
        counts = filter(None, (_count("rose", rose), _count("fell", len(changed) - rose)))
        yield say("grading.changed", counts=", ".join(counts), names=_names(changed))
    elif judged and before.keys() & after.keys():
        yield say("grading.same-marks")


def _count(key: str, count: int) -> str:
    return say(f"grading.{key}{'-one' if count == 1 else ''}", count=count) if count else ""


def _names(changed: Mapping[str, tuple[float, float]]) -> str:
    """Those of whom most changed first."""
    order = sorted(changed, key=lambda name: (-abs(changed[name][1] - changed[name][0]), name))
    parts = [
        f"{shown(name)} {number(changed[name][0], DIGITS)} → {number(changed[name][1], DIGITS)}"
        for name in order[:MOST]
    ]
    more = len(order) - MOST
    return ", ".join([*parts, say("grading.changed-more", count=more)] if more > 0 else parts)
