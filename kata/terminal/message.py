"""A message as text: claim, inputs, evidence, cause; then the map and the learner's own lines."""

import math

from kata.terminal.style import Style
from kata.verdict import Diagnosis, Fit, Message, Mistake, Picture
from kata.words import say

GAP = "   "  # between two maps


def message(found: Message, style: Style, diagnosis: Diagnosis | None = None) -> str:
    """Everything that a learner reads of one claim that does not hold."""
    lines = [style.paint(line, "bold") for line in _wrapped(found.claim, style, 0)]
    lines += _wrapped(found.inputs, style, 2)
    lines += [style.paint(line, "red") for line in _wrapped(found.evidence, style, 2)]
    lines += cause(diagnosis, style) if diagnosis else _own_cause(found, style)
    if found.picture:
        lines += [f"    {line}" for line in heat_map(found.picture, style)]
    lines += [f"    {line}" for frame in found.frames for line in frame.splitlines()]
    return "\n".join(lines)


def _wrapped(text: str, style: Style, indent: int) -> list[str]:
    """Each line of the text by itself; none of nothing."""
    return [line for each in text.splitlines() for line in style.wrap(each, indent)]


def _own_cause(found: Message, style: Style) -> list[str]:
    return [style.paint(line, "cyan") for line in _wrapped(found.cause, style, 2)]


def cause(diagnosis: Diagnosis, style: Style) -> list[str]:
    """The known mistakes behind what was seen."""
    first = diagnosis.mistakes[0]
    alone = diagnosis.fit in {Fit.ONE, Fit.PART, Fit.CRASH}
    count = "claim" if diagnosis.claims == 1 else "claims"
    claims = say(f"terminal.diagnosis.{count}", count=diagnosis.claims)
    head = say(f"terminal.diagnosis.{diagnosis.fit}", title=first.title, claims=claims)
    lines = [style.paint(line, "cyan", "bold") for line in style.wrap(head, 2)]
    for each in diagnosis.mistakes:
        lines += _explained(each, style, titled=not alone)
    return lines


def _explained(mistake: Mistake, style: Style, *, titled: bool) -> list[str]:
    told = [say("terminal.diagnosis.title", title=mistake.title)] if titled else []
    told += [mistake.symptom, mistake.why]
    return [style.paint(line, "cyan") for text in told if text for line in style.wrap(text, 4)]


def heat_map(picture: Picture, style: Style) -> list[str]:
    """Expected beside got, rows are queries; a cell that is wrong stands in brackets."""
    top = max((each for row in picture.expected for each in row if math.isfinite(each)), default=1)
    width = max(3 * len(picture.expected[0]), len(say("terminal.expected")))
    place = say("terminal.got-at", where=picture.where) if picture.where else say("terminal.got")
    left = [say("terminal.expected"), *(_row(row, top, style) for row in picture.expected)]
    right = [place, *(_marked(*each, top, style) for each in _rows(picture))]
    if 4 + 2 * width + len(GAP) <= max(style.width, 40):
        lines = [f"{a:<{width}}{GAP}{b}".rstrip() for a, b in zip(left, right, strict=True)]
    else:
        lines = [line.rstrip() for line in (*left, *right)]
    if picture.row or picture.column:
        lines.append(say("terminal.window", row=picture.row, column=picture.column))
    return lines


def _rows(picture: Picture) -> "zip[tuple[list[float], list[bool]]]":
    return zip(picture.got, picture.wrong, strict=True)


def _row(values: list[float], top: float, style: Style) -> str:
    return "".join(f" {_shade(each, top, style)} " for each in values)


def _marked(values: list[float], wrong: list[bool], top: float, style: Style) -> str:
    cells = zip((_shade(each, top, style) for each in values), wrong, strict=True)
    return "".join(style.paint(f"[{each}]", "red") if bad else f" {each} " for each, bad in cells)


def _shade(value: float, top: float, style: Style) -> str:
    if not math.isfinite(value):
        return "?"
    if value < 0:
        return "-"
    if value == 0 or top <= 0:
        return style.shades[0]
    return style.shades[min(4, 1 + int(3.999 * min(value / top, 1)))]
