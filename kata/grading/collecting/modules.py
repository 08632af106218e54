"""Several files as one: the parts of an answer, and an answer with the files that it imports.

`submissions` calls it for every answer that counts. An answer that imports a student's own modules
(`from masks import causal_mask`, helpers in `utils.py`) is put together with them as the cells of a
notebook are: only what it needs is taken, an earlier exercise that they hold is imported as such,
and a name that two files give to different things is changed in one of them. All lines keep the
file that they came from. Nothing is run.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kata.course.curriculum import LIBRARIES, exercises
from kata.course.names_in_code import COMPREHENSIONS, DEFINITIONS, bound_by, effects, own_nodes
from kata.course.notebook_file import NotebookCell
from kata.course.source import spelled
from kata.grading.collecting.contents import File
from kata.grading.collecting.names import COPY, few, fold, number, without_suffix
from kata.grading.collecting.notebooks import (
    WRITTEN,
    asked_of,
    cells_of,
    earlier_imports,
    named_exercise,
)
from kata.grading.collecting.python_files import (
    Import,
    as_answer,
    begun_names,
    imports,
    names_in,
    parsed,
    replaced,
    text_of,
)
from kata.text import clean, printable

MOST_MODULES = 50  # that one answer imports
INSTALLED = {*sys.stdlib_module_names, *LIBRARIES}  # a file so called takes no library's place
# With the next lines, of which brackets may hold the names.
IMPORT = re.compile(rb"^[ \t]*(?:from|import)\b[^\n(]*(?:\([^)]*\))?", re.MULTILINE)
PACKAGE = "__init__"
STAR = "*"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
NAMESPACE = "from types import SimpleNamespace as _Module; "
Names = Mapping[str, str]
Cells = Iterable[tuple[int, NotebookCell]]  # with the numbers of their files
PlaceOf = Callable[[int, int], tuple[str, int] | None]  # number of a file, line → name, line


def with_modules(answer: File, files: Sequence[File]) -> tuple[File, str] | None:
    """Put an answer together with the files that it imports, with a note; None if there is none.

    Of several files that may be meant, the last one is.
    """
    if not _may_import(answer, files):
        return None
    reading = _Reading(files)
    module_of_answer = reading.read(answer)
    modules = reading.modules[:-1]
    if not modules:
        return None
    for module in modules:
        module.rename_clashes([rival for rival in reading.modules if rival is not module])
    names = [printable(module.name) for module in modules]
    whole = composed(answer, _cells(answer.slug, module_of_answer, modules),
                      lambda at, line: (names[at - 1], line))  # fmt: skip
    imported = few(module.name for module in modules)
    return whole, clean(f"{answer.name} is judged with what it imports from {imported}")


def _cells(slug: str, answer: "_Module", modules: Sequence["_Module"]) -> Cells:
    for at, module in enumerate(modules, 1):
        cells = [*cells_of(module.whole_text())]
        yield from ((at, cell) for cell in (*cells, *earlier_imports(exercises()[slug], cells)))
    yield from ((0, cell) for cell in cells_of(answer.whole_text()))


def _may_import(answer: File, files: Sequence[File]) -> bool:
    """Return whether an import names a file: nearly none does, and reading takes its time."""
    lines = b"\n".join(IMPORT.findall(answer.content)).decode("utf-8", "replace")
    words = {fold(word) for word in re.findall(r"\w+", lines)}
    return any(words.intersection(_dotted(file.own_path)) for file in files)


def _dotted(path: str) -> list[str]:
    """Split a module's name, without the number of a copy; a package has that of its folder."""
    *folders, last = path.split("/")
    match = COPY.fullmatch(last)
    stem = match[1] if match else without_suffix(last)
    return [*map(fold, folders if stem == PACKAGE and folders else [*folders, stem])]


@dataclass(frozen=True)
class _Link:
    """An import of other modules."""

    node: Import
    # Its names, with the modules that they are, or are in, unless they are a library's.
    pairs: Sequence[tuple[ast.alias, "_Module | None"]]
    top: bool  # whether it stands at the top level

    def is_of(self, module: "_Module", alias: ast.alias) -> bool:
        """Return whether the name is the module itself: `import utils`, `from lib import utils`."""
        return isinstance(self.node, ast.Import) or _dotted(module.name)[-1] == fold(alias.name)


