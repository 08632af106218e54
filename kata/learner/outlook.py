"""What comes next in a folder of exercises, and how much of the course is done in it."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from kata.course.curriculum import exercises
from kata.course.target import Target
from kata.learner.folder.notebooks import taken, texts
from kata.learner.progress import Progress, learner
from kata.terminal.board import Outlook
from kata.verdict import ExerciseVerdict, State


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
