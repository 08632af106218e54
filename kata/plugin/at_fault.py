"""The frame that failed: where `--pdb` stops, and whose variables `-l` shows."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from kata.course.curriculum import suite_folders
from kata.text import clean, cut, line

MOST_VARIABLES = 20
LONGEST = 100  # characters of a variable


def raise_for_debugger(error: BaseException | None, folder: Path) -> None:
    """Raise the error of a claim again, so that its last frame is one that a learner wants to see.

    Args:
        error: what ended the claim; nothing is raised if it held.
        folder: the learner's files.
    """
    if last := _last(error, {folder, *suite_folders()}):
        last.tb_next = None  # what a library or the kata did below it is of no interest
        assert error
        raise error


def variables(error: BaseException | None, folder: Path) -> list[tuple[str, str]]:
    """What the learner's function held when it raised, as a section of a report."""
    if not (last := _last(error, {folder})):
        return []
    frame = last.tb_frame
    lines = list(_described(frame.f_locals))[:MOST_VARIABLES]
    return [(clean(f"variables of {frame.f_code.co_name}"), "\n".join(lines))]


def _described(held: dict[str, object]) -> Iterator[str]:
    from kata.judging.describe import shape

    for name, value in held.items():
        try:
            yield cut(line(shape(name, value)), LONGEST, "…")
        except Exception as error:  # the learner's own __repr__
            yield f"{name}: {type(error).__name__}"


def _last(error: BaseException | None, folders: set[Path]) -> TracebackType | None:
    """The deepest entry of a traceback that is in one of these folders."""
    last, trace = None, error.__traceback__ if error else None
    while trace:
        if Path(trace.tb_frame.f_code.co_filename).parent in folders:
            last = trace
        trace = trace.tb_next
    return last