@dataclass(eq=False)
class _Module:
    """A file on its way into an answer."""

    name: str
    text: str  # as in the student's work, but for plots
    links: list[_Link] = field(default_factory=list)  # its imports of other modules
    bound: dict[str, str] = field(default_factory=dict)  # name → the code at the top that gives it
    new_names: dict[str, str] = field(default_factory=dict)  # in place of names of another file

    @property
    def names(self) -> list[str]:
        """The names that other modules may import."""
        linked = [_local(alias) for link in self.links for alias in link.node.names]
        return [name for name in dict.fromkeys([*self.bound, *linked]) if name != STAR]

    def final(self, name: str) -> str:
        """Return what a name of this module is called in the whole."""
        links = () if name in self.bound else self.links
        for link in links:
            for alias, module in link.pairs:
                if module and not link.is_of(module, alias) and _local(alias) == name:
                    return module.final(alias.name)
        return self.new_names.get(name, name)

    def rename_clashes(self, rivals: Sequence["_Module"]) -> None:
        """Choose new names for what another file binds to something else."""
        suffix = re.sub(r"\W", "_", without_suffix(self.name))
        self.new_names = {
            name: f"{name}_of_{suffix}" for name, code in self.bound.items()
            if any(rival.bound.get(name, code) != code for rival in rivals)
        }  # fmt: skip

    def whole_text(self) -> str:
        """Return the text as it stands in the whole: without these imports, and with new names."""
        text, names = self.text, dict(self.new_names)
        for link in reversed(self.links):
            parts = [part for pair in link.pairs for part in self._part(link, *pair, names)]
            text = replaced(text, link.node, "; ".join(parts) or "pass")
        return renamed(text, names) if names else text

    def _part(
        self, link: _Link, alias: ast.alias, module: "_Module | None", names: dict[str, str]
    ) -> Iterator[str]:
        """Replace one name of an import by code; `names` takes what is renamed instead."""
        local = _local(alias)
        if module is None:
            yield _import_of(link.node, alias)
        elif link.is_of(module, alias):
            yield self._namespace(local, module)
        elif alias.name == STAR:
            names |= {name: module.final(name) for name in module.names
                      if module.final(name) != name and name not in self.bound}  # fmt: skip
        elif local != alias.name or local in self.bound or not link.top:
            final = module.final(alias.name)
            yield from [f"{local} = {final}"] if local != final else []
        elif module.final(local) != local:
            names[local] = module.final(local)

    def _namespace(self, path: str, module: "_Module") -> str:
        """Give a module its name: `import lib.utils` gives one to the package around it as well."""
        used = {*re.findall(rf"\b{re.escape(path)}\.(\w+)", self.text)}
        pairs = ", ".join(f"{name}={module.final(name)}" for name in module.names if name in used)
        outer, *inner = path.split(".")
        namespace = f"_Module({pairs})"
        for part in reversed(inner):
            namespace = f"_Module({part}={namespace})"
        return f"{NAMESPACE}{outer} = {namespace}"


def _local(alias: ast.alias) -> str:
    return alias.asname or alias.name


@dataclass
class _Reading:
    """The reading of modules, all of them before what imports them."""

    files: Sequence[File]
    modules: list[_Module] = field(default_factory=list)
    _by_file: dict[File, _Module] = field(default_factory=dict)

    def read(self, file: File) -> _Module:
        """Read a file, after all that it imports."""
        text = text_of(as_answer(file.content, file.slug))
        module = self._by_file[file] = _Module(file.own_path, text)
        tree = parsed(text) or ast.Module([], [])
        for node in imports(tree):
            pairs = [*zip(node.names, self._linked(node, file), strict=True)]
            if any(linked for _, linked in pairs):
                module.links.append(_Link(node, pairs, node in tree.body))
        nodes = {link.node for link in module.links}
        module.bound = _bindings(node for node in tree.body if node not in nodes)
        self.modules.append(module)
        return module

    def _linked(self, node: Import, file: File) -> Iterator[_Module | None]:
        """Yield the modules that the names of an import are, or are in."""
        if isinstance(node, ast.Import):
            yield from (self._module(alias.name, file) for alias in node.names)
            return
        outer = node.module or ""
        whole = self._module(outer, file)
        for alias in node.names:
            part = self._module(f"{outer}.{alias.name}", file)
            yield whole if whole and (part is None or alias.name in whole.names) else part

    def _module(self, dotted: str, file: File) -> _Module | None:
        """Return the module of this name; None if no file is called so, or there are too many."""
        parts = [fold(part) for part in dotted.split(".") if part and part != "exercises"]
        if not parts or parts[0] in INSTALLED or parts[-1] in map(fold, exercises()):
            return None
        namesakes = [(rival, path) for rival in self.files if rival is not file
                     and (path := _dotted(rival.own_path))[-1] == parts[-1]]  # fmt: skip
        nearest = (
            [rival for rival, path in namesakes if parts[1:] and path[-len(parts) :] == parts]
            or [rival for rival, _ in namesakes if rival.parts[:-1] == file.parts[:-1]]
            or [rival for rival, _ in namesakes]
        )
        if not nearest:
            return None
        # Of equals, the last one.
        chosen = max(reversed(nearest), key=lambda rival: number(rival.parts[-1]))
        if chosen in self._by_file or len(self._by_file) > MOST_MODULES:
            return self._by_file.get(chosen)
        return self.read(chosen)


# -- parts of an answer


