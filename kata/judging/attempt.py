"""An attempt at an exercise: the learner's file, loaded once and run so that errors become data."""

import linecache
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from kata.course.curriculum import Exercise, exercises
from kata.course.source import UnusableError, shortened
from kata.course.target import SUBMISSION, Target
from kata.inside.execution import Frame, Raised, raised
from kata.judging.case import Case
from kata.text import MORE, cut

if TYPE_CHECKING:
    from kata.inside.objects import Objects  # with it comes numpy

MOST_FRAMES = 6  # of the learner's own, in a message
LONGEST_NAME = 60  # of a function
UNNAMED = {"<module>", "<lambda>", "<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"}
IMPORT = "import"  # the name under which loading the file is guarded


class LearnerError(Exception):
    """The learner's code raised; `by_hand` if their own `raise` or `assert` did, in their words."""

    def __init__(
        self,
        error: Raised,
        frames: list[str],
        line: int = 0,
        *,
        file: str = "",
        by_hand: bool = False,
    ) -> None:
        super().__init__(": ".join(filter(None, [error.kinds[0], error.text])))
        self.kinds = error.kinds
        self.text = error.text
        self.frames = frames
        self.line = line
        self.file = file  # where the line is, if not in that of the exercise
        self.by_hand = by_hand


class LoadError(LearnerError):
    """The learner's file raised while it was imported: nothing in it can be judged."""


def not_importable(file: str) -> str:
    """Return the message about a file in which no claim can be checked."""
    return f"{file} raises when it is imported"


class NotWrittenError(Exception):
    """The learner's function still raises the stub's NotImplementedError."""

    def __init__(self, name: str, line: int) -> None:
        super().__init__(f"`{name}` is not written yet: line {line} still raises")
        self.line = line


class MissingError(Exception):
    """A name, a parameter or a method that the contract asks for does not exist."""


class BlockedError(Exception):
    """An earlier failure makes this claim impossible to judge."""


