"""How far a long run is: a bar in a terminal, nothing in a pipe."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kata.words import say

WIDTH = 20  # so that a ^C that is echoed stays in its line, and goes away with it


@contextmanager
def progress(count: int) -> Iterator[Callable[[], None]]:
    """Gives a function to be called after each of so many."""
    from rich.console import Console  # it takes a while, and not every run needs it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Left

    console = Console(stderr=True)
    columns = TextColumn(say("grading.bar")), BarColumn(WIDTH), MofNCompleteColumn(), Left()
    hidden = not console.is_terminal or console.is_dumb_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("", total=count)
        yield lambda: bar.advance(task)
