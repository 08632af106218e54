"""What the text of a file says by itself, before anything of it runs."""

from kata.course.curriculum import Exercise
from kata.course.source import UnusableError, first_line, not_started
from kata.course.target import Target
from kata.verdict import ClaimVerdict, Message, State


def at_sight(exercise: Exercise, target: Target) -> ClaimVerdict | None:
    """What the text alone says of the file as a whole: nothing, if it is to be judged."""
    try:
        source = target.source(exercise.slug)
    except UnusableError as error:
        return whole(State.ERROR, Message(str(error), line=error.line))
    if not_started(source, exercise):
        return whole(State.NOT_STARTED, Message(State.NOT_STARTED.value, line=first_line(source)))
    return None


def whole(state: State, message: Message) -> ClaimVerdict:
    """One claim that stands for all, of which none was made."""
    return ClaimVerdict(str(state).replace(" ", "_"), state, message)
