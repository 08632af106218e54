"""Hunts in words: what is asked, and what is said to an answer."""

from collections.abc import Iterator
from dataclasses import replace

from kata.hunts.loss import RIGHT, WRONG, Loss, drawn_curve
from kata.hunts.losses import STEPS
from kata.hunts.which import Option, Which
from kata.terminal.message import message
from kata.terminal.style import Style

Hunt = Which | Loss
PRAISE = "Right."


def question(hunt: Hunt, style: Style) -> list[str]:
    """What is asked."""
    return [*(_which(hunt, style) if isinstance(hunt, Which) else _loss(hunt, style))]


def answers(hunt: Hunt) -> tuple[str, ...]:
    """What may be answered."""
    return tuple(hunt.lettered) if isinstance(hunt, Which) else (RIGHT, WRONG)


def prompt(hunt: Hunt) -> str:
    """What stands before the cursor."""
    if isinstance(hunt, Which):
        return f"{', '.join(hunt.lettered)}, or q to leave: "
    return "right or wrong, or q to leave: "


def reply(hunt: Hunt, answer: str, style: Style) -> list[str]:
    """Right or wrong, and why."""
    if isinstance(hunt, Loss):
        return [line for text in _of_loss(hunt, answer) for line in style.wrap(text)]
    if answer == hunt.right:
        return [PRAISE, *style.wrap(hunt.bug.why)]
    wrong = style.wrap(f"No: it is {hunt.right}, {hunt.bug.title}.")
    return [*wrong, *style.wrap(hunt.bug.why), *_instead(hunt.lettered[answer], style)]


def _which(hunt: Which, style: Style) -> Iterator[str]:
    head = f"{hunt.exercise.slug}: a claim fails. Which mistake is behind it?"
    yield style.paint(head, "bold")
    yield from ("", message(hunt.message, style), "")
    for letter, option in hunt.lettered.items():
        yield from style.wrap(f"{letter}  {option.bug.title}", 2)


def _loss(hunt: Loss, style: Style) -> Iterator[str]:
    head = (
        f"{hunt.exercise.slug}: this code was trained to say the token before each one. "
        "The loss falls. Is the code right?"
    )
    yield from (style.paint(line, "bold") for line in style.wrap(head))
    yield from ("", hunt.code, "")
    shown = drawn_curve(hunt.curve, unicode=style.unicode)
    first, last = hunt.curve[0], hunt.curve[-1]
    yield f"loss  {shown}  from {first:.2f} to {last:.2f} in {STEPS} steps"


def _instead(option: Option, style: Style) -> list[str]:
    """What the claim shows of the mistake that was chosen."""
    title = option.bug.title
    if option.evidence.held:
        return style.wrap(f"{title}: this claim would hold.")
    shown = replace(option.evidence.message, claim="", inputs="", remark="")
    lines = message(shown, style).splitlines()
    return [*style.wrap(f"{title}: there it would say:"), *(f"  {x}" for x in lines)]


def _of_loss(hunt: Loss, answer: str) -> Iterator[str]:
    if answer == hunt.right:
        yield PRAISE
    if hunt.bug:
        yield f"The code is wrong, and the loss does not show it: {hunt.bug.title}."
        yield hunt.bug.why
    else:
        yield "The code is right."
    there, trained = len(hunt.known.there), hunt.known.trained
    short = hunt.exercise.short
    yield (
        f"Of {trained} wrong answers to {short} that were trained so, "
        f"{there} end at the right one's loss."
    )