def joined(files: Sequence[File]) -> tuple[File, str] | None:
    """Join parts of an answer, with a note, if every file begins functions of its own.

    None of them may be the exercise's own file.
    """
    if len(files) < 2 or not all(file.extract or file.short for file in files):
        return None
    slug = files[0].slug
    texts = [text_of(file.content) for file in files]
    begun = [begun_names(text, asked_of(slug)) for text in texts]
    together = {name for names in begun for name in names}
    if not all(begun) or len(together) != sum(map(len, begun)):
        return None
    # Without the stubs of what another file defines.
    cells = ((at, cell) for at, (text, names) in enumerate(zip(texts, begun, strict=True))
             for cell in cells_of(text)
             if not {*WRITTEN.findall(cell.text)} & (asked_of(slug) - names))  # fmt: skip
    whole = composed(files[0], cells, lambda at, line: files[at].place_in_words(line))
    names = few(file.own_path for file in files)
    return whole, f"{exercises()[slug].short} was put together from {names}"


def composed(base: File, cells: Cells, place_of: PlaceOf) -> File:
    """Put a file together from these cells, of which those with the number 0 are its own."""
    origins = [(0, 0)]  # of cells: the file, and the line before the cell's first
    numbered = []
    for at, cell in cells:
        numbered.append(replace(cell, number=len(origins)))
        origins.append((at, cell.number - 1))
    extract = named_exercise(exercises()[base.slug], numbered)
    places, elsewhere = {}, {}
    for line, (cell_number, line_in_cell) in extract.places.items():
        at, before = origins[cell_number]
        original = before + line_in_cell
        if foreign := place_of(at, original) if at else base.elsewhere.get(original):
            elsewhere[line] = foreign
        elif not at and (place := base.place(original)):
            places[line] = place
    script = base.script or not base.extract
    extract = replace(extract, places=places)
    return replace(base, content=extract.text, extract=extract, script=script, elsewhere=elsewhere)


# -- what the top level of a file binds, and other names for that


def _import_of(node: Import, alias: ast.alias) -> str:
    if isinstance(node, ast.Import):
        return spelled(ast.Import([alias]))
    return spelled(ast.ImportFrom(node.module, [alias], node.level))


def _bindings(body: Iterable[ast.stmt]) -> dict[str, str]:
    """Return the names that statements bind, with the code that does; the last one counts."""
    code: dict[str, str] = {}
    for node in body:
        if isinstance(node, Import):
            code |= {_bound(alias): _import_of(node, alias) for alias in node.names}
        else:
            code |= dict.fromkeys(sorted(effects(node).binds), spelled(node))
    return code


def renamed(text: str, names: Names) -> str:
    """Replace names of the top level of a text by others."""
    lines = text.split("\n")
    for row, first, end, name in sorted(_edits(ast.parse(text), names, lines), reverse=True):
        line = lines[row - 1].encode()
        lines[row - 1] = (line[:first] + name.encode() + line[end:]).decode()
    return "\n".join(lines)


def _edits(node: ast.AST, names: Names, lines: list[str]) -> Iterator[tuple[int, int, int, str]]:
    """Yield line, first byte, end, and the name that is to stand there."""
    new = ""
    if isinstance(node, ast.Name):
        new = names.get(node.id, "")
    elif isinstance(node, ast.alias) and (bound := _bound(node)) in names:
        new = f"{node.name} as {names[bound]}"
    elif isinstance(node, ast.Global):
        new = f"global {', '.join(names.get(name, name) for name in node.names)}"
    elif isinstance(node, DEFINITIONS) and node.name in names:
        word = re.compile(rb"\b" + re.escape(node.name.encode()) + rb"\b")
        if match := word.search(lines[node.lineno - 1].encode(), node.col_offset):
            yield node.lineno, match.start(), match.end(), names[node.name]
    if new and isinstance(node, ast.Name | ast.alias | ast.Global):
        yield node.lineno, node.col_offset, node.end_col_offset or 0, new
    local, body = _scope(node)
    inner = {old: new for old, new in names.items() if old not in local}
    for child in ast.iter_child_nodes(node):
        # No function in a class sees the names of the class.
        outside = isinstance(node, ast.ClassDef) and isinstance(child, FUNCTIONS)
        yield from _edits(child, inner if child in body and not outside else names, lines)


def _scope(node: ast.AST) -> tuple[set[str], list[ast.AST]]:
    """Return the names that a node binds for itself, and the part of it in which it does."""
    if isinstance(node, COMPREHENSIONS):
        targets = [names_in(part.target, ast.Store) for part in node.generators]
        return set().union(*targets), [*ast.iter_child_nodes(node)]
    if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return set(), []
    body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else [*node.body]
    own = [part for statement in body for part in own_nodes(statement)]
    parameters = [] if isinstance(node, ast.ClassDef) else ast.walk(node.args)
    local = {part.arg for part in parameters if isinstance(part, ast.arg)}
    local |= {name for part in own for name in bound_by(part)}
    return local - {
        name for part in own if isinstance(part, ast.Global) for name in part.names
    }, body


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]
