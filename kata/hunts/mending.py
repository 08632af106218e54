"""What became of a function that somebody is mending, and what is said of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from kata.course.source import UnusableError
from kata.hunts.line import Line, changed_tokens
from kata.terminal.message import message
from kata.terminal.style import Style
from kata.verdict import ExerciseVerdict, Message

Judge = Callable[[str], ExerciseVerdict]  # of the text of a whole file


@dataclass(frozen=True)
class Mending:
    """How far it is.

    Attributes:
        hunt: what is to be mended.
        count: how many tokens are changed so far.
        verdict: on the whole file; none if it was not judged.
        error: why it could not be.
    """

    hunt: Line
    count: int = 0
    verdict: ExerciseVerdict | None = None
    error: str = ""

    @property
    def is_done(self) -> bool:
        """Whether all claims hold."""
        return self.verdict is not None and self.verdict.done


def mending(hunt: Line, path: Path, text: str, judge: Judge) -> Mending:
    """Judge what somebody made of the function; nothing is judged before something is changed."""
    try:
        whole = hunt.mended(path, text)
    except UnusableError as error:
        return Mending(hunt, error=str(error))
    count = changed_tokens(hunt.wrong, whole)
    return Mending(hunt, count, judge(whole) if count else None)


def told(found: Mending, place: str, style: Style) -> Iterator[str]:
    """What is said of it; `place` is where the function is."""
    if found.error:
        yield from style.wrap(f"{place}: not yet.")
        yield from (f"  {line}" for line in found.error.splitlines())
    elif found.verdict is None:
        yield from style.wrap(f"{place}: nothing is changed yet")
    elif found.is_done:
        yield from _mended(found, place, style)
    else:
        yield from style.wrap(f"{place}: not yet. Changed tokens so far: {found.count}.")
        if shown := _shown(found.verdict):
            yield from message(shown, style).splitlines()


def _mended(found: Mending, place: str, style: Style) -> Iterator[str]:
    hunt, count = found.hunt, found.count
    text = (
        f"{place}: mended: all claims of {hunt.exercise.slug} hold. "
        f"Changed tokens: {count}; the fewest known: {min(hunt.fewest, count)}."
    )
    yield from style.wrap(text)
    yield from style.wrap(f"It was: {hunt.bug.title}. {hunt.bug.why}")


def _shown(verdict: ExerciseVerdict) -> Message | None:
    """What does not hold, without what would tell where: to find that is what is asked."""
    first = verdict.first_failure
    if first is None or first.message is None:
        return None
    return replace(first.message, remark="", cause="", frames=[], picture=None)
