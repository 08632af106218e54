"""Verdicts as text: four-line messages, heat maps, the board."""

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from kata.curriculum import Exercise
from kata.verdict import ExerciseVerdict, Message, Picture, State

LONGEST_VALUES = 48  # characters of an array that is shown in full
PARTS = (
    (State.NOT_STARTED, "not written yet"),
    (State.TIMED_OUT, "out of time"),
    (State.BLOCKED, "blocked"),
)


@dataclass(frozen=True)
class Style:
    """What the reader's terminal can show."""

    unicode: bool = True

    @property
    def shades(self) -> str:
        """From nothing to most."""
        return "·░▒▓█" if self.unicode else ".:+*#"

    @property
    def marks(self) -> dict[State, str]:
        """One character for each state."""
        fancy = {State.PASSED: "✓", State.FAILED: "✗", State.NOT_STARTED: "·", State.SKIPPED: "–"}
        plain = {State.PASSED: "+", State.FAILED: "x", State.NOT_STARTED: ".", State.SKIPPED: "-"}
        return fancy if self.unicode else plain

    @property
    def star(self) -> str:
        """What marks a core exercise."""
        return "★" if self.unicode else "*"


def style_of(stream: TextIO) -> Style:
    """Plain characters where the encoding or the terminal knows no others."""
    encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "")
    return Style(unicode=encoding.startswith("utf") and os.environ.get("TERM") != "dumb")


def message(found: Message, style: Style) -> str:
    """The claim, the inputs, the evidence, the cause; then the picture, the learner's frames."""
    lines = [found.claim]
    lines += [f"  {line}" for line in (found.inputs, found.evidence, found.cause) if line]
    if found.picture:
        lines += [f"    {line}" for line in heat_map(found.picture, style)]
    lines += [f"    {line}" for frame in found.frames for line in frame.splitlines()]
    return "\n".join(lines)


def heat_map(picture: Picture, style: Style) -> list[str]:
    """Expected beside got, rows are queries; a cell that is wrong stands in brackets."""
    top = max((each for row in picture.expected for each in row if math.isfinite(each)), default=1)
    width = max(3 * len(picture.expected[0]), len("expected"))
    lines = [f"{'expected':<{width}}   got{f', at {picture.where}' if picture.where else ''}"]
    for right, mine, wrong in zip(picture.expected, picture.got, picture.wrong, strict=True):
        left = "".join(f" {_shade(each, top, style)} " for each in right)
        cells = zip((_shade(each, top, style) for each in mine), wrong, strict=True)
        marked = "".join(f"[{each}]" if bad else f" {each} " for each, bad in cells)
        lines.append(f"{left:<{width}}   {marked}".rstrip())
    if picture.row or picture.column:
        lines.append(f"(from row {picture.row} and column {picture.column} on)")
    return lines


def _shade(value: float, top: float, style: Style) -> str:
    if not math.isfinite(value):
        return "?"
    if value < 0:
        return "-"
    if value == 0 or top <= 0:
        return style.shades[0]
    return style.shades[min(4, 1 + int(3.999 * min(value / top, 1)))]


def number(value: Any) -> str:
    """A number as a learner wants to compare it."""
    if isinstance(value, bool) or type(value).__name__ in {"bool", "bool_"}:
        return str(bool(value))
    return f"{float(value):.6g}"


def shape(name: str, value: Any) -> str:
    """An argument in a few words: small arrays in full, larger ones by shape and dtype."""
    if not hasattr(value, "shape"):
        return f"{name}={_short(repr(value))}" if not hasattr(value, "_module") else name
    if 0 < math.prod(value.shape) <= 12 and len(text := _values(value.tolist())) <= LONGEST_VALUES:
        return f"{name} {text}"
    dtype = str(value.dtype).removeprefix("torch.")
    return f"{name} {tuple(value.shape)} {dtype}"


def _values(values: Any) -> str:
    if isinstance(values, list):
        return f"[{', '.join(_values(each) for each in values)}]"
    return number(values)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def board(
    verdicts: Iterable[ExerciseVerdict],
    exercises: dict[str, Exercise],
    folder: Path,
    style: Style,
) -> list[str]:
    """The map: what is done, in work, not started; whose references stood in; what comes next."""
    known = list(verdicts)
    width = max((len(verdict.slug) for verdict in known), default=0)
    lines = [_row(verdict, exercises[verdict.slug], width, style) for verdict in known]
    lines += _stand_in_lines(known)
    return [*lines, "", next_step(known, exercises, folder)]


def _row(verdict: ExerciseVerdict, exercise: Exercise, width: int, style: Style) -> str:
    state = State.SKIPPED if verdict.in_work else verdict.state
    mark = style.marks.get(state, style.marks[State.FAILED])
    star = style.star if exercise.core else " "
    return f"  {mark} {verdict.slug:<{width}} {star}  {_standing(verdict)}"


def _standing(verdict: ExerciseVerdict) -> str:
    whole = {
        State.NOT_STARTED: "not started",
        State.ERROR: "cannot be judged yet",
        State.TIMED_OUT: "ran out of time",
    }
    if verdict.state in whole:
        return whole[verdict.state]
    parts = [f"{verdict.held} of {len(verdict.judged)} claims hold"]
    parts += [f"{verdict.count(state)} {words}" for state, words in PARTS if verdict.count(state)]
    return ", ".join([*parts, f"{verdict.not_run} not run"] if verdict.not_run else parts)


def _stand_in_lines(verdicts: Sequence[ExerciseVerdict]) -> list[str]:
    return [
        f"    {verdict.slug} stood on the reference of {', '.join(verdict.stand_ins)}"
        for verdict in verdicts
        if verdict.stand_ins
    ]


def next_step(
    verdicts: Sequence[ExerciseVerdict], exercises: dict[str, Exercise], folder: Path
) -> str:
    """The one thing to do now."""
    open_ones = [each for each in verdicts if each.state not in {State.PASSED, State.SKIPPED}]
    if not open_ones:
        return "every claim that was run holds"
    first = open_ones[0]
    path = folder / exercises[first.slug].filename
    return f"next: {first.slug}{_unwritten(first)}  ({path})"


def _unwritten(verdict: ExerciseVerdict) -> str:
    claim = verdict.first_failure if verdict.in_work else None
    return f": {claim.message.evidence}" if claim and claim.message else ""
