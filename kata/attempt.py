"""One exercise of one target: loaded once, run behind a guard that turns errors into data."""

import linecache
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, ModuleType, TracebackType

from kata.curriculum import Exercise
from kata.source import UnusableError
from kata.target import Target
from kata.words import say

MOST_FRAMES = 6  # of the learner's own, in a message
IMPORT = "import"  # the name under which loading the file is guarded


class LearnerError(Exception):
    """The learner's code raised; `by_hand` if their own `raise` or `assert` did, in their words."""

    def __init__(
        self, error: BaseException, frames: list[str], line: int = 0, *, by_hand: bool = False
    ) -> None:
        super().__init__(f"{type(error).__name__}: {_text(error)}")
        self.kinds = [each.__name__ for each in type(error).__mro__]
        self.text = _text(error)
        self.frames = frames
        self.line = line
        self.by_hand = by_hand


class LoadError(LearnerError):
    """The learner's file raised while it was imported: nothing in it can be judged."""


class NotWrittenError(Exception):
    """The learner's function still raises the stub's NotImplementedError."""

    def __init__(self, name: str, line: int) -> None:
        super().__init__(say("attempt.not-written", name=name, line=line))
        self.line = line


class MissingError(Exception):
    """A name, a parameter or a method that the contract asks for is not there."""


class BlockedError(Exception):
    """Something that failed before makes this claim impossible to judge."""


class Attempt:
    """One exercise of one target: loaded once, at the first call, and remembered if that fails."""

    def __init__(self, exercise: Exercise, target: Target) -> None:
        self.exercise = exercise
        self.target = target
        self.hung: set[str] = set()
        self._module: ModuleType | None = None
        self._failed = False

    def load(self) -> ModuleType:
        """The learner's module; after a failure to load, every further claim is blocked."""
        if self._failed:
            raise BlockedError(say("attempt.not-loaded", file=self.exercise.filename))
        if self._module is None:
            self._failed = True
            with self.guarded(IMPORT):
                self._module = self.target.module(self.exercise.slug)
            self._failed = False
        return self._module

    @contextmanager
    def guarded(self, name: str) -> Iterator[None]:
        """Run the learner's code: errors become data, and what hung once is not run again."""
        if name in self.hung:
            raise BlockedError(say("attempt.hung", name=name))
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
        frames = list(traceback.walk_tb(error.__traceback__))
        own = [each for each in frames if self._is_own(each[0])]
        last = own[-1][1] if own else 0
        by_hand = bool(own) and self._code(*own[-1]).startswith(("raise", "assert"))
        if isinstance(error, NotImplementedError) and by_hand:  # libraries raise it too, from C
            return NotWrittenError(name, last)
        return kind(error, self._shown(own), last, by_hand=by_hand)

    def own_frames(self, trace: TracebackType | None) -> list[str]:
        """The learner's part of a traceback, in words."""
        return self._shown([each for each in traceback.walk_tb(trace) if self._is_own(each[0])])

    def _shown(self, frames: list[tuple[FrameType, int]]) -> list[str]:
        """Frames in words; of a long recursion the two ends."""
        words = [_frame(frame, line, self._code(frame, line)) for frame, line in frames]
        if len(words) <= MOST_FRAMES:
            return words
        left_out = say("attempt.more-calls", count=len(words) - MOST_FRAMES)
        return [*words[: MOST_FRAMES // 2], left_out, *words[-MOST_FRAMES // 2 :]]

    def _code(self, frame: FrameType, line: int) -> str:
        """The line that runs; of this target's own text, since others may have the same path."""
        path = frame.f_code.co_filename
        source = self.target.source(self.exercise.slug)
        if path == str(source.path):
            return source.text.splitlines()[line - 1].strip()
        return linecache.getline(path, line).strip()

    def _is_own(self, frame: FrameType) -> bool:
        """Of an exercise file; an environment below the folder is not the learner's work."""
        return Path(frame.f_code.co_filename).parent == self.target.folder


class _NoInput:
    """A standard input that answers nobody."""

    def readline(self, *_: object) -> str:
        raise OSError(say("attempt.no-input"))

    read = readlines = __iter__ = __next__ = readline
    fileno = isatty = readline
    encoding, errors, closed = "utf-8", "strict", False


def _frame(frame: FrameType, line: int, code: str) -> str:
    path = Path(frame.f_code.co_filename)
    where = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f"{where}:{line} in {frame.f_code.co_name}\n    {code}"


def _text(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # a learner's own exception may do anything
        return say("attempt.unreadable")
    text = re.sub(r"'kata_target_\w+\.(\w+)' \(.*?\)", r"`.\1`", text)  # the package is ours
    return text if len(text) <= 300 else say("attempt.cut", text=text[:300], length=len(text))
