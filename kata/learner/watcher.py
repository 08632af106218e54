"""Watching a folder: whatever is saved is judged; the next exercise waits for a key."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from kata.course.curriculum import Exercise
from kata.course.source import UnusableError
from kata.learner.hints import hints_for, told
from kata.learner.progress import Progress, learner
from kata.learner.status import known
from kata.learner.waiting_judge import LearnerJudge, WaitingJudges, remember
from kata.terminal.board import board, standing
from kata.terminal.message import message
from kata.terminal.style import Style
from kata.verdict import ExerciseVerdict, State
from kata.words import say


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
        self._running = ""
        self._judge: LearnerJudge | None = None  # the process that is judging
        self._current = ""
        self._hint_wanted = False
        self._status: int | None = None

    def listen(
        self, source: Iterable[Any], heard: Callable[[Any], None], ended: Callable[[], None]
    ) -> None:
        """Queue an event for each item of a source, from a thread of its own."""

        def forward() -> None:
            for each in source:
                self._events.put(lambda each=each: heard(each))  # type: ignore[misc]  # bound now
            self._events.put(ended)

        Thread(target=forward, daemon=True).start()

    def begin(self, *, keyed: bool) -> None:
        """Greet the learner, and list the keys if there are any."""
        self._say(say("learner.watch.begin", folder=self._folder))
        if keyed:
            self._say(self._style.paint(say("learner.watch.keys"), "dim"))

    def work(self) -> int:
        """Handle events until one of them ends the watch; the exit status."""
        try:
            while self._status is None:
                self._events.get()()
            return self._status
        finally:
            self._dismiss()
            self._judges.end()

    def saved(self, slugs: Sequence[str]) -> None:
        """Judge what was saved; stop judging an older version of it."""
        wanted = [slug for slug in slugs if slug in self._exercises]
        if self._running in wanted:
            self._dismiss()
        self._waiting += [slug for slug in wanted if slug not in self._waiting]
        self._start()

    def pressed(self, key: str) -> None:
        """Do what the key stands for."""
        keys: dict[str, Callable[[], None]] = {
            "n": self._next,
            "h": self._hint,
            "a": self._all,
            "\n": lambda: self.saved([self._current] if self._current else []),
            "q": self.quit,
        }
        keys.get(key, lambda: None)()

    def quit(self) -> None:
        """Stop watching."""
        self._status = 0

    def quit_at_once(self) -> None:
        """Stop watching from a signal handler, which can run while the queue is empty."""
        self._events.put(self.quit)

    def gone(self) -> None:
        """The folder was deleted."""
        self._say(say("learner.watch.gone", folder=self._folder))
        self._status = 1

    def _start(self) -> None:
        if self._running or not self._waiting:
            return
        slug, judge, begun = self._waiting.pop(0), self._judges.take(), time.perf_counter()
        self._running = self._current = slug
        self._judge = judge
        digest = learner(self._folder, Progress(self._folder)).digest(slug)

        def work() -> None:
            found = None
            for each in judge.judge(self._exercises[slug]):
                if found is None:
                    self._tell(judge, partial(self._head, each, time.perf_counter() - begun))
                found = each
            if found is not None:
                self._tell(judge, partial(self._judged, found, digest))

        Thread(target=work, daemon=True).start()

    def _tell(self, judge: LearnerJudge, event: Callable[[], None]) -> None:
        """Queue an event that counts only while this process is the one that is judging."""
        self._events.put(lambda: event() if judge is self._judge else None)

    def _judged(self, found: ExerciseVerdict, digest: str) -> None:
        self._body(found, self._judge.printed if self._judge else "")
        self._dismiss()
        remember(self._folder, found, digest)
        self._judges.fill()  # it gets ready while the learner reads
        if self._hint_wanted:
            self._hint_wanted = False
            self._hint()
        self._start()

    def _dismiss(self) -> None:
        """Kill the process that is judging, whatever it is doing."""
        if self._judge:
            self._judge.end()
        self._running, self._judge = "", None

    def _head(self, found: ExerciseVerdict, seconds: float) -> None:
        """The status, at once."""
        state = State.SKIPPED if found.in_work else found.state
        mark = self._style.marks.get(state, self._style.marks[State.FAILED])
        about = {"mark": mark, "slug": found.slug, "standing": standing(found), "seconds": seconds}
        head = say("learner.watch.judged", time=time.strftime("%H:%M:%S"), **about)
        self._say("", self._style.paint(head, "bold", "green" if found.done else "red"))

    def _body(self, found: ExerciseVerdict, printed: str) -> None:
        """The first failure, once its cause has been looked for."""
        failed = found.first_failure
        if failed and failed.message and failed.state is not State.NOT_STARTED:
            self._say(message(failed.message, self._style, found.diagnosis))
            place = f"{self._folder / self._exercises[found.slug].filename}:{found.line}"
            self._say(say("learner.watch.place", place=place))
        if printed and not found.done:
            self._say(say("learner.watch.printed"), printed)

    def _next(self) -> None:
        """Show the board, and judge the exercise that comes next."""
        verdicts = list(known(self._folder, self._exercises))
        self._say(*board(verdicts, self._exercises, self._folder, self._style))
        if first := next((each.slug for each in verdicts if not each.done), ""):
            self.saved([first])

    def _all(self) -> None:
        there = [s for s, e in self._exercises.items() if (self._folder / e.filename).exists()]
        self.saved(there)

    def _hint(self) -> None:
        """One more hint on the exercise that was judged last, or is being judged."""
        if self._running:
            self._hint_wanted = True
            return
        memory = Progress(self._folder)
        target = learner(self._folder, memory)
        if not self._current:
            return
        try:
            source = target.source(self._current)
        except UnusableError as error:
            self._say(str(error))
            return
        found = memory.verdict(self._current, target.digest(self._current))
        exercise = self._exercises[self._current]
        if found and not found.done:
            self._say(*told(memory, exercise, hints_for(exercise, found, source), self._style))

    def _say(self, *lines: str) -> None:
        print(*lines, sep="\n", flush=True)
