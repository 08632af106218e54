"""A room of the museum: one exercise, its claims, and the wrong answers that each of them catches.

The message that the author of a wrong answer would read comes from judging it. The catalogue names
the claim that fails first, which a gate of the kata proves, so no other claim has to be run.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from kata.course.catalogue import Bug, bugs, target_of, wrong_answer
from kata.course.curriculum import Exercise
from kata.handouts.site.wrong_lines import excerpts
from kata.judging.attempt import Attempt
from kata.judging.judge import check, suite
from kata.verdict import Message, State


@dataclass(frozen=True)
class Catch:
    """A claim, and the wrong answers that fail it first."""

    name: str
    sentence: str
    bugs: tuple[Bug, ...]

    @property
    def title(self) -> str:
        """The name of the claim, which is a sentence."""
        return self.name.removeprefix("test_").replace("_", " ")


@dataclass(frozen=True)
class Room:
    """One exercise with its wrong answers in the museum, and their messages."""

    exercise: Exercise
    catches: tuple[Catch, ...]
    messages: Mapping[str, Message]

    @cached_property
    def bugs(self) -> dict[str, Bug]:
        """The wrong answers by their slugs, in the order of the claims that catch them."""
        return {bug.slug: bug for catch in self.catches for bug in catch.bugs}

    @cached_property
    def catch(self) -> dict[str, Catch]:
        """The claims that catch them, by the slugs of the wrong answers."""
        return {bug.slug: catch for catch in self.catches for bug in catch.bugs}


@dataclass(frozen=True)
class Counts:
    """The numbers of wrong answers that show themselves in one way or another.

    Attributes:
        all: of them.
        values: that run, give the right shape and type, and wrong numbers.
        errors: that raise an error.
        others: that break a promise in another way.
    """

    all: int
    values: int
    errors: int

    @property
    def others(self) -> int:
        """The number of those that are neither."""
        return self.all - self.values - self.errors

    @classmethod
    def of(cls, rooms: Iterable[Room]) -> "Counts":
        """Count the wrong answers of some rooms by what their authors read."""
        messages = [message for room in rooms for message in room.messages.values()]
        values = sum(
            message.picture is not None or " differ; worst at " in message.evidence
            for message in messages
        )
        errors = sum(bool(message.frames) for message in messages)
        return cls(len(messages), values, errors)


def room(exercise: Exercise, chosen: Iterable[Bug] | None = None) -> Room:
    """An exercise with these wrong answers, or with all of the catalogue."""
    entries = bugs(exercise) if chosen is None else tuple(chosen)
    messages = ((bug.slug, _message(exercise, bug)) for bug in entries)
    read = {slug: message for slug, message in messages if message}
    return Room(exercise, tuple(_catches(exercise, entries)), read)


def _catches(exercise: Exercise, entries: tuple[Bug, ...]) -> Iterator[Catch]:
    """The catches of all claims, one for a claim that runs on several devices, too."""
    sentences = {claim.name: claim.sentence for claim in suite(exercise)}
    for name, sentence in sentences.items():
        yield Catch(name, sentence, tuple(bug for bug in entries if bug.claim == name))


def _message(exercise: Exercise, bug: Bug) -> Message | None:
    """The message of the claim that it names, or of the first that fails if it keeps state."""
    target = target_of(exercise, wrong_answer(exercise, bug))
    attempt = Attempt(exercise, target, remarks=False)  # the page shows the code itself
    excerpts(exercise, bug)  # now, while the syntax tree of its text is at hand
    asked = (claim for claim in suite(exercise) if bug.remembers or claim.name == bug.claim)
    verdicts = (check(claim, attempt) for claim in asked)
    fine = {State.PASSED, State.SKIPPED}
    return next((verdict.message for verdict in verdicts if verdict.state not in fine), None)
