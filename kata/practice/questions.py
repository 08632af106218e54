"""Hunts by evidence: which of four mistakes is behind a failing claim? And all hunts in words."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from random import Random

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise
from kata.diagnosis.suspects import usually
from kata.judging.judge import Claim
from kata.practice.evidence import Evidence, always_differs, claims_of, compared, judged, place
from kata.practice.loss import RIGHT, STEPS, WRONG, Loss, drawn_curve
from kata.terminal.message import message
from kata.terminal.style import Style
from kata.verdict import Message, State

LETTERS = "abcd"
NEAREST = 9  # of the mistakes that are most like the right one, from which the others are drawn
PRAISE = "Right."


@dataclass(frozen=True)
class Option:
    """One of the four mistakes, and what the claim shows of it."""

    bug: Bug
    evidence: Evidence


@dataclass(frozen=True)
class Which:
    """A hunt for the mistake behind a message."""

    exercise: Exercise
    claim: Claim
    bug: Bug
    options: tuple[Option, ...]

    @property
    def right(self) -> str:
        """The letter of the right option."""
        return next(letter for letter, option in self.lettered.items() if option.bug is self.bug)

    @property
    def lettered(self) -> dict[str, Option]:
        """The options by their letters."""
        return dict(zip(LETTERS, self.options, strict=True))

    @property
    def message(self) -> Message:
        """The message that the author of the mistake would read."""
        return self.lettered[self.right].evidence.message


def which(exercise: Exercise, bug: Bug, seed: int) -> Which | None:
    """Return the hunt for this mistake; None if its evidence fits too many others."""
    # A mistake that keeps state shows different things of itself at different times.
    if bug.remembers or not (claims := claims_of(exercise, bug)):
        return None
    return _hunt(claims[0], exercise, bug, seed)


def some_which(exercise: Exercise, seed: int) -> Which | None:
    """Return a hunt for any mistake of the exercise: the same for the same seed."""
    shuffled = list(bugs(exercise))
    Random(f"{exercise.slug} {seed}").shuffle(shuffled)
    return next(filter(None, (which(exercise, bug, seed) for bug in shuffled)), None)


def no_which(exercise: Exercise) -> str:
    """Return the message where there is no hunt."""
    return f"{exercise.slug}: there is no such hunt"


def _hunt(claim: Claim, exercise: Exercise, bug: Bug, seed: int) -> Which | None:
    mine = judged(exercise, bug, claim)
    if mine.held or not mine.text or mine.finding.verdict.state is State.BLOCKED:
        return None
    others = list(islice(_others(exercise, bug, claim), NEAREST))
    if len(others) < len(LETTERS) - 1:
        return None
    drawn = Random(f"{exercise.slug} {bug.slug} {seed}")
    wrong = drawn.sample(others, len(LETTERS) - 1)
    options = [
        Option(bug, mine),
        *(Option(other, compared(exercise, other, claim)) for other in wrong),
    ]
    drawn.shuffle(options)
    return Which(exercise, claim, bug, tuple(options))


def _others(exercise: Exercise, bug: Bug, claim: Claim) -> Iterator[Bug]:
    """Other mistakes, the most plausible first. No two of them have the same title."""
    mine, titles = judged(exercise, bug, claim), {bug.title}
    for other in _by_likeness(exercise, bug):
        if other.title not in titles and always_differs(exercise, other, claim, mine):
            titles.add(other.title)
            yield other


@lru_cache(maxsize=64)
def _by_likeness(exercise: Exercise, bug: Bug) -> tuple[Bug, ...]:
    """The other mistakes: those in the same function first, and that fail the same claims."""
    others = [other for other in bugs(exercise) if other is not bug and not other.remembers]
    fair = [
        other for other in others if other.slug not in bug.twins and bug.slug not in other.twins
    ]
    return tuple(sorted(fair, key=lambda other: _distance(exercise, bug, other)))


def _distance(exercise: Exercise, bug: Bug, other: Bug) -> tuple[bool, bool, float]:
    is_elsewhere = place(exercise, bug) != place(exercise, other)
    return is_elsewhere, bug.claim != other.claim, -_overlap(exercise, bug, other)


def _overlap(exercise: Exercise, bug: Bug, other: Bug) -> float:
    """The share of their failing claims that both fail; nothing if it is not recorded."""
    mine, theirs = usually(exercise, bug, 0), usually(exercise, other, 0)
    if not mine or not theirs:
        return 0.0
    both = mine.failing & theirs.failing
    return len(both) / max(1, len(mine.failing | theirs.failing))


# -- hunts in words


Hunt = Which | Loss


def question(hunt: Hunt, style: Style) -> list[str]:
    """Return the lines of the question."""
    return [*(_which(hunt, style) if isinstance(hunt, Which) else _loss(hunt, style))]


def answers(hunt: Hunt) -> tuple[str, ...]:
    """Return the possible answers."""
    return tuple(hunt.lettered) if isinstance(hunt, Which) else (RIGHT, WRONG)


def prompt(hunt: Hunt) -> str:
    """Return the text before the cursor."""
    if isinstance(hunt, Which):
        return f"{', '.join(hunt.lettered)}, or q to leave: "
    return "right or wrong, or q to leave: "


def reply(hunt: Hunt, answer: str, style: Style) -> list[str]:
    """Return the lines of the reply: right or wrong, and why."""
    if isinstance(hunt, Loss):
        return [line for text in _about_loss(hunt, answer) for line in style.wrap(text)]
    if answer == hunt.right:
        return [PRAISE, *style.wrap(hunt.bug.why)]
    wrong = style.wrap(f"No: it is {hunt.right}, {hunt.bug.title}.")
    return [*wrong, *style.wrap(hunt.bug.why), *_about_choice(hunt.lettered[answer], style)]


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
    curve = drawn_curve(hunt.curve, unicode=style.unicode)
    first, last = hunt.curve[0], hunt.curve[-1]
    yield f"loss  {curve}  from {first:.2f} to {last:.2f} in {STEPS} steps"


def _about_choice(option: Option, style: Style) -> list[str]:
    """What the claim shows of the mistake that was chosen."""
    title = option.bug.title
    if option.evidence.held:
        return style.wrap(f"{title}: this claim would hold.")
    evidence = replace(option.evidence.message, claim="", inputs="", remark="")
    lines = message(evidence, style).splitlines()
    return [*style.wrap(f"{title}: there it would say:"), *(f"  {line}" for line in lines)]


def _about_loss(hunt: Loss, answer: str) -> Iterator[str]:
    if answer == hunt.right:
        yield PRAISE
    if hunt.bug:
        yield f"The code is wrong, and the loss does not show it: {hunt.bug.title}."
        yield hunt.bug.why
    else:
        yield "The code is right."
    yield (
        f"Of {hunt.losses.trained} wrong answers to {hunt.exercise.short} that were trained so, "
        f"{len(hunt.losses.there)} end at the right one's loss."
    )
