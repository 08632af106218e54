"""One file of an exercise as it is executed, here or in another process."""

import linecache
import sys
from dataclasses import dataclass
from types import ModuleType


@dataclass(frozen=True)
class Part:
    """A text, the package that it becomes a part of, and what it can import from there.

    Args:
        package: a name that nobody else uses.
        slug: the name of the file in it.
        path: where tracebacks say that it lies.
        text: what is executed.
        needs: earlier exercises, each with the name of the module that stands for it.
    """

    package: str
    slug: str
    path: str
    text: str
    needs: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The module that comes of it."""
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
    _remember_lines(part)
    exec(compile(part.text, part.path, "exec"), module.__dict__)
    return module


def _remember_lines(part: Part) -> None:
    """Tracebacks show these lines, even if the file removes or replaces itself."""
    lines = part.text.splitlines(keepends=True)
    linecache.cache[part.path] = (len(part.text), None, lines, part.path)
