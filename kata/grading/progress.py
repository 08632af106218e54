"""The progress of a run, reported on stderr: as a bar in a terminal, else line by line.

Called by `run`. A thread of its own prints what the main thread notes; names of students are
cleaned before they are printed.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread

from kata.text import printable

WIDTH = 20  # of the bar: short enough for an echoed ^C to fit in the line
OFTEN, SELDOM = 1, 10  # seconds between two lines: before the first verdict, and from then on
MOST_NAMES = 3  # of those that are graded at the moment
LONGEST_NAME = 24


class Progress:
    """The state of a run: what is done, and who is being graded.

    Args:
        count: how many students there are.
        judges: how many of them are judged at a time.
    """

    def __init__(self, count: int, judges: int) -> None:
        self._most_shown = min(judges, MOST_NAMES)
        self.count, self.done = count, 0
        self._begun = time.monotonic()
        self.line = ""  # the last one that was printed
        self._graded = False
        self._at_work: dict[str, None] = {}
        self._lock = Lock()  # a thread reads what another one notes

    def begin(self, student: str) -> None:
        """Note that a judge gets this student's work."""
        with self._lock:
            self._at_work[student] = None

    def end(self, student: str) -> None:
        """Note that this student's verdict has arrived."""
        with self._lock:
            self._at_work.pop(student, None)
            self._graded = True

    def step(self) -> None:
        """Count one student more as done, whether anything had to be graded or not."""
        self.done += 1

    @property
    def pause(self) -> int:
        """Seconds until the next line."""
        return SELDOM if self._graded else OFTEN

    def text(self) -> str:
        """Say in one line what is being done."""
        with self._lock:
            # Those before the latest wait to be judged again.
            latest = [*self._at_work][-self._most_shown :]
        names = ", ".join(printable(student)[:LONGEST_NAME] for student in latest)
        done = f"{self.done} of {self.count} done"
        if not names and self.done < self.count:
            return f"reading what was handed in: {done}"
        if not names:
            return f"{done}; writing the grades"
        if self._graded:
            return f"{done}; now {names}"
        return f"starting the judges, {round(time.monotonic() - self._begun)} s; first {names}"


@contextmanager
def progress(count: int, judges: int, form: str = "") -> Iterator[Progress]:
    """Report what was recognised, then the progress of a run while this block lasts."""
    status, over = Progress(count, judges), Event()
    in_terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    show = _bar if in_terminal else _lines
    speaker = Thread(target=show, args=[status, over, form], daemon=True)
    speaker.start()
    try:
        yield status
    finally:
        over.set()
        speaker.join()


def _lines(status: Progress, over: Event, form: str) -> None:
    """Print a line at a time, if there is anything new in it."""
    while not over.wait(status.pause):
        if form:
            print(form, file=sys.stderr)
            form = ""
        if (text := status.text()) != status.line:
            print(text, file=sys.stderr, flush=True)
            status.line = text


def _bar(status: Progress, over: Event, form: str) -> None:
    from rich.console import Console  # slow to import, and not every run needs it
    from rich.markup import escape
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    print(form, file=sys.stderr)
    columns = BarColumn(WIDTH), TextColumn("{task.description}")
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(escape(status.text()), total=status.count)
        while not over.wait(OFTEN / 4):
            bar.update(task, completed=status.done, description=escape(status.text()))
