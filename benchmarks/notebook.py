"""What `check` in a notebook costs beside its bare suite: CPU time, one after the other in one run.

python -m benchmarks.notebook

Everything is imported and every suite has run before. The right answers are the solutions, the
wrong ones an entry of the catalogue for each exercise; medians over all exercises of the ratios.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from kata.course.catalogue import bugs, changed, target_of
from kata.course.curriculum import Exercise, exercises
from kata.course.notebooks.cells import Cell
from kata.judging.judge import judge
from kata.notebook.check import one
from kata.notebook.isolation import isolation
from kata.notebook.judging import judged
from kata.notebook.request import Request
from kata.notebook.work import Work

ROUNDS = 5


def main() -> None:
    """Print a line for each exercise, and the medians."""
    with tempfile.TemporaryDirectory() as home:
        ratios = [_ratios(each, Path(home) / "exercises") for each in exercises().values()]
    right, verdict, whole = (median(each) for each in zip(*ratios, strict=True))
    print(f"medians: the verdict on a right answer {right:.2f} ×, on a wrong one", end=" ")
    print(f"{verdict:.2f} ×, with diagnosis {whole:.2f} × the bare suite")


def _ratios(exercise: Exercise, folder: Path) -> tuple[float, float, float]:
    """Of a right answer, of the verdict on a wrong one, and of that with its mistake."""
    solution, wrong = changed(exercise), changed(exercise, bugs(exercise)[0])
    good, bad = (works(text, folder) for text in (solution, wrong))
    request = Request(exercise)

    def verdict(work: Work) -> None:
        with isolation():
            judged(work, request)

    steps: list[Callable[[], object]] = [
        lambda: judge(exercise, target_of(exercise, solution)),
        lambda: verdict(good()),
        lambda: judge(exercise, target_of(exercise, wrong)),
        lambda: verdict(bad()),
        lambda: one(bad(), request),
    ]
    bare, right, bare_wrong, quick, whole = _medians(steps)
    print(f"{exercise.short}: bare suite {1000 * bare:4.0f} ms, right {right / bare:.2f} ×", end="")
    print(f", wrong {quick / bare_wrong:.2f} ×, with diagnosis {whole / bare_wrong:.2f} ×")
    return right / bare, quick / bare_wrong, whole / bare_wrong


def works(text: str, folder: Path) -> Callable[[], Work]:
    """The work of a kernel, made anew for each check as `check` does."""
    return lambda: Work([Cell(1, text)], folder)


def _medians(steps: list[Callable[[], object]]) -> list[float]:
    """Of each step, all of them in turn, after one round that imports and remembers."""
    rounds = [[_seconds(step) for step in steps] for _ in range(ROUNDS + 1)]
    return [median(each) for each in zip(*rounds[1:], strict=True)]


def _seconds(step: Callable[[], object]) -> float:
    start = time.process_time()
    step()
    return time.process_time() - start


if __name__ == "__main__":
    main()
