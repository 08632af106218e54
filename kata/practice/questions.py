"""A failing claim and four mistakes: which of them is behind it? And hunts in words."""

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
    """A mistake that may be the one, and what the claim shows of it."""

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
        """What the author of the mistake would read."""
        return self.lettered[self.right].evidence.message


def which(exercise: Exercise, bug: Bug, seed: int) -> Which | None:
    """The hunt for this mistake; none if too few others can be told from it by its evidence."""
    made = (each for claim in _fit(exercise, bug) for each in _made(claim, exercise, bug, seed))
    return next(made, None)


def some_which(exercise: Exercise, seed: int) -> Which | None:
    """A hunt for any mistake of the exercise: the same for the same seed."""
    shuffled = list(bugs(exercise))
    Random(f"{exercise.slug} {seed}").shuffle(shuffled)
    return next(filter(None, (which(exercise, bug, seed) for bug in shuffled)), None)


def no_which(exercise: Exercise) -> str:
    """What is said where there is none."""
    return f"{exercise.slug}: there is no such hunt"


def _fit(exercise: Exercise, bug: Bug) -> list[Claim]:
    """A mistake that keeps state shows different things of itself at different times."""
    return [] if bug.remembers else claims_of(exercise, bug)[:1]


def _made(claim: Claim, exercise: Exercise, bug: Bug, seed: int) -> Iterator[Which]:
    mine = judged(exercise, bug, claim)
    if mine.held or not mine.text or mine.finding.verdict.state is State.BLOCKED:
        return
    drawn = Random(f"{exercise.slug} {bug.slug} {seed}")
    others = list(islice(_others(exercise, bug, claim), NEAREST))
    if len(others) < len(LETTERS) - 1:
        return
    wrong = drawn.sample(others, len(LETTERS) - 1)
    options = [
        Option(bug, mine),
        *(Option(each, compared(exercise, each, claim)) for each in wrong),
    ]
    drawn.shuffle(options)
    yield Which(exercise, claim, bug, tuple(options))


def _others(exercise: Exercise, bug: Bug, claim: Claim) -> Iterator[Bug]:
    """The most plausible first. No two of them have the same title."""
    mine, titles = judged(exercise, bug, claim), {bug.title}
    for other in _by_likeness(exercise, bug):
        if other.title not in titles and always_differs(exercise, other, claim, mine):
            titles.add(other.title)
            yield other


@lru_cache(maxsize=64)
def _by_likeness(exercise: Exercise, bug: Bug) -> tuple[Bug, ...]:
    """The other mistakes: those in the same function first, and that fail the same claims."""
    others = [each for each in bugs(exercise) if each is not bug and not each.remembers]
    fair = [
        other for other in others if other.slug not in bug.twins and bug.slug not in other.twins
    ]
    return tuple(sorted(fair, key=lambda each: _distance(exercise, bug, each)))


def _distance(exercise: Exercise, one: Bug, other: Bug) -> tuple[bool, bool, float]:
    here, there = place(exercise, one), place(exercise, other)
    return here != there, one.claim != other.claim, -_overlap(exercise, one, other)


def _overlap(exercise: Exercise, one: Bug, other: Bug) -> float:
    """The share of their failing claims that both fail; nothing if it is not recorded."""
    mine, theirs = usually(exercise, one, 0), usually(exercise, other, 0)
    if not mine or not theirs:
        return 0.0
    both = mine.failing & theirs.failing
    return len(both) / max(1, len(mine.failing | theirs.failing))


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