class Attempt:
    """An exercise of a target: loaded once, at the first call; a failure to load it is remembered.

    Without `remarks` no message speaks of the text of the code, which takes time to read.
    """

    def __init__(self, exercise: Exercise, target: Target, *, remarks: bool = True) -> None:
        self.exercise = exercise
        self.target = target
        self.remarks = remarks
        self.hung: set[str] = set()
        self._bench: Objects | None = None
        self._failed = False
        self._prepare()

    def _prepare(self) -> None:
        """Load what would otherwise be loaded in the time of some claim."""
        for name in self.exercise.imports:
            import_module(name)

    def begin(self, case: Case) -> None:
        """Begin a claim: set its seed, and drop the modules of the previous one."""
        if case.library == "torch":
            _seed_torch(case)
        if self._bench:
            self._bench.forget()

    def load(self) -> "Objects":
        """Return the objects of the learner's file; after a failure, block every claim."""
        if self._failed:
            raise BlockedError(f"{self.exercise.filename} could not be loaded")
        if self._bench is None:
            self._failed = True
            with self.guarded(IMPORT):
                self._bench = self._open()
            self._failed = False
        return self._bench

    def _open(self) -> "Objects":
        from kata.inside.objects import Objects

        return Objects(vars(self.target.module(self.exercise.slug)))

    @contextmanager
    def guarded(self, name: str) -> Iterator[None]:
        """Run the learner's code: errors become data, and code that timed out is not run again."""
        if name in self.hung:
            raise BlockedError(f"`{name}` ran out of time in an earlier claim")
        stdin, sys.stdin = sys.stdin, _NoInput()
        try:
            yield
        except (Exception, SystemExit) as error:
            raise self._translated(error, name) from None
        except BaseException:  # the time limit
            self.hung.add(name)
            raise
        finally:
            sys.stdin = stdin

    def _translated(self, error: BaseException, name: str) -> Exception:
        if isinstance(error, (UnusableError, MissingError, NotWrittenError, BlockedError)):
            return error
        kind = LoadError if name == IMPORT else LearnerError
        data = raised(error)
        own = [frame for frame in data.frames if self._is_own(frame)]
        line = self._confirmed(own[-1]).line if own else 0
        by_hand = bool(own) and self._code(own[-1]).startswith(("raise", "assert"))
        if "NotImplementedError" in data.kinds and by_hand:  # libraries raise it too, from C
            return NotWrittenError(name, line)
        file = self._other_file(own[-1]) if own else ""
        return kind(data, self._in_words(own), line, file=file, by_hand=by_hand)

    def _other_file(self, frame: Frame) -> str:
        """Return the file of an earlier exercise that a frame is in; empty for that of this one."""
        name = Path(frame.file).name
        return "" if name == self.exercise.filename else name

    def own_frames(self, trace: TracebackType | None) -> list[str]:
        """Return the learner's part of a traceback, in words."""
        return self._in_words(self._own(trace))

    def own_line(self, trace: TracebackType | None) -> int:
        """Return the last line of this exercise's file in a traceback; 0 if there is none."""
        frames = reversed(self._own(trace))
        return next((frame.line for frame in frames if not self._other_file(frame)), 0)

    def _own(self, trace: TracebackType | None) -> list[Frame]:
        codes = ((frame.f_code, line) for frame, line in traceback.walk_tb(trace))
        frames = [Frame(code.co_filename, line, code.co_name) for code, line in codes]
        return [frame for frame in frames if self._is_own(frame)]

    def _in_words(self, frames: list[Frame]) -> list[str]:
        """Write a line that calls itself once, and of a long chain the ends."""
        calls = [(frame, len([*same])) for frame, same in groupby(frames)]
        if len(calls) <= MOST_FRAMES:
            return [self._call_in_words(*call) for call in calls]
        half = MOST_FRAMES // 2
        more = sum(count for _, count in calls[half:-half])
        ends = [self._call_in_words(*call) for call in calls[:half] + calls[-half:]]
        return [*ends[:half], f"… {more} more calls …", *ends[half:]]

    def _call_in_words(self, call: Frame, times: int) -> str:
        frame = self._confirmed(call)
        path = Path(frame.file)
        where = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
        place = f"{where}:{frame.line} in {cut(frame.function, LONGEST_NAME, MORE)}"
        if times > 1:
            place = f"{place}, {times} times"
        return f"{place}\n    {self._code(call)}"

    def _confirmed(self, frame: Frame) -> Frame:
        """Drop what the file's text does not confirm: a worker can claim any line and name."""
        text = self._text(frame)
        if not text and self.target.folder != SUBMISSION:  # another file of the learner's own
            return frame
        is_named = frame.function in UNNAMED or frame.function in text
        line = frame.line if 0 < frame.line <= len(text.splitlines()) else 0
        return Frame(frame.file, line, frame.function if is_named else "?")

    def _text(self, frame: Frame) -> str:
        """Return the text of an exercise file; empty for any other."""
        slug = Path(frame.file).stem
        try:
            return self.target.source(slug).text if slug in exercises() else ""
        except UnusableError:
            return ""

    def _code(self, frame: Frame) -> str:
        """Return the line that runs, from this target's text: others may have the same path."""
        source = self.target.source(self.exercise.slug)
        if frame.file == str(source.path):
            return source.line(frame.line)
        return shortened(linecache.getline(frame.file, frame.line).strip())

    def _is_own(self, frame: Frame) -> bool:
        """Tell if a frame is in the learner's work; an environment below the folder is not."""
        path = Path(frame.file)
        is_exercise = path.suffix == ".py" and path.stem in exercises()
        inside = path.parent == self.target.folder
        return inside and (is_exercise or self.target.folder != SUBMISSION)


class _NoInput:
    """A standard input that cannot be read."""

    def readline(self, *_: object) -> str:
        raise OSError("standard input cannot be read here: a claim gives its inputs as arguments")

    read = readlines = __iter__ = __next__ = readline
    fileno = isatty = readline
    encoding, errors, closed = "utf-8", "strict", False


def _seed_torch(case: Case) -> None:
    """Seed the generators in use; torch.manual_seed also looks for missing ones, which is slow."""
    import torch

    torch.default_generator.manual_seed(case.code_seed)
    if case.device == "cuda":
        torch.cuda.manual_seed_all(case.code_seed)
