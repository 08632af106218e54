"""Executes one file of an exercise, in this process or in a worker; its errors as plain data.

`kata.course.target` calls it for learners, `session` and `roles` in a worker. It locks nothing: who
calls it for a stranger's file has put on the locks before.
"""

import linecache
import re
import sys
import traceback
from dataclasses import dataclass
from types import ModuleType

from kata.text import MORE, clean, cut

LONGEST_TEXT = 300
LONGEST_NAME = 60  # of a class
MOST_KINDS = 50  # of which a class is one


@dataclass(frozen=True)
class Part:
    """A text, the package that it is executed in, and what it can import from there.

    Args:
        package: a name that is used only once.
        slug: the name of the file in it.
        path: the file that tracebacks name.
        text: what is executed.
        needs: earlier exercises, each with the name of the module that serves as it.
    """

    package: str
    slug: str
    path: str
    text: str
    needs: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The name of the module that it becomes."""
        return f"{self.package}.{self.slug}"


def execute(part: Part) -> ModuleType:
    """Make the module, in a package in which exactly the needed exercises can be imported."""
    package = ModuleType(part.package)
    package.__path__ = []
    sys.modules[part.package] = package
    for slug, name in part.needs:
        sys.modules[f"{part.package}.{slug}"] = sys.modules[name]
        setattr(package, slug, sys.modules[name])
    module = ModuleType(part.name)
    module.__file__ = part.path
    module.__package__ = part.package
    sys.modules[part.name] = module
    remember_lines(part.path, part.text)
    exec(compile(part.text, part.path, "exec"), module.__dict__)
    return module


def remember_lines(path: str, text: str) -> None:
    """Let tracebacks show these lines, even if the file removes or replaces itself."""
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)


@dataclass(frozen=True)
class Frame:
    """One line of a traceback."""

    file: str
    line: int
    function: str


class Raised(Exception):  # noqa: N818  # it is not an error by itself, but carries one
    """An error of the learner's code: the names of its classes, its text, its traceback."""

    def __init__(self, kinds: list[str], text: str, frames: list[Frame]) -> None:
        super().__init__(kinds, text)
        self.kinds = kinds
        self.text = text
        self.frames = frames


def raised(error: BaseException) -> Raised:
    """Return the same error, without references to objects of the process that raised it."""
    if isinstance(error, Raised):
        return error
    kinds = [cut(kind.__name__, LONGEST_NAME, MORE) for kind in type(error).__mro__[:MOST_KINDS]]
    frames = [Frame(frame.f_code.co_filename, line, frame.f_code.co_name)
              for frame, line in traceback.walk_tb(error.__traceback__)]  # fmt: skip
    return Raised(kinds, _text(error), frames)


def _text(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # a learner's exception class may do anything
        return "(its message cannot be read)"
    text = re.sub(r"'kata_target_\w+\.(\w+)' \(.*?\)", r"`.\1`", text)  # the package is ours
    if len(text) <= LONGEST_TEXT:
        return text
    return f"{clean(text[:LONGEST_TEXT])}… ({len(text)} characters)"
