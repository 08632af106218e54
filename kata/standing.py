"""What is known of a learner's exercises without running them."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from kata.curriculum import Exercise
from kata.memory import Memory, learner
from kata.source import UnusableError, first_line, not_started
from kata.target import Target
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State
from kata.words import say


def known(folder: Path, exercises: Mapping[str, Exercise]) -> Iterator[ExerciseVerdict]:
    """The standing of all that are there."""
    memory = Memory(folder)
    for exercise in exercises.values():
        if (folder / exercise.filename).exists():
            yield standing(folder, exercise, memory)


def standing(folder: Path, exercise: Exercise, memory: Memory) -> ExerciseVerdict:
    """Unreadable, not started, as it was judged, or changed since then."""
    target = learner(folder, memory)
    if unjudged := at_sight(exercise, target):
        return ExerciseVerdict(exercise.slug, (unjudged,))
    found = memory.verdict(exercise.slug, target.digest(exercise.slug))
    return found or ExerciseVerdict(exercise.slug, not_run=1)


def at_sight(exercise: Exercise, target: Target) -> ClaimVerdict | None:
    """What the text alone says of the file as a whole: nothing, if it is to be judged."""
    try:
        source = target.source(exercise.slug)
    except UnusableError as error:
        return whole(State.ERROR, Message(str(error), line=error.line))
    if not_started(source, exercise):
        return whole(State.NOT_STARTED, Message(say("board.not-started"), line=first_line(source)))
    return None


def whole(state: State, message: Message) -> ClaimVerdict:
    """One claim that stands for all, of which none was made."""
    return ClaimVerdict(str(state).replace(" ", "_"), state, message)
