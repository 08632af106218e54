"""Modules of a student's own: `from masks import causal_mask`, and helpers in `utils.py`.

An answer that imports them is put together with them, as the cells of one notebook are: only what
it needs is taken, and an earlier exercise that they hold is imported as such. Names that two of the
files give to different things are told apart. Every line is still known by the file that it came
from.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kata.course.curriculum import LIBRARIES, exercises
from kata.course.source import TOO_DEEP, spelled
from kata.grading.collecting.handed_text.own_imports import imports, own_imports, replaced
from kata.grading.collecting.handed_text.plots import without_plots
from kata.grading.collecting.handed_text.scripts import cells_of, text_of
from kata.grading.collecting.names import COPY, few, fold, number, without_suffix
from kata.grading.collecting.notebooks import earlier_imports, named_exercise
from kata.grading.collecting.one_place.files import File, own_name
from kata.grading.collecting.renaming import bindings, renamed
from kata.words import say

MOST_MODULES = 50  # that one answer imports
INSTALLED = {*sys.stdlib_module_names, *LIBRARIES}  # a file so called takes no library's place
# With the next lines, of which brackets may hold the names.
IMPORT = re.compile(rb"^[ \t]*(?:from|import)\b[^\n(]*(?:\([^)]*\))?", re.MULTILINE)
PACKAGE = "__init__"
STAR = "*"
NAMESPACE = "from types import SimpleNamespace as _Module; "
Import = ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class Whole:
    """An answer with the modules that it imports.

    Attributes:
        content: of all of it, as one file.
        places: of each line, the number of the file and the line in it; the answer's number is 0.
        modules: the files that it imports; their numbers begin at 1.
        note: which these are.
    """

    content: bytes
    places: Mapping[int, tuple[int, int]]
    modules: tuple[str, ...]
    note: str


def with_modules(answer: File, others: Sequence[File]) -> Whole | None:
    """The answer put together with what it imports of these; None if it imports none of them.

    Of several files that may be meant, the last one is.
    """
    if not _may_import(answer, others):
        return None
    reading = _Reading(others)
    own = reading.read(answer)
    if len(reading.modules) == 1:
        return None
    exercise = exercises()[answer.slug]
    numbers = [(0, 0)]  # of a cell: the file, and the line before the cell's first
    cells = []
    for place, module in enumerate([*reading.modules[:-1], own]):
        mine = [*cells_of(module.whole_text())]
        for cell in [*mine, *earlier_imports(exercise, mine if module is not own else [])]:
            cells.append(replace(cell, number=len(numbers)))
            numbers.append((place + 1 if module is not own else 0, cell.number - 1))
    found = named_exercise(exercise, cells)
    places = {}
    for at, (which, line) in found.places.items():
        file, before = numbers[which]
        places[at] = (file, before + line)
    names = tuple(each.name for each in reading.modules[:-1])
    note = say("collecting.modules", name=own_name(answer.parts[-1]), names=few(names))
    return Whole(found.text, places, names, note)


def _may_import(answer: File, others: Sequence[File]) -> bool:
    """Whether any import names one of these: nearly no answer does, and reading takes its time."""
    lines = b"\n".join(IMPORT.findall(answer.content)).decode("utf-8", "replace")
    named = {fold(word) for word in re.findall(r"\w+", lines)}
    return any(named.intersection(_parts(_name(each))) for each in others)


@dataclass(frozen=True)
class _Link:
    """An import of other modules.

    Attributes:
        modules: of each of its names the one that it is, or is in; None if it is a library's.
        top: whether it stands at the top level.
    """

    node: Import
    modules: Sequence["_Module | None"]
    top: bool

    def pairs(self) -> Iterator[tuple[ast.alias, "_Module | None"]]:
        """Each of its names with its module."""
        return zip(self.node.names, self.modules, strict=True)

    def is_of(self, module: "_Module", alias: ast.alias) -> bool:
        """Whether the name is the module itself: `import utils`, `from lib import utils`."""
        return isinstance(self.node, ast.Import) or module.parts[-1] == fold(alias.name)


@dataclass(eq=False)
class _Module:
    """A file on its way into an answer.

    Attributes:
        name: of the file.
        text: as it was handed in, but for plots.
        links: its imports of other modules.
        bound: what its top level binds otherwise, with the code that does.
        apart: names that are other ones in the whole, because another file has them, too.
    """

    name: str
    text: str
    links: list[_Link] = field(default_factory=list)
    bound: dict[str, str] = field(default_factory=dict)
    apart: dict[str, str] = field(default_factory=dict)

    @property
    def parts(self) -> list[str]:
        """The folders and the name by which it is imported."""
        return _parts(self.name)

    @property
    def names(self) -> list[str]:
        """What others may import of it."""
        linked = [alias.asname or alias.name for link in self.links for alias in link.node.names]
        return [each for each in dict.fromkeys([*self.bound, *linked]) if each != "*"]

    def final(self, name: str) -> str:
        """What a name of this module is called in the whole."""
        links = () if name in self.bound else self.links
        for link in links:
            for alias, module in link.pairs():
                named = module and not link.is_of(module, alias)
                if module and named and (alias.asname or alias.name) == name:
                    return module.final(alias.name)
        return self.apart.get(name, name)

    def tell_apart(self, others: Sequence["_Module"]) -> None:
        """Choose other names for what another file binds to something else."""
        suffix = re.sub(r"\W", "_", without_suffix(self.name))
        self.apart = {name: f"{name}_of_{suffix}" for name, code in self.bound.items()
                      if any(other.bound.get(name, code) != code for other in others)}  # fmt: skip

    def whole_text(self) -> str:
        """Its text as it stands in the whole: without imports of others, and with its names."""
        text, names = self.text, dict(self.apart)
        for link in reversed(self.links):
            parts = [part for each in link.pairs() for part in self._part(link, *each, names)]
            text = replaced(text, link.node, "; ".join(parts) or "pass")
        return renamed(text, names) if names else text

    def _part(
        self, link: _Link, alias: ast.alias, other: "_Module | None", names: dict[str, str]
    ) -> Iterator[str]:
        """What stands in the place of one name of an import; `names` takes what is renamed."""
        name = alias.asname or alias.name
        if other is None:
            node = link.node
            alone = ast.Import([alias]) if isinstance(node, ast.Import) else \
                ast.ImportFrom(node.module, [alias], node.level)  # fmt: skip
            yield spelled(alone)
        elif link.is_of(other, alias):
            yield _namespace(self, name, other)
        elif alias.name == STAR:
            names |= {each: other.final(each) for each in other.names
                      if other.final(each) != each and each not in self.bound}  # fmt: skip
        elif name != alias.name or name in self.bound or not link.top:
            final = other.final(alias.name)
            yield from [f"{name} = {final}"] if name != final else []
        elif other.final(name) != name:
            names[name] = other.final(name)


@dataclass
class _Reading:
    """Reads modules, each before what imports it, and the answer last."""

    files: Sequence[File]
    modules: list[_Module] = field(default_factory=list)
    _known: dict[int, _Module] = field(default_factory=dict)

    def read(self, file: File) -> _Module:
        """The file with all that it imports, told apart."""
        answer = self._read(file)
        for module in self.modules[:-1]:
            module.tell_apart([each for each in self.modules if each is not module])
        return answer

    def _read(self, file: File) -> _Module:
        text = text_of(without_plots(own_imports(file.content, file.slug)))
        module = self._known[id(file)] = _Module(_name(file), text)
        tree = _tree(text)
        for node in imports(tree):
            found = [*self._linked(node, file)]
            if any(found):
                module.links.append(_Link(node, found, node in tree.body))
        linked = {each.node for each in module.links}
        rest = [each for each in tree.body if each not in linked]
        module.bound = bindings(ast.Module(rest, []))
        self.modules.append(module)
        return module

    def _linked(self, node: Import, file: File) -> Iterator[_Module | None]:
        """The module that each name of an import is, or is in."""
        if isinstance(node, ast.Import):
            yield from (self._module(each.name, file) for each in node.names)
            return
        whole = self._module(node.module or "", file)
        for each in node.names:
            part = self._module(f"{node.module or ''}.{each.name}", file)
            yield whole if whole and (part is None or each.name in whole.names) else part

    def _module(self, dotted: str, file: File) -> _Module | None:
        """The module of this name; None if no file is called so, or there are too many."""
        parts = [fold(each) for each in dotted.split(".") if each and each != "exercises"]
        if not parts or parts[0] in INSTALLED or parts[-1] in map(fold, exercises()):
            return None
        others = [each for each in self.files if each is not file]
        named = [each for each in others if _parts(_name(each))[-1] == parts[-1]]
        nearest = (
            [each for each in named if parts[1:] and _parts(_name(each))[-len(parts) :] == parts]
            or [each for each in named if each.parts[:-1] == file.parts[:-1]]
            or named
        )
        if not nearest:
            return None
        chosen = max(nearest, key=lambda each: (number(each.parts[-1]), self.files.index(each)))
        if id(chosen) in self._known or len(self._known) > MOST_MODULES:
            return self._known.get(id(chosen))
        return self._read(chosen)


def _name(file: File) -> str:
    return "/".join([*file.parts[:-1], own_name(file.parts[-1])])


def _parts(name: str) -> list[str]:
    """The parts of a module's name, without the number of a copy; a package has its folder's."""
    *folders, last = name.split("/")
    match = COPY.fullmatch(last)
    stem = match[1] if match else without_suffix(last)
    return [*map(fold, folders if stem == PACKAGE and folders else [*folders, stem])]


def _tree(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, *TOO_DEEP):
        return ast.Module([], [])


def _namespace(module: _Module, name: str, other: _Module) -> str:
    """What gives a module its name: `import lib.utils` gives one to the package around it."""
    used = {*re.findall(rf"\b{re.escape(name)}\.(\w+)", module.text)}
    pairs = ", ".join(f"{each}={other.final(each)}" for each in other.names if each in used)
    outer, *inner = name.split(".")
    made = f"_Module({pairs})"
    for part in reversed(inner):
        made = f"_Module({part}={made})"
    return f"{NAMESPACE}{outer} = {made}"
