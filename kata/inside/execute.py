"""Executes one file of an exercise, in this process or in a worker."""

import linecache
import sys
from dataclasses import dataclass
from types import ModuleType


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
    """The module, in a package in which exactly the needed earlier exercises can be imported."""
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
    remember_lines(part)
    exec(compile(part.text, part.path, "exec"), module.__dict__)
    return module


def remember_lines(part: Part) -> None:
    """Tracebacks show these lines, even if the file removes or replaces itself."""
    lines = part.text.splitlines(keepends=True)
    linecache.cache[part.path] = (len(part.text), None, lines, part.path)
