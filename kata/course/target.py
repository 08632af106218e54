"""A folder of exercises, loaded as packages; earlier ones may be replaced by the reference."""

from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from types import ModuleType

from kata.course import curriculum
from kata.course.curriculum import Exercise, exercises
from kata.course.source import (
    Source,
    UnusableError,
    check_imports,
    decoded,
    first_line,
    not_started,
    parse,
    read,
    siblings,
)
from kata.inside.execution import Part, execute
from kata.verdict import ClaimVerdict, Message, State

SUBMISSION = Path("submission")  # the folder in tracebacks of texts that are not files here


_numbers = count()


def trust_none(slug: str) -> bool:  # noqa: ARG001  # the signature of `trusts`
    """The rule that uses the reference for every earlier exercise."""
    return False


class Target:
    """Exercises of one folder, each loaded into a package of its own.

    Args:
        folder: contains the files.
        replaced: texts that are used in place of files: a bug, or what a student handed in.
        trusts: whether later exercises use the folder's own file, or else the reference.
        solutions: the folder of the reference, if not the kata's own.
    """

    def __init__(
        self,
        folder: Path,
        replaced: Mapping[str, str | bytes] | None = None,
        trusts: Callable[[str], bool] = trust_none,
        solutions: Path | None = None,
    ) -> None:
        self.folder = folder
        self.name = f"kata_target_{next(_numbers)}"
        self._replaced = dict(replaced or {})
        self._trusts = trusts
        self._solutions = solutions
        self._sources: dict[str, Source] = {}
        self._modules: dict[str, ModuleType] = {}
        self._stand_ins: dict[str, tuple[str, ...]] = {}

    def source(self, slug: str) -> Source:
        """The file's text as it was when this target first read it."""
        if slug not in self._sources:
            path = self._path(slug)
            replaced = self._replaced.get(slug)
            self._sources[slug] = read(path) if replaced is None else _parsed(path, replaced)
        return self._sources[slug]

    def _path(self, slug: str) -> Path:
        return self.folder / f"{slug}.py"

    def module(self, slug: str) -> ModuleType:
        """The exercise, executed once."""
        if slug not in self._modules:
            part = self.part(slug)
            for need, _ in part.needs:
                self._owner(need).module(need)
            self._modules[slug] = execute(part)
        return self._modules[slug]

    def parts(self, slug: str) -> list[Part]:
        """Everything that has to be executed for this exercise, in order; it comes last itself."""
        part = self.part(slug)
        before = [each for need, _ in part.needs for each in self._owner(need).parts(need)]
        return [*dict.fromkeys(before), part]

    def part(self, slug: str) -> Part:
        """The exercise as something to execute; raises UnusableError if its imports are refused."""
        exercise, source = exercises()[slug], self.source(slug)
        check_imports(source, exercise)
        needed = sorted(siblings(source.tree))
        self._stand_ins[slug] = tuple(text for text in needed if not self._trusts(text))
        needs = tuple((text, self._owner(text).module_name(text)) for text in needed)
        return Part(self._package(exercise), slug, str(source.path), source.text, needs)

    def module_name(self, slug: str) -> str:
        """The full name of the exercise's module, in `sys.modules`."""
        return f"{self._package(exercises()[slug])}.{slug}"

    def digest(self, slug: str) -> str:
        """A hash of the text and its suite: what is remembered if it passes."""
        try:
            text = self.source(slug).text
        except UnusableError:
            return ""
        suite = exercises()[slug].suite.read_bytes()
        return sha256(text.encode("utf-8", "surrogatepass") + b"\0" + suite).hexdigest()

    def owns(self, part: Part) -> bool:
        """Whether it is of this folder, and not of the reference that stands in."""
        return part.package.startswith(f"{self.name}_")

    def stand_ins(self, slug: str) -> tuple[str, ...]:
        """The earlier exercises for which the reference was used when this one was loaded."""
        return self._stand_ins.get(slug, ())

    def built_on(self, slug: str) -> tuple[str, ...]:
        """The earlier exercises of this folder that are used when this one is loaded."""
        try:
            parts = self.parts(slug)
        except UnusableError:
            return ()
        return tuple(each.slug for each in parts[:-1] if self.owns(each))

    def _owner(self, slug: str) -> "Target":
        """The target whose file is used where this exercise is needed."""
        return self if self._trusts(slug) else reference(self._solutions)

    def _package(self, exercise: Exercise) -> str:
        return f"{self.name}_{exercise.short}"


class Reference(Target):
    """Solutions, which use one another; those of an instructor's own exercises lie elsewhere."""

    def __init__(self, folder: Path = curriculum.SOLUTIONS) -> None:
        super().__init__(folder, trusts=lambda _: True)

    def _path(self, slug: str) -> Path:
        return exercises()[slug].solution_in(self.folder)


def _parsed(path: Path, content: str | bytes) -> Source:
    return parse(path, content if isinstance(content, str) else decoded(path.name, content))


def reference(solutions: Path | None = None) -> Target:
    """The solutions, which use one another: those of this folder, or the kata's own."""
    return _reference(solutions or curriculum.SOLUTIONS)


@cache
def _reference(folder: Path) -> Target:
    return Reference(folder)


def at_sight(exercise: Exercise, target: Target) -> ClaimVerdict | None:
    """What the text alone says of the file as a whole: nothing, if it is to be judged."""
    try:
        source = target.source(exercise.slug)
    except UnusableError as error:
        return whole(State.ERROR, Message(str(error), line=error.line))
    if not_started(source, exercise):
        return whole(State.NOT_STARTED, Message(State.NOT_STARTED.value, line=first_line(source)))
    return None


def whole(state: State, message: Message) -> ClaimVerdict:
    """One claim that stands for all, of which none was made."""
    return ClaimVerdict(str(state).replace(" ", "_"), state, message)
