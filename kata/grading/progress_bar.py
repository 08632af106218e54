"""The progress of a long run: a bar in a terminal, nothing in a pipe."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kata.words import say

WIDTH = 20  # short enough for an echoed ^C to fit in the line, and to be erased with it


@contextmanager
def progress(count: int) -> Iterator[Callable[[], None]]:
    """Yields a function to call after each of `count` steps."""
    from rich.console import Console  # slow to import, and not every run needs it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Left

    console = Console(stderr=True)
    columns = TextColumn(say("grading.bar")), BarColumn(WIDTH), MofNCompleteColumn(), Left()
    hidden = not console.is_terminal or console.is_dumb_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("", total=count)
        yield lambda: bar.advance(task)
