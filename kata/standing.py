"""What is known of a learner's exercises without running them."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from kata.curriculum import Exercise
from kata.memory import Memory, learner
from kata.source import UnusableError, first_line, not_started
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State


def known(folder: Path, exercises: Mapping[str, Exercise]) -> Iterator[ExerciseVerdict]:
    """The standing of all that are there."""
    memory = Memory(folder)
    for exercise in exercises.values():
        if (folder / exercise.filename).exists():
            yield standing(folder, exercise, memory)


def standing(folder: Path, exercise: Exercise, memory: Memory) -> ExerciseVerdict:
    """Unreadable, not started, as it was judged, or changed since then."""
    target = learner(folder, memory)
    try:
        source = target.source(exercise.slug)
    except UnusableError as error:
        return _whole(exercise, State.ERROR, Message(str(error), line=error.line))
    if not_started(source, exercise):
        return _whole(exercise, State.NOT_STARTED, Message("", line=first_line(source)))
    found = memory.verdict(exercise.slug, target.digest(exercise.slug))
    return found or ExerciseVerdict(exercise.slug, not_run=1)


def _whole(exercise: Exercise, state: State, message: Message) -> ExerciseVerdict:
    return ExerciseVerdict(exercise.slug, (ClaimVerdict(str(state), state, message),))
