"""Watching a folder: whatever is saved is judged; the next exercise waits for a key."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from kata.course.curriculum import Exercise, exercises
from kata.course.source import UnusableError
from kata.errors import UserError
from kata.files import room_membership
from kata.learner.help import hint_lines, next_hint, no_hint
from kata.learner.progress import Progress, learner
from kata.learner.status import outlook, standing, statuses
from kata.learner.waiting_judge import LearnerJudge, WaitingJudges, remember
from kata.live.attending import share
from kata.terminal.board import board, closing
from kata.terminal.message import message, prints, watch_headline
from kata.terminal.style import Style
from kata.text import clean
from kata.verdict import ExerciseVerdict, State

KEYS = "n next   h hint   a all   enter again   ? keys   q quit"
KEYS_IN_A_ROOM = KEYS.replace("? keys", "s show the leader your code   ? keys")
NOTHING_YET = "nothing has been judged yet: save a file"
BLINK = 1  # seconds after which to look up, since Ctrl-C on Windows does not end a wait
PAUSE = 0.05  # seconds between two checks of the folder, without watchfiles
SETTLE = 20  # milliseconds in which an editor writes one file
DOUBT = 500  # milliseconds after which to check anyway: an event can be missed
Stamp = tuple[int, int, int]
MOST = 64  # bytes of one key or of a few
ESCAPE = "\x1b"


class Watcher:
    """Handles one event at a time; others wait in a queue."""

    def __init__(
        self, folder: Path, exercises: Mapping[str, Exercise], style: Style, judges: WaitingJudges
    ) -> None:
        self._folder = folder
        self._exercises = exercises
        self._style = style
        self._events: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._waiting: list[str] = []
        self._judges = judges
        self._ready = False  # whether the first process that judges has imported everything
        self._running = ""
        self._judge: LearnerJudge | None = None  # the process that is judging
        self._current = ""
        self._hint_wanted = False
        self._keyed = False
        self._stale = False  # whether what is on the screen is about older saves
        self.status: int | None = None  # once the watch has ended

    def listen(
        self, source: Iterable[Any], heard: Callable[[Any], None], ended: Callable[[], None]
    ) -> None:
        """Queue an event for each item of a source, from a thread of its own."""

        def forward() -> None:
            for item in source:
                self._events.put(lambda item=item: heard(item))  # type: ignore[misc]  # bound now
            self._events.put(ended)

        Thread(target=forward, daemon=True).start()

    def begin(self, *, keyed: bool) -> None:
        """Greet the learner with the keys, if there are any, and the board; judge what is begun."""
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
        """Handle events until one of them ends the watch; the exit status."""
        try:
            self.warm_up()
            while self.status is None:
                with suppress(Empty):
                    self.handle_one()
            return self.status
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C ends nothing sooner
            self.end()

    def handle_one(self, patience: float = BLINK) -> None:
        """Handle the next event; raises Empty if there is none for so many seconds."""
        self._events.get(timeout=patience)()

    def end(self) -> None:
        """Kill the processes that judge, and those that wait."""
        self._dismiss()
        self._judges.end()

    def warm_up(self) -> None:
        """Begin to wait for the imports; keys and saves are heard meanwhile."""
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
        """Judge what was saved; stop judging an older version of it."""
        wanted = [slug for slug in slugs if slug in self._exercises]
        self._stale = True
        if self._running in wanted:
            self._dismiss()
        self._waiting += [slug for slug in wanted if slug not in self._waiting]
        self._start()

    def pressed(self, key: str) -> None:
        """Do what the key stands for; any other lists the keys."""
        keys: dict[str, Callable[[], None]] = {
            "n": self._next,
            "h": self._hint,
            "a": self._all,
            "\n": lambda: self.saved([self._current] if self._current else []),
            "q": self.quit,
            "s": self._share,
        }
        keys.get(key, self._keys)()

    def quit(self, status: int = 0) -> None:
        """Stop watching."""
        self.status = status

    def quit_at_once(self, status: int = 0) -> None:
        """Stop watching from a signal handler, which can run while the queue is empty."""
        self._events.put(partial(self.quit, status))

    def gone(self) -> None:
        """End the watch, as the folder was deleted."""
        self._say(clean(f"{self._path} is gone"))
        self.status = 1

    def _start(self) -> None:
        if not self._ready or self._running or not self._waiting:
            return
        slug, judge, begun = self._waiting.pop(0), self._judges.take(), time.perf_counter()
        self._running = self._current = slug
        self._judge = judge
        digest = learner(self._folder, Progress(self._folder)).digest(slug)

        def work() -> None:
            latest = None
            for verdict in judge.judge(self._exercises[slug]):
                if latest is None:
                    self._tell(judge, partial(self._head, verdict, time.perf_counter() - begun))
                latest = verdict
            if latest is not None:
                self._tell(judge, partial(self._judged, latest, digest))

        Thread(target=work, daemon=True).start()

    def _tell(self, judge: LearnerJudge, event: Callable[[], None]) -> None:
        """Queue an event that counts only while this process is the one that is judging."""
        self._events.put(lambda: event() if judge is self._judge else None)

    def _judged(self, verdict: ExerciseVerdict, digest: str) -> None:
        self._body(verdict)
        self._dismiss()
        if line := remember(self._folder, verdict, digest):
            self._say(line)
        self._judges.fill()  # it gets ready while the learner reads
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
        """The status, at once; what is about older saves makes room for it."""
        if self._stale:
            self._make_room()
        self._stale = False
        self._say("", watch_headline(verdict, seconds, self._style))

    def _body(self, verdict: ExerciseVerdict) -> None:
        """The first failure, once its cause has been looked for; what the call has printed."""
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
        """Show the board, and judge the exercise that comes next."""
        self._make_room()
        if first := self._board():
            self.saved([first.slug])
            self._stale = False

    def _board(self) -> ExerciseVerdict | None:
        """Show what is known, and return what comes next."""
        verdicts = list(statuses(self._folder, self._exercises))
        ahead = outlook(self._folder, verdicts)
        self._say("", *board(verdicts, self._exercises, self._path, self._style, ahead))
        return ahead.next

    def _ahead(self) -> list[str]:
        """What comes next, in the words of the board."""
        ahead = outlook(self._folder, list(statuses(self._folder, self._exercises)))
        return closing(ahead, self._exercises, self._path, self._style)

    def _all(self) -> None:
        there = [s for s, e in self._exercises.items() if (self._folder / e.filename).exists()]
        self.saved(there)

    def _hint(self) -> None:
        """One more hint on the exercise that was judged last, or is being judged."""
        if self._running:
            self._hint_wanted = True
        elif self._current:
            self._say(*self._hints(self._exercises[self._current]))
        else:
            self._say(NOTHING_YET)

    def _hints(self, exercise: Exercise) -> list[str]:
        memory = Progress(self._folder)
        try:
            source = learner(self._folder, memory).source(exercise.slug)
        except UnusableError as error:
            return [str(error)]
        verdict = standing(self._folder, exercise, memory)
        if verdict.done:
            return [no_hint(exercise)]
        hints = next_hint(memory, exercise, verdict, source)
        return hint_lines(hints, memory, exercise, self._style)

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
        """An empty screen in a terminal; what was on it can be scrolled back to."""
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
    """Share the code, and yield the outcome; nothing is sent before somebody asks for that line."""
    try:
        text = learner(folder, Progress(folder)).source(slug).text
        yield share(folder, slug, text)
    except (UserError, UnusableError) as error:
        yield str(error)


def changes(
    folder: Path, *, poll: bool = False, ticks: Iterable[object] = ()
) -> Iterator[list[str]]:
    """The slugs of what is saved from now on, in course order; ends when the folder is gone.

    Args:
        folder: the learner's.
        poll: whether it looks at the files instead of waiting to hear of a change.
        ticks: an item whenever it is time to check, if another clock than the folder's says so.
    """
    return _changes(folder, _seen(folder), ticks or _ticks(folder, poll=poll))


def _changes(
    folder: Path, before: dict[str, Stamp], ticks: Iterable[object]
) -> Iterator[list[str]]:
    for _ in ticks:
        now = _seen(folder)
        if saved := [slug for slug, stamp in now.items() if stamp != before.get(slug)]:
            yield saved
        before = now
        if not folder.is_dir():
            return


def _ticks(folder: Path, *, poll: bool) -> Iterator[object]:
    """An item whenever it is time to check: at once, or after DOUBT on some network folders."""
    try:
        from watchfiles import watch
    except ImportError:
        poll = True
    while poll:
        time.sleep(PAUSE)
        yield None
    yield from watch(
        folder,
        debounce=SETTLE,
        step=SETTLE // 2,
        rust_timeout=DOUBT,
        yield_on_timeout=True,
        recursive=False,
        raise_interrupt=False,
    )


def _seen(folder: Path) -> dict[str, Stamp]:
    stamps = {}
    for slug, exercise in exercises().items():
        try:
            status = (folder / exercise.filename).stat()
        except OSError:
            continue
        stamps[slug] = (status.st_mtime_ns, status.st_size, status.st_ino)
    return stamps


@contextmanager
def single_keys() -> Iterator[None]:
    """The terminal passes on each key at once; its settings are restored afterwards."""
    if sys.platform == "win32":
        yield
        return
    import termios
    import tty

    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    tty.setcbreak(number)
    try:
        yield
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


def keys() -> Iterator[str]:
    """The keys as they are pressed, until the input ends; one with many characters is an ESCAPE."""
    while pressed := _pressed():
        yield from [ESCAPE] if pressed.startswith(ESCAPE) else pressed.lower()


def _pressed() -> str:
    """One key; or what was typed while nobody looked."""
    if sys.platform == "win32":
        import msvcrt

        key = msvcrt.getwch()
        if key in {"\0", "\xe0"}:  # an arrow, or a key like F1: its code follows
            return ESCAPE + msvcrt.getwch()
        return key.replace("\r", "\n")
    return os.read(sys.stdin.fileno(), MOST).decode("utf-8", "replace")
