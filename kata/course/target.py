"""A folder of exercises, loaded as a package, with stand-ins for what is not there."""

from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from types import ModuleType

from kata.course import curriculum
from kata.course.curriculum import Exercise, exercises
from kata.course.source import Source, UnusableError, check_imports, decoded, parse, read, siblings
from kata.inside.execute import Part, execute

_numbers = count()
SUBMISSION = Path("submission")  # where tracebacks say that a text lies which is no file here


def nobody(slug: str) -> bool:  # noqa: ARG001  # it has to take what every such rule takes
    """The rule by which the reference stands in for every earlier exercise."""
    return False


class Target:
    """Exercises of one folder, each loaded into a package of its own.

    Args:
        folder: where the files lie.
        replaced: what stands for files of the folder (a bug, what somebody has handed in).
        trusts: whether the folder's own file may serve the exercises that need it.
    """

    def __init__(
        self,
        folder: Path,
        replaced: Mapping[str, str | bytes] | None = None,
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
            self._sources[slug] = read(path) if replaced is None else _parsed(path, replaced)
        return self._sources[slug]

    def module(self, slug: str) -> ModuleType:
        """The exercise, executed once."""
        if slug not in self._modules:
            part = self.part(slug)
            for need, _ in part.needs:
                self._owner(need).module(need)
            self._modules[slug] = execute(part)
        return self._modules[slug]

    def parts(self, slug: str) -> list[Part]:
        """All that has to be executed for this exercise, in order; it comes last."""
        part = self.part(slug)
        before = [each for need, _ in part.needs for each in self._owner(need).parts(need)]
        return [*dict.fromkeys(before), part]

    def part(self, slug: str) -> Part:
        """The exercise as it is executed, if it may be."""
        exercise, source = exercises()[slug], self.source(slug)
        check_imports(source, exercise)
        needed = sorted(siblings(source.tree) & set(exercise.needs))
        self._stand_ins[slug] = tuple(each for each in needed if not self._trusts(each))
        needs = tuple((each, self._owner(each).module_name(each)) for each in needed)
        return Part(self._package(exercise), slug, str(source.path), source.text, needs)

    def module_name(self, slug: str) -> str:
        """What the exercise is called among the modules of its process."""
        return f"{self._package(exercises()[slug])}.{slug}"

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

    def _owner(self, slug: str) -> "Target":
        """Whose file serves the exercises that need it."""
        return self if self._trusts(slug) else reference()

    def _package(self, exercise: Exercise) -> str:
        return f"{self.name}_{exercise.short}"


def _parsed(path: Path, content: str | bytes) -> Source:
    return parse(path, content if isinstance(content, str) else decoded(path.name, content))


@cache
def reference() -> Target:
    """The solutions, which stand on one another."""
    return Target(curriculum.SOLUTIONS, trusts=lambda _: True)
