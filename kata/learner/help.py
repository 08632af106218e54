"""Help with an exercise: hints, the reference once one's own answer passes, and a fresh start."""

from collections.abc import Iterator
from dataclasses import dataclass

from kata.course.contract import stub
from kata.course.curriculum import Exercise
from kata.course.source import Source, contract, function_at, read
from kata.errors import UserError
from kata.learner.own_files import keep_copy, read_own, write
from kata.learner.progress import Progress
from kata.learner.status import Work
from kata.proofs.proof import proof_stub, proofs_of
from kata.terminal.style import Style
from kata.text import clean
from kata.verdict import ExerciseVerdict


@dataclass(frozen=True)
class Hints:
    """The hints so far about one subject, the newest at the end.

    Attributes:
        about: the subject, for programs.
        title: the heading above the hints.
        texts: the hints.
        total: how many hints there are.
        saved: whether the next call will know that these were read.
    """

    about: str
    title: str
    texts: tuple[str, ...]
    total: int
    saved: bool

    @property
    def is_last(self) -> bool:
        """True if there is no further hint."""
        return len(self.texts) == self.total


def next_hint(
    progress: Progress, exercise: Exercise, verdict: ExerciseVerdict, source: Source
) -> Hints:
    """Return the hints so far about what fails, and one more.

    They are about the mistake if it is recognised, and then about the function that fails.
    """
    name = function_at(source, 0 if verdict.file else verdict.line)
    name = name if name in contract(exercise).names else contract(exercise).names[0]
    topic, title, texts = name, f"about `{name}`", exercise.hints_about(name)
    if mistakes := verdict.mistakes:
        topic = " ".join(mistake.slug for mistake in mistakes)
        title = f"known mistake: {'; '.join(mistake.title for mistake in mistakes)}"
        texts = (*(hint for mistake in mistakes for hint in mistake.hints), *texts)
    count = min(progress.hints(exercise.slug, topic) + 1, len(texts))
    progress.note_hints(exercise.slug, topic, count)
    return Hints(title, title, texts[:count], len(texts), progress.save())


def no_hint(exercise: Exercise) -> str:
    """Return the sentence for an exercise in which nothing fails."""
    return f"all claims of {exercise.slug} hold: no hint is needed"


def hint_lines(hints: Hints, progress: Progress, exercise: Exercise, style: Style) -> list[str]:
    """Return the hints for a terminal."""
    lines = [style.paint(line, "bold") for line in style.wrap(hints.title)]
    for number, text in enumerate(hints.texts, start=1):
        head = f"{exercise.slug}, hint {number} of {hints.total}"
        lines += [style.paint(head, "dim"), *style.wrap(text, 2)]
    if hints.is_last:
        lines += style.wrap(
            "That was the last one. "
            f"`kata solution {exercise.short} --reveal` shows how the reference does it."
        )
    if not hints.saved:
        lines += style.wrap(f"{progress.path} cannot be written: nothing will be remembered")
    return lines


def solution(work: Work, exercise: Exercise, *, locked: str, reveal: bool = False) -> Source:
    """Return the reference, once the learner's own answer passes; or raise UserError.

    `locked` is the end of the sentence that refuses it.
    """
    if not (reveal or work.has_passed(exercise)):
        raise UserError(f"not all claims of {exercise.slug} hold yet{locked}")
    return read(exercise.solution)


def reset(work: Work, exercise: Exercise, *, proof: bool = False) -> Iterator[str]:
    """Write the stub in place of the learner's file, or of the tests, which are kept; say so."""
    home, text = work.folder, stub(exercise)
    if proof:
        home, text = proofs_of(work.folder), proof_stub(exercise)
    path = home / exercise.filename
    own = read_own(path) if path.exists() else None
    if own == text.encode():
        yield clean(f"{path} is already the stub")
        return
    if own is not None:
        yield keep_copy(own, path.with_suffix(".bak"))
    write(path, text)
    work.forget(f"proofs/{exercise.slug}" if proof else exercise.slug)
    yield clean(f"{path} is the stub again")
