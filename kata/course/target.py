"""A folder of exercises, loaded as packages; the reference may stand in for earlier ones."""

import ast
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from types import ModuleType

from kata.course import curriculum
from kata.course.curriculum import Exercise, did_you_mean, earlier, exercises
from kata.course.source import (
    Source,
    UnusableError,
    decoded,
    first_line,
    not_started,
    parse,
    read,
    siblings,
    statements,
)
from kata.inside.execution import Part, execute
from kata.verdict import ClaimVerdict, Message, State

SUBMISSION = Path("submission")  # the folder in tracebacks of texts that are not files here
_numbers = count()


def trust_none(slug: str) -> bool:  # noqa: ARG001  # the signature of `trusts`
    """Use the reference for every earlier exercise."""
    return False


class Target:
    """The exercises of a folder, every one loaded into a package of its own.

    Args:
        folder: contains the files.
        replaced: texts that are used in place of files: a wrong answer, or a student's.
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
        """Return the text of the file as it was when this target first read it."""
        if slug not in self._sources:
            path = self._path(slug)
            replaced = self._replaced.get(slug)
            self._sources[slug] = read(path) if replaced is None else _parsed(path, replaced)
        return self._sources[slug]

    def _path(self, slug: str) -> Path:
        return self.folder / f"{slug}.py"

    def module(self, slug: str) -> ModuleType:
        """Return the exercise, executed once."""
        if slug not in self._modules:
            part = self.part(slug)
            for need, _ in part.needs:
                self._owner(need).module(need)
            self._modules[slug] = execute(part)
        return self._modules[slug]

    def parts(self, slug: str) -> list[Part]:
        """Return all that has to be executed for this exercise, in order; it comes last itself."""
        part = self.part(slug)
        before = [other for need, _ in part.needs for other in self._owner(need).parts(need)]
        return [*dict.fromkeys(before), part]

    def part(self, slug: str) -> Part:
        """Return the exercise as a part to execute; raise UnusableError if an import is refused."""
        exercise, source = exercises()[slug], self.source(slug)
        _check_imports(source, exercise)
        names = sorted(siblings(source.tree))
        self._stand_ins[slug] = tuple(name for name in names if not self._trusts(name))
        needs = tuple((name, self._owner(name).module_name(name)) for name in names)
        return Part(self._package(exercise), slug, str(source.path), source.text, needs)

    def module_name(self, slug: str) -> str:
        """Return the full name of the exercise's module, in `sys.modules`."""
        return f"{self._package(exercises()[slug])}.{slug}"

    def digest(self, slug: str) -> str:
        """Return a hash of the text and its suite, which is remembered if it passes."""
        try:
            text = self.source(slug).text
        except UnusableError:
            return ""
        suite = exercises()[slug].suite.read_bytes()
        return sha256(text.encode("utf-8", "surrogatepass") + b"\0" + suite).hexdigest()

    def owns(self, part: Part) -> bool:
        """Return True for a part of this folder, and False for one of the reference."""
        return part.package.startswith(f"{self.name}_")

    def stand_ins(self, slug: str) -> tuple[str, ...]:
        """Return the earlier exercises that the reference replaced when this one was loaded."""
        return self._stand_ins.get(slug, ())

    def built_on(self, slug: str) -> tuple[str, ...]:
        """Return the earlier exercises of this folder that are used when this one is loaded."""
        try:
            parts = self.parts(slug)
        except UnusableError:
            return ()
        return tuple(part.slug for part in parts[:-1] if self.owns(part))

    def _owner(self, slug: str) -> "Target":
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
    """Return the solutions, which use one another: those of this folder, or the kata's own."""
    return _reference(solutions or curriculum.SOLUTIONS)


@cache
def _reference(folder: Path) -> Target:
    return Reference(folder)


def at_sight(exercise: Exercise, target: Target) -> ClaimVerdict | None:
    """Return the verdict on a file that its text alone decides; None if it is to be judged."""
    try:
        source = target.source(exercise.slug)
    except UnusableError as error:
        return whole(State.ERROR, Message(str(error), line=error.line))
    if not_started(source, exercise):
        return whole(State.NOT_STARTED, Message(State.NOT_STARTED.value, line=first_line(source)))
    return None


def whole(state: State, message: Message) -> ClaimVerdict:
    """Return a claim that stands for all, of which none was made."""
    return ClaimVerdict(str(state).replace(" ", "_"), state, message)


# -- imports that are refused


def _check_imports(source: Source, exercise: Exercise) -> None:
    """Refuse imports of the reference, and of everything but earlier exercises."""
    imported = _absolute(source.tree)
    if "solutions" in imported:
        raise UnusableError(
            f"{source.path.name} imports `solutions`, which your own work may not use: "
            "read the reference, close it, write yours "
            "(`pytest exercises --solutions` runs the reference)"
        )
    if absolute := imported & set(exercises()):
        name = min(absolute)
        raise UnusableError(
            f"{source.path.name} imports `{name}`; write `from .{name} import …`, "
            "which imports it from the same folder"
        )
    for name in sorted(siblings(source.tree) - set(earlier(exercise))):
        raise UnusableError(_refused(source, exercise, name))


def _absolute(tree: ast.Module) -> set[str]:
    """Return every part of all absolute imports: `exercises.ex01_softmax` has ex01_softmax."""
    parts: set[str] = set()
    for node in statements(tree):
        if isinstance(node, ast.Import):
            parts |= {part for alias in node.names for part in alias.name.split(".")}
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            parts |= {*node.module.split("."), *(alias.name for alias in node.names)}
    return parts


def _refused(source: Source, exercise: Exercise, name: str) -> str:
    file = source.path.name
    if name not in exercises() and not did_you_mean(name, list(exercises())):
        return f"{file} imports `.{name}`; an exercise is one file: put helpers of your own into it"
    before = earlier(exercise)
    if not before:
        return f"{file} imports `.{name}`; {exercise.short} may import no earlier exercise"
    close = did_you_mean(name, before)
    return (
        f"{file} imports `.{name}`; "
        f"{exercise.short} may import only exercises that come before it{close}"
    )
