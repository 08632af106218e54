"""Hunts by line: a file in `hunts/` with a mistake in it, and the verdict on what became of it."""

import sys
import tempfile
from pathlib import Path

from kata.commands.common import unused, write
from kata.course.curriculum import Exercise, exercises
from kata.course.source import UnusableError, read
from kata.errors import UserError
from kata.hunts.line import Line
from kata.hunts.mending import Mending, mending, told
from kata.learner.progress import Progress, learner
from kata.learner.waiting_judge import LearnerJudge
from kata.practice.choice import passed
from kata.practice.lines import NONE_WAITS, begin, end, of_passed, waiting
from kata.practice.memory import Memory
from kata.terminal.style import style_of
from kata.text import clean
from kata.verdict import ExerciseVerdict


def offered(folder: Path, named: Exercise | None, seed: int | None) -> int:
    """Write a file to be mended, or name the one that waits."""
    memory = Memory(folder)
    exercise = of_passed(named, passed(folder), seed or 0)
    path = place_of(folder, exercise)
    if memory.open(exercise.slug) and path.exists() and seed is None:
        print(clean(f"{path} waits for you already; --seed 1 makes another one"))
        return 0
    own = learner(folder, Progress(folder)).source(exercise.slug).text
    hunt = begin(memory, exercise, own, seed or 0)
    _write(path, hunt)
    print(
        clean(
            f"{exercise.slug}: `{hunt.name}` in {path} is wrong in one place. "
            f"Find the line and mend it, then type: kata hunt {exercise.short} --check"
        )
    )
    return 0


def place_of(folder: Path, exercise: Exercise) -> Path:
    """Where the file to be mended lies."""
    return folder.parent / "hunts" / exercise.filename


def _write(path: Path, hunt: Line) -> None:
    """Write a file to be mended; what lies there is kept under a number."""
    if path.exists() and path.read_text(encoding="utf-8", errors="replace") != hunt.file:
        kept = unused(path)
        write(kept, path.read_bytes())
        print(clean(f"your version is kept as {kept}"))
    write(path, hunt.file)


def checked(folder: Path, named: Exercise | None) -> int:
    """Judge the files that wait, or the one of this exercise; 1 if one is not mended yet."""
    memory = Memory(folder)
    slugs = [named.slug] if named else memory.all_open()
    open_exercises = [
        exercises()[slug] for slug in slugs if slug in exercises() and memory.open(slug)
    ]
    there = [exercise for exercise in open_exercises if place_of(folder, exercise).exists()]
    if not there:
        raise UserError(NONE_WAITS)
    return 1 if [exercise for exercise in there if not _is_mended(folder, exercise, memory)] else 0


def _is_mended(folder: Path, exercise: Exercise, memory: Memory) -> bool:
    """Say how far the mending is, and return whether it is done."""
    path = place_of(folder, exercise)
    judged = _judged(path, waiting(memory, exercise, _own(folder, exercise)))
    print(*told(judged, str(path), style_of(sys.stdout)), sep="\n")
    if judged.is_done:
        end(memory, exercise)
    return judged.is_done


def _own(folder: Path, exercise: Exercise) -> str:
    try:
        return learner(folder, Progress(folder)).source(exercise.slug).text
    except UnusableError:  # it is gone meanwhile: the mistake is made in another file
        return ""


def _judged(path: Path, hunt: Line) -> Mending:
    try:
        text = read(path).text
    except UnusableError as error:
        return Mending(hunt, error=str(error))
    return mending(hunt, path, text, lambda whole: _verdict(hunt.exercise, whole))


def _verdict(exercise: Exercise, text: str) -> ExerciseVerdict:
    """The verdict of a process of its own: a loop that does not end keeps that one busy."""
    with tempfile.TemporaryDirectory(prefix="kata-") as home:
        (Path(home) / exercise.filename).write_text(text, encoding="utf-8")
        judge = LearnerJudge(Path(home), forks=False, warm=False)
        try:
            *_, verdict = judge.judge(exercise)
        finally:
            judge.end()
    return verdict
