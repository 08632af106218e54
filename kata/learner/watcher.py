"""The watcher of a folder: it judges a file when it is saved, and does what a key stands for."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from kata.course.curriculum import Exercise
from kata.course.source import UnusableError
from kata.errors import UserError
from kata.files import room_membership
from kata.learner.help import hint_lines, next_hint, no_hint
from kata.learner.progress import Progress, learner_target
from kata.learner.status import outlook, standing, statuses
from kata.learner.waiting_judge import LearnerJudge, WaitingJudges, remember
from kata.live.attending import share
from kata.terminal.board import board, closing, status_line
from kata.terminal.message import message, prints
from kata.terminal.style import Style
from kata.text import clean
from kata.verdict import ExerciseVerdict, State

KEYS = "n next   h hint   a all   enter again   ? keys   q quit"
KEYS_IN_A_ROOM = KEYS.replace("? keys", "s show the leader your code   ? keys")
NOTHING_YET = "nothing has been judged yet: save a file"
# Seconds after which to look up, since Ctrl-C on Windows does not end a wait.
BLINK = 1


class Watcher:
    """Handles one event at a time; further events wait in a queue.

    Attributes:
        status: the exit status once the watch has ended.
    """

    def __init__(
        self, folder: Path, exercises: Mapping[str, Exercise], style: Style, judges: WaitingJudges
    ) -> None:
        self._folder = folder
        self._exercises = exercises
        self._style = style
        self._events: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._waiting: list[str] = []
        self._judges = judges
        self._ready = False  # whether the first judge has imported everything
        self._running = ""  # the exercise that is being judged
        self._judge: LearnerJudge | None = None
        self._current = ""  # the exercise that was judged last, or is being judged
        self._hint_wanted = False
        self._keyed = False  # whether there are keys
        self._stale = False  # whether the screen is about older saves
        self.status: int | None = None

    def listen(
        self, source: Iterable[Any], handle: Callable[[Any], None], end: Callable[[], None]
    ) -> None:
        """Queue an event for every item of a source, from a thread of its own."""

        def forward() -> None:
            for item in source:
                self._events.put(partial(handle, item))
            self._events.put(end)

        Thread(target=forward, daemon=True).start()

    def begin(self, *, keyed: bool) -> None:
        """Show the keys, if there are any, and the board; judge the exercise that is begun."""
        self._keyed = keyed
        self._say(*self._style.wrap(f"watching {self._path}: save a file to judge it"))
        if keyed:
            self._keys()
        first = self._board()
        self._current = first.slug if first else ""
        if first and first.state is not State.NOT_STARTED:
            self._waiting.append(first.slug)
        self._say("", *self._style.wrap("importing torch … what you save meanwhile will be judged"))

    def work(self) -> int:
        """Handle events until one of them ends the watch; return the exit status."""
        try:
            self.warm_up()
            while self.status is None:
                with suppress(Empty):
                    self.handle_one()
            return self.status
        finally:
            # A second Ctrl-C ends nothing sooner.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            self.end()

    def handle_one(self, patience: float = BLINK) -> None:
        """Handle the next event; raise Empty if there is none for so many seconds."""
        self._events.get(timeout=patience)()

    def end(self) -> None:
        """Kill the processes that judge, and those that wait."""
        self._dismiss()
        self._judges.end()

    def warm_up(self) -> None:
        """Start the first judge in the background; keys and saves are handled meanwhile."""
        Thread(target=self._fill, daemon=True).start()

    def _fill(self) -> None:
        try:
            self._judges.fill()
        finally:
            self._events.put(self._warm)

    def _warm(self) -> None:
        self._ready = True
        self._start()

    def saved(self, slugs: Sequence[str]) -> None:
        """Judge the files that were saved; stop judging an older version of one."""
        wanted = [slug for slug in slugs if slug in self._exercises]
        self._stale = True
        if self._running in wanted:
            self._dismiss()
        self._waiting += [slug for slug in wanted if slug not in self._waiting]
        self._start()

    def pressed(self, key: str) -> None:
        """Do what the key stands for; any other key lists the keys."""
        actions: dict[str, Callable[[], None]] = {
            "n": self._next,
            "h": self._hint,
            "a": self._all,
            "\n": lambda: self.saved([self._current] if self._current else []),
            "q": self.quit,
            "s": self._share,
        }
        actions.get(key, self._keys)()

    def quit(self, status: int = 0) -> None:
        """Stop watching."""
        self.status = status

    def quit_at_once(self, status: int = 0) -> None:
        """Stop watching from a signal handler, which may interrupt the wait for an event."""
        self._events.put(partial(self.quit, status))

    def gone(self) -> None:
        """End the watch, as the folder was deleted."""
        self._say(clean(f"{self._path} is gone"))
        self.status = 1

    def _start(self) -> None:
        if not self._ready or self._running or not self._waiting:
            return
        slug, judge, start = self._waiting.pop(0), self._judges.take(), time.perf_counter()
        self._running = self._current = slug
        self._judge = judge
        digest = learner_target(self._folder, Progress(self._folder)).digest(slug)

        def work() -> None:
            latest = None
            for verdict in judge.judge(self._exercises[slug]):
                if latest is None:
                    self._tell(judge, partial(self._head, verdict, time.perf_counter() - start))
                latest = verdict
            if latest is not None:
                self._tell(judge, partial(self._judged, latest, digest))

        Thread(target=work, daemon=True).start()

    def _tell(self, judge: LearnerJudge, event: Callable[[], None]) -> None:
        """Queue an event that is dropped once this judge was dismissed."""
        self._events.put(lambda: event() if judge is self._judge else None)

    def _judged(self, verdict: ExerciseVerdict, digest: str) -> None:
        self._body(verdict)
        self._dismiss()
        if line := remember(self._folder, verdict, digest):
            self._say(line)
        # The next judge gets ready while the learner reads.
        self._judges.fill()
        if verdict.done:
            self._say(*self._ahead())
        if self._hint_wanted:
            self._hint_wanted = False
            self._hint()
        if self._keyed and not self._waiting:
            self._keys()
        self._start()

    def _dismiss(self) -> None:
        """Kill the process that is judging, whatever it is doing."""
        if self._judge:
            self._judge.end()
        self._running, self._judge = "", None

    def _head(self, verdict: ExerciseVerdict, seconds: float) -> None:
        """Show the status at once; lines about older saves make room for it."""
        if self._stale:
            self._make_room()
        self._stale = False
        self._say("", status_line(verdict, seconds, self._style))

    def _body(self, verdict: ExerciseVerdict) -> None:
        """Show the first failure with its cause, and what its call has printed."""
        failed = verdict.first_wrong
        if failed and failed.message:
            beside = verdict.beside(failed)
            self._say(message(failed.message, self._style, verdict.diagnosis, beside))
            file = failed.message.file or self._exercises[verdict.slug].filename
            place = f"{self._path / file}:{failed.message.line or 1}"
            self._say(clean(f"  at {place}"))
        if printed := prints(verdict):
            self._say(*printed)

    def _next(self) -> None:
        """Show the board, and judge the next exercise."""
        self._make_room()
        if first := self._board():
            self.saved([first.slug])
            self._stale = False

    def _board(self) -> ExerciseVerdict | None:
        """Show the board, and return the exercise that comes next."""
        verdicts = list(statuses(self._folder, self._exercises))
        ahead = outlook(self._folder, verdicts)
        self._say("", *board(verdicts, self._exercises, self._path, self._style, ahead))
        return ahead.next

    def _ahead(self) -> list[str]:
        ahead = outlook(self._folder, list(statuses(self._folder, self._exercises)))
        return closing(ahead, self._exercises, self._path, self._style)

    def _all(self) -> None:
        self.saved(
            [
                slug
                for slug, exercise in self._exercises.items()
                if (self._folder / exercise.filename).exists()
            ]
        )

    def _hint(self) -> None:
        """Show one more hint on the exercise that was judged last, or is being judged."""
        if self._running:
            self._hint_wanted = True
        elif self._current:
            self._say(*self._hints(self._exercises[self._current]))
        else:
            self._say(NOTHING_YET)

    def _hints(self, exercise: Exercise) -> list[str]:
        progress = Progress(self._folder)
        try:
            source = learner_target(self._folder, progress).source(exercise.slug)
        except UnusableError as error:
            return [str(error)]
        verdict = standing(self._folder, exercise, progress)
        if verdict.done:
            return [no_hint(exercise)]
        hints = next_hint(progress, exercise, verdict, source)
        return hint_lines(hints, progress, exercise, self._style)

    def _share(self) -> None:
        """Show the room's leader the file that was judged last; a thread waits for the room."""
        if self._current:
            lines = share_by_key(self._folder, self._current)
            self.listen(lines, lambda line: self._say(*self._style.wrap(line)), lambda: None)
        else:
            self._say(NOTHING_YET)

    def _keys(self) -> None:
        joined = room_membership(self._folder).exists()
        self._say(self._style.paint(KEYS_IN_A_ROOM if joined else KEYS, "dim"))

    def _make_room(self) -> None:
        """Empty the screen of a terminal; the older lines can be scrolled back to."""
        if self._keyed and self._style.moves:
            lines = os.get_terminal_size(sys.stdout.fileno()).lines
            print("\n" * lines, end="\033[H\033[J", flush=True)

    @property
    def _path(self) -> Path:
        """The folder as the learner would type it."""
        here = Path.cwd()
        return self._folder.relative_to(here) if self._folder.is_relative_to(here) else self._folder

    def _say(self, *lines: str) -> None:
        print(*lines, sep="\n", flush=True)


def share_by_key(folder: Path, slug: str) -> Iterator[str]:
    """Share the code, and yield the outcome; nothing is sent before the line is asked for."""
    try:
        text = learner_target(folder, Progress(folder)).source(slug).text
        yield share(folder, slug, text)
    except (UserError, UnusableError) as error:
        yield str(error)
