"""A message as text: claim, inputs, evidence, cause; then the map and the learner's own lines."""

from kata.terminal.heatmaps import heat_map
from kata.terminal.style import Style
from kata.verdict import Diagnosis, Fit, Message, Mistake
from kata.words import say

ALONE = {Fit.ONE, Fit.LIKE, Fit.NEAR, Fit.PART, Fit.CRASH}  # the first line names the one mistake


def message(found: Message, style: Style, diagnosis: Diagnosis | None = None) -> str:
    """Everything that a learner reads about a claim that failed."""
    lines = [style.paint(line, "bold") for line in _wrapped(found.claim, style, 0)]
    lines += _wrapped(found.inputs, style, 2)
    lines += [style.paint(line, "red") for line in _wrapped(found.evidence, style, 2)]
    lines += cause(diagnosis, style) if diagnosis else _own_cause(found, style)
    if found.picture:
        lines += [f"    {line}" for line in heat_map(found.picture, style)]
    lines += [f"    {line}" for frame in found.frames for line in frame.splitlines()]
    return "\n".join(lines)


def _wrapped(text: str, style: Style, indent: int) -> list[str]:
    """Each line of the text wrapped by itself; no lines for an empty text."""
    return [line for each in text.splitlines() for line in style.wrap(each, indent)]


def _own_cause(found: Message, style: Style) -> list[str]:
    return [style.paint(line, "cyan") for line in _wrapped(found.cause, style, 2)]


def cause(diagnosis: Diagnosis, style: Style) -> list[str]:
    """The known mistakes behind what was seen."""
    head = headline(diagnosis)
    lines = [style.paint(line, "cyan", "bold") for line in style.wrap(head, 2)]
    for each in diagnosis.mistakes:
        lines += _explained(each, style, titled=diagnosis.fit not in ALONE)
    return lines


def headline(found: Diagnosis) -> str:
    """How many claims the known mistakes explain, and so how sure it is that they are there."""
    title = found.mistakes[0].title
    return say(f"terminal.diagnosis.{found.fit}", title=title, claims=_claims(found))


def _claims(found: Diagnosis) -> str:
    about = say("terminal.diagnosis.about", name=found.about) if found.about else ""
    some = "claim" if found.claims == 1 else "claims"
    key = "some" if found.claims < found.failing else some
    return say(f"terminal.diagnosis.{key}", count=found.claims, failing=found.failing, about=about)


def _explained(mistake: Mistake, style: Style, *, titled: bool) -> list[str]:
    told = [say("terminal.diagnosis.title", title=mistake.title)] if titled else []
    told += [mistake.symptom, mistake.why]
    return [style.paint(line, "cyan") for text in told if text for line in style.wrap(text, 4)]
