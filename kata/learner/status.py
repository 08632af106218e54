"""What is known of a learner's exercises without running them, and what comes next."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from kata.course.curriculum import Exercise, exercises
from kata.course.source import Source
from kata.course.target import Target, at_sight
from kata.learner.folder import taken, texts
from kata.learner.progress import Progress, learner
from kata.terminal.board import Origin, Outlook
from kata.verdict import ExerciseVerdict, State


def statuses(folder: Path, exercises: Mapping[str, Exercise]) -> Iterator[ExerciseVerdict]:
    """The status of every exercise of which there is a file or a notebook."""
    memory, cells = Progress(folder), texts(folder)
    for exercise in exercises.values():
        if exercise.slug in cells or (folder / exercise.filename).exists():
            yield standing(folder, exercise, memory, cells)


def standing(
    folder: Path, exercise: Exercise, memory: Progress, cells: Mapping[str, str] | None = None
) -> ExerciseVerdict:
    """The status: unreadable, not started, the last verdict, or changed since that verdict."""
    target = learner(folder, memory, cells)
    if unjudged := at_sight(exercise, target):
        return ExerciseVerdict(exercise.slug, (unjudged,))
    verdict = memory.verdict(exercise.slug, target.digest(exercise.slug))
    return verdict or ExerciseVerdict(exercise.slug, not_run=1)


def origins(folder: Path, exercises: Mapping[str, Exercise]) -> dict[str, Origin]:
    """Where the work on each exercise is, if that is not its file alone."""
    by_slug = {slug: taken(folder, exercise) for slug, exercise in exercises.items()}
    return {slug: origin for slug, origin in by_slug.items() if origin.in_cells or origin.older}


def outlook(
    folder: Path, verdicts: Sequence[ExerciseVerdict], target: Target | None = None
) -> Outlook:
    """What comes next among these exercises; what is done among all that the target has read."""
    memory = Progress(folder)
    target = target or learner(folder, memory, texts(folder))
    done = {slug for slug in exercises() if memory.passed(target.digest(slug))}
    core = {slug for slug, exercise in exercises().items() if exercise.core}
    first = _next(folder, verdicts, memory)
    return Outlook(first, (len(core & done), len(core)), (len(done), len(exercises())))


def _next(
    folder: Path, verdicts: Sequence[ExerciseVerdict], memory: Progress
) -> ExerciseVerdict | None:
    """What was worked on last, if anything is in work; otherwise the first that is open."""
    left = [verdict for verdict in verdicts if not verdict.done]
    if begun := [verdict for verdict in left if _is_begun(verdict)]:
        return max(begun, key=partial(_touched, folder, memory))
    path = [
        verdict for verdict in left if exercises()[verdict.slug].core or not _is_core_only(verdicts)
    ]
    return next(iter(path or left), None)


def _is_begun(verdict: ExerciseVerdict) -> bool:
    return verdict.state is not State.NOT_STARTED


def _touched(folder: Path, memory: Progress, verdict: ExerciseVerdict) -> tuple[float, float]:
    """When it was last saved or judged; of those that one run has judged, when it was saved."""
    try:
        saved = (folder / taken(folder, exercises()[verdict.slug]).name).stat().st_mtime
    except OSError:
        saved = 0.0
    return max(saved, memory.judged_at(verdict.slug)), saved


def _is_core_only(verdicts: Sequence[ExerciseVerdict]) -> bool:
    """Whether somebody does the core exercises and skips the others, as in half a day."""
    core = [exercises()[verdict.slug].core for verdict in verdicts]
    begun = [n for n, verdict in enumerate(verdicts) if _is_begun(verdict)]
    return bool(begun) and all(core[n] for n in begun) and not all(core[: begun[-1]])


class Work:
    """A learner's answers in the files of a folder, with what is remembered of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.progress = Progress(folder)

    def begun(self) -> list[Exercise]:
        """Return the exercises that are begun, in the order of the course."""
        verdicts = statuses(self.folder, exercises())
        return [exercises()[verdict.slug] for verdict in verdicts if _is_begun(verdict)]

    def passed(self) -> list[Exercise]:
        """Return the exercises that pass, in the order of the course."""
        return [exercise for exercise in exercises().values() if self.has_passed(exercise)]

    def has_passed(self, exercise: Exercise) -> bool:
        """Return whether the answer as it is now has passed its suite."""
        return self.progress.passed(self.target(exercise).digest(exercise.slug))

    def source(self, exercise: Exercise) -> Source:
        """Return the answer; raise UnusableError if it cannot be read."""
        return self.target(exercise).source(exercise.slug)

    def target(self, exercise: Exercise) -> Target:  # noqa: ARG002  # for cells it matters
        """Return the answer with the earlier ones that it may need, to be judged."""
        return learner(self.folder, self.progress)

    def forget(self, topic: str) -> None:
        """Forget the verdict on an exercise, and the hints about it."""
        self.progress.forget(topic)
        self.progress.save()
