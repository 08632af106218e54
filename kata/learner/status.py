"""The status of a learner's exercises without a run, and the exercise that comes next."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from kata.course.curriculum import Exercise, exercises
from kata.course.source import Source
from kata.course.target import Target, at_sight
from kata.learner.folder import origin, texts
from kata.learner.progress import Progress, learner_target
from kata.terminal.board import Origin, Outlook
from kata.verdict import ExerciseVerdict, State


def statuses(folder: Path, exercises: Mapping[str, Exercise]) -> Iterator[ExerciseVerdict]:
    """Yield the status of every exercise that has a file or a notebook."""
    progress, cells = Progress(folder), texts(folder)
    for exercise in exercises.values():
        if exercise.slug in cells or (folder / exercise.filename).exists():
            yield standing(folder, exercise, progress, cells)


def standing(
    folder: Path, exercise: Exercise, progress: Progress, cells: Mapping[str, str] | None = None
) -> ExerciseVerdict:
    """Return the status: unreadable, not started, the last verdict, or changed since then."""
    target = learner_target(folder, progress, cells)
    if unjudged := at_sight(exercise, target):
        return ExerciseVerdict(exercise.slug, (unjudged,))
    verdict = progress.verdict(exercise.slug, target.digest(exercise.slug))
    return verdict or ExerciseVerdict(exercise.slug, not_run=1)


def origins(folder: Path, exercises: Mapping[str, Exercise]) -> dict[str, Origin]:
    """Return the places of work, for the exercises whose file is not the only place."""
    by_slug = {slug: origin(folder, exercise) for slug, exercise in exercises.items()}
    return {slug: place for slug, place in by_slug.items() if place.in_cells or place.older}


def outlook(
    folder: Path, verdicts: Sequence[ExerciseVerdict], target: Target | None = None
) -> Outlook:
    """Return what comes next among these exercises, and how much of the target is done."""
    progress = Progress(folder)
    done: set[str] = set()
    # The digests take time, of which a start with nothing done should have none.
    if progress.has_passed_any:
        target = target or learner_target(folder, progress, texts(folder))
        done = {slug for slug in exercises() if progress.passed(target.digest(slug))}
    core = {slug for slug, exercise in exercises().items() if exercise.core}
    first = _next(folder, verdicts, progress)
    return Outlook(first, (len(core & done), len(core)), (len(done), len(exercises())))


def _next(
    folder: Path, verdicts: Sequence[ExerciseVerdict], progress: Progress
) -> ExerciseVerdict | None:
    """Return the exercise that was worked on last, or else the first that is not done."""
    left = [verdict for verdict in verdicts if not verdict.done]
    if begun := [verdict for verdict in left if _is_begun(verdict)]:
        return max(begun, key=partial(_touched, folder, progress))
    path = [
        verdict for verdict in left if exercises()[verdict.slug].core or not _is_core_only(verdicts)
    ]
    return next(iter(path or left), None)


def _is_begun(verdict: ExerciseVerdict) -> bool:
    return verdict.state is not State.NOT_STARTED


def _touched(folder: Path, progress: Progress, verdict: ExerciseVerdict) -> tuple[float, float]:
    """Return a key for the time of the last work.

    It is the time of the last save or judgement; a run judges many files at once, and then the
    times of their saves decide.
    """
    try:
        saved = (folder / origin(folder, exercises()[verdict.slug]).name).stat().st_mtime
    except OSError:
        saved = 0.0
    return max(saved, progress.judged_at(verdict.slug)), saved


def _is_core_only(verdicts: Sequence[ExerciseVerdict]) -> bool:
    """Return whether the core exercises alone are done one by one, as in half a day."""
    core = [exercises()[verdict.slug].core for verdict in verdicts]
    begun = [place for place, verdict in enumerate(verdicts) if _is_begun(verdict)]
    return bool(begun) and all(core[place] for place in begun) and not all(core[: begun[-1]])


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
        return learner_target(self.folder, self.progress)

    def forget(self, topic: str) -> None:
        """Forget the verdict on an exercise, and the hints about it."""
        self.progress.forget(topic)
        self.progress.save()
