"""A folder of exercises, loaded as a package, with stand-ins for what is not there."""

import linecache
import sys
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from types import ModuleType

from kata.curriculum import SOLUTIONS, Exercise, exercises
from kata.source import Source, UnusableError, check_imports, parse, read, siblings

_numbers = count()


def nobody(slug: str) -> bool:  # noqa: ARG001  # it has to take what every such rule takes
    """The rule by which the reference stands in for every earlier exercise."""
    return False


class Target:
    """Exercises of one folder, each loaded into a package of its own.

    Args:
        folder: where the files lie.
        replaced: texts that stand for files of the folder (a bug, an accepted answer).
        trusts: whether the folder's own file may serve the exercises that need it.
    """

    def __init__(
        self,
        folder: Path,
        replaced: Mapping[str, str] | None = None,
        trusts: Callable[[str], bool] = nobody,
    ) -> None:
        self.folder = folder
        self.name = f"kata_target_{next(_numbers)}"
        self._replaced = dict(replaced or {})
        self._trusts = trusts
        self._sources: dict[str, Source] = {}
        self._modules: dict[str, ModuleType] = {}
        self._stand_ins: dict[str, tuple[str, ...]] = {}

    def source(self, slug: str) -> Source:
        """The file's text as it was when this target first saw it."""
        if slug not in self._sources:
            path = self.folder / f"{slug}.py"
            replaced = self._replaced.get(slug)
            self._sources[slug] = read(path) if replaced is None else parse(path, replaced)
        return self._sources[slug]

    def module(self, slug: str) -> ModuleType:
        """The exercise, executed once."""
        if slug not in self._modules:
            exercise = exercises()[slug]
            source = self.source(slug)
            check_imports(source, exercise)
            self._modules[slug] = self._execute(source, exercise)
        return self._modules[slug]

    def digest(self, slug: str) -> str:
        """What passes, if it passes: this text under this suite."""
        try:
            text = self.source(slug).text
        except UnusableError:
            return ""
        suite = exercises()[slug].suite.read_bytes()
        return sha256(text.encode("utf-8", "surrogatepass") + b"\0" + suite).hexdigest()

    def stand_ins(self, slug: str) -> tuple[str, ...]:
        """The earlier exercises for which the reference stood in when this one was loaded."""
        return self._stand_ins.get(slug, ())

    def _execute(self, source: Source, exercise: Exercise) -> ModuleType:
        package = self._package(source, exercise)
        module = ModuleType(f"{package}.{exercise.slug}")
        module.__file__ = str(source.path)
        module.__package__ = package
        sys.modules[module.__name__] = module
        _remember_lines(source)
        exec(compile(source.tree, str(source.path), "exec"), module.__dict__)
        return module

    def _package(self, source: Source, exercise: Exercise) -> str:
        """A package in which exactly the needed earlier exercises can be imported."""
        package = ModuleType(f"{self.name}_{exercise.short}")
        package.__path__ = []
        sys.modules[package.__name__] = package
        needed = sorted(siblings(source.tree) & set(exercise.needs))
        self._stand_ins[exercise.slug] = tuple(each for each in needed if not self._trusts(each))
        for need in needed:
            module = (self if self._trusts(need) else reference()).module(need)
            sys.modules[f"{package.__name__}.{need}"] = module
            setattr(package, need, module)
        return package.__name__


@cache
def reference() -> Target:
    """The solutions, which stand on one another."""
    return Target(SOLUTIONS, trusts=lambda _: True)


def _remember_lines(source: Source) -> None:
    """Tracebacks show these lines, even if the file removes or replaces itself."""
    lines = source.text.splitlines(keepends=True)
    linecache.cache[str(source.path)] = (len(source.text), None, lines, str(source.path))
