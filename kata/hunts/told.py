"""Hunts in words: what is asked, and what is said to an answer."""

from collections.abc import Iterator
from dataclasses import replace

from kata.hunts.loss import RIGHT, WRONG, Loss, drawn_curve
from kata.hunts.losses import STEPS
from kata.hunts.which import Option, Which
from kata.terminal.message import message
from kata.terminal.style import Style
from kata.words import say

Hunt = Which | Loss


def question(hunt: Hunt, style: Style) -> list[str]:
    """What is asked."""
    return [*(_which(hunt, style) if isinstance(hunt, Which) else _loss(hunt, style))]


def answers(hunt: Hunt) -> tuple[str, ...]:
    """What may be answered."""
    return tuple(hunt.lettered) if isinstance(hunt, Which) else (RIGHT, WRONG)


def prompt(hunt: Hunt) -> str:
    """What stands before the cursor."""
    if isinstance(hunt, Which):
        return say("hunts.which.ask", letters=", ".join(hunt.lettered))
    return say("hunts.loss.ask")


def reply(hunt: Hunt, answer: str, style: Style) -> list[str]:
    """Right or wrong, and why."""
    if isinstance(hunt, Loss):
        return [line for each in _of_loss(hunt, answer) for line in style.wrap(each)]
    if answer == hunt.right:
        return [say("hunts.right"), *style.wrap(hunt.bug.why)]
    wrong = say("hunts.which.wrong", letter=hunt.right, title=hunt.bug.title)
    told = [*style.wrap(wrong), *style.wrap(hunt.bug.why)]
    return [*told, *_instead(hunt.lettered[answer], style)]


def _which(hunt: Which, style: Style) -> Iterator[str]:
    head = say("hunts.which.head", slug=hunt.exercise.slug)
    yield style.paint(head, "bold")
    yield from ("", message(hunt.message, style), "")
    for letter, each in hunt.lettered.items():
        yield from style.wrap(say("hunts.which.option", letter=letter, title=each.bug.title), 2)


def _loss(hunt: Loss, style: Style) -> Iterator[str]:
    head = say("hunts.loss.head", slug=hunt.exercise.slug)
    yield from (style.paint(line, "bold") for line in style.wrap(head))
    yield from ("", hunt.code, "")
    shown = drawn_curve(hunt.curve, unicode=style.unicode)
    first, last = hunt.curve[0], hunt.curve[-1]
    yield say("hunts.loss.curve", drawn=shown, first=first, last=last, steps=STEPS)


def _instead(option: Option, style: Style) -> list[str]:
    """What the claim shows of the mistake that was chosen."""
    title = option.bug.title
    if option.evidence.held:
        return style.wrap(say("hunts.which.would-hold", title=title))
    shown = replace(option.evidence.message, claim="", inputs="", remark="")
    lines = message(shown, style).splitlines()
    return [*style.wrap(say("hunts.which.would-show", title=title)), *(f"  {x}" for x in lines)]


def _of_loss(hunt: Loss, answer: str) -> Iterator[str]:
    if answer == hunt.right:
        yield say("hunts.right")
    if hunt.bug:
        yield say("hunts.loss.yes-wrong", title=hunt.bug.title)
        yield hunt.bug.why
    else:
        yield say("hunts.loss.yes-right")
    there, trained = len(hunt.known.there), hunt.known.trained
    short = hunt.exercise.short
    yield say("hunts.loss.figure", trained=trained, there=there, short=short)
