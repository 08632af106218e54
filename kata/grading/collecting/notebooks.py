"""Which exercises a notebook holds, each as the text of a file. No notebook is ever run.

A notebook named after an exercise (`ex05_causal_masks.ipynb`, `ex05.ipynb`) holds that exercise;
others only if all of them is there. Any other notebook holds the exercise that its metadata name,
and every exercise of which it defines something that is not still the stub.

Some names are asked for by two exercises. Whose a cell is that defines one is told by the name of
the notebook or its metadata, else by metadata or tags of the cell (`ex07`), else by whether it
names NumPy or torch. If nothing tells, the cell is used for both; if it is all that there is, only
for the first.
"""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache

from kata.course.curriculum import LIBRARIES, Exercise, exercises
from kata.course.notebooks.cells import Assembly, Cell, assembled, completed
from kata.course.notebooks.notebook_file import Notebook, NotebookCell
from kata.course.source import (
    BLOCKS,
    LARGEST,
    TOO_DEEP,
    UnusableError,
    contract,
    functions,
    is_stub,
)
from kata.grading.collecting.names import slug_of
from kata.grading.collecting.renaming import bindings

STAR = "*"
CONSTRUCTOR = ".__init__"
SHORT = re.compile(r"ex\d\d(?!\d)", re.IGNORECASE)
WORD = re.compile(r"\w+")
DEFINED = re.compile(r"^[ \t]*(?:async[ \t]+def|def|class)[ \t]+(\w+)", re.MULTILINE)
SIGNS = {"numpy": {"np", "numpy", "ndarray"}, "torch": {"torch", "nn", "Tensor"}}
ALIASES = (ast.Lambda, ast.Name, ast.Attribute)  # what may be a function under another name


@dataclass(frozen=True)
class Taken:
    """What a notebook holds of one exercise.

    Attributes:
        slug: of the exercise.
        text: as a file, cut one byte over the limit of one.
        begun: whether anything is written.
        named: whether the notebook is this exercise's by its name or its metadata; None if its
            name is another one's.
        missing: what the contract asks for and no cell defines.
        broken: the numbers of cells that seem to define something of it, but cannot be read.
        places: of each line of the text, the number of the cell and the line in it.
        shared: names that another exercise asks for, too, whose cells were told apart.
    """

    slug: str
    text: bytes
    begun: bool
    named: bool | None
    missing: tuple[str, ...] = ()
    broken: tuple[int, ...] = ()
    places: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    shared: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claimed:
    """The exercise that a notebook's name tells, else its metadata; empty if neither does."""

    slug: str
    by_name: bool


def _claimed(name: str, labels: Iterable[str]) -> Claimed:
    by_name = slug_of(name) or (_slug_in(name) if SHORT.match(name) else "")
    return Claimed(by_name or next(filter(None, map(_slug_in, labels)), ""), bool(by_name))


def _slug_in(text: str) -> str:
    """The only exercise that a text names: `ex05_masks`, but not `ex01-ex05`."""
    shorts = {each.casefold() for each in SHORT.findall(text)}
    found = [slug for slug, exercise in exercises().items() if exercise.short in shorts]
    return found[0] if len(found) == len(shorts) == 1 else ""


def exercises_in(name: str, found: Notebook) -> list[Taken]:
    """All that a notebook with this name holds, in course order."""
    return exercises_of(_claimed(name, found.labels), found)


def exercises_of(own: Claimed, found: Notebook) -> list[Taken]:
    """The same for cells of which we know what their file says it is."""
    words = {word for cell in found.cells for word in WORD.findall(cell.text)}
    asked = [each for each in exercises().values()
             if each.slug == own.slug or words & {*contract(each).names}]  # fmt: skip
    taken = (_taken(each, own, found.cells) for each in asked)
    return [each for each in taken if each]


def named_exercise(exercise: Exercise, cells: Sequence[NotebookCell]) -> Taken:
    """What cells hold of the exercise that their file is named after."""
    found = _taken(exercise, Claimed(exercise.slug, by_name=True), cells)
    assert found  # a name is enough, also where nothing is written
    return found


def _taken(exercise: Exercise, own: Claimed, all_cells: Sequence[NotebookCell]) -> Taken | None:
    wanted = {*contract(exercise).names}
    cells = [_alone(each, exercise) for each in all_cells
             if _owner(each, exercise, own.slug) in {"", *_used_by(exercise)}]  # fmt: skip
    cells += [*earlier_imports(exercise, cells, _lacking(cells))]
    try:
        found = assembled(cells, exercise)
        whole = completed(found, exercise)
    except UnusableError:  # too large for a file: as long as all of them, for the same message
        found = whole = Assembly("\n".join(each.text for each in cells).ljust(LARGEST + 1))
    begun = begun_names(found.text, wanted)
    broken = _broken(found, cells, wanted)
    named = own.slug == exercise.slug or (None if own.by_name else False)
    if not named:
        shown = _is_first(exercise, own.slug, begun, cells) if begun else broken
        if not shown or (named is None and begun != wanted):
            return None
    shared = begun & {*_rivals()} if len(cells) < len(all_cells) else ()
    text = whole.text.encode("utf-8", "surrogatepass")[: LARGEST + 1]
    return Taken(
        exercise.slug, text, bool(begun), named, found.missing, broken, whole.places, tuple(shared)
    )


def earlier_imports(
    exercise: Exercise, cells: Sequence[NotebookCell], lacking: Collection[str] = ()
) -> Iterator[NotebookCell]:
    """Import what stands in the same file as from a file of its own: as in one of those, a mistake
    in an earlier exercise costs this one nothing.

    What takes other arguments than the contract says is the author's own helper. What is lacking,
    because nobody was asked for that exercise, is imported, too.
    """
    own = {*contract(exercise).names}
    there = {name: count for each in cells for name, count in _arguments(each.text)}
    for slug in sorted(_used_by(exercise) - {exercise.slug}):
        asked = contract(exercises()[slug]).functions
        names = [
            name.removesuffix(CONSTRUCTOR)
            for name, arguments in asked.items()
            if (there.get(name) == len(arguments) or name.removesuffix(CONSTRUCTOR) in lacking)
            and name.partition(".")[0] not in own
        ]
        if names:
            yield NotebookCell(cells[0].number, f"from .{slug} import {', '.join(names)}")


def _lacking(cells: Sequence[NotebookCell]) -> set[str]:
    """The names that some cell uses and none gives a value."""
    used: set[str] = set()
    bound: set[str] = set()
    for cell in cells:
        with suppress(SyntaxError, *TOO_DEEP):
            tree = ast.parse(cell.text)
            used |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            bound |= bindings(tree).keys()
    return set() if STAR in bound else used - bound  # a library may give any name


def _arguments(text: str) -> Iterator[tuple[str, int]]:
    """The functions and constructors that a cell defines, each with its number of arguments."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, *TOO_DEEP):
        return
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, _count(node)
        elif isinstance(node, ast.ClassDef):
            made = (each for each in node.body if isinstance(each, ast.FunctionDef))
            yield from ((f"{node.name}{CONSTRUCTOR}", _count(each) - 1)
                        for each in made if f".{each.name}" == CONSTRUCTOR)  # fmt: skip


def _count(function: ast.FunctionDef) -> int:
    return len(function.args.posonlyargs) + len(function.args.args)


def _broken(found: Assembly, cells: Sequence[Cell], wanted: set[str]) -> tuple[int, ...]:
    """The cells that seem to define something of an exercise, but are not Python or too long."""
    unread = (each for each in cells if each.number in found.unread or len(each.text) > LARGEST)
    return tuple(each.number for each in unread if _defined(each) & wanted)


def _alone(cell: NotebookCell, exercise: Exercise) -> NotebookCell:
    """Without imports of this very exercise, which a later one in the same notebook may have."""
    import_of_it = rf"^[ \t]*from[ \t]+(?:kata\.earlier)?\.{exercise.slug}[ \t]+import\b.*$"
    text = re.sub(import_of_it, "", cell.text, flags=re.MULTILINE)
    return cell if text == cell.text else replace(cell, text=text)


def begun_names(text: str, wanted: set[str]) -> set[str]:
    """What of this a text defines, unless it is still as in the stub."""
    try:
        return wanted.intersection(_written(ast.parse(text).body))
    except (SyntaxError, *TOO_DEEP):
        return wanted  # the judge says what is wrong with it


def _written(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """The names of functions and classes that have a body of their own."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            bodies = [each for _, each in functions(ast.Module([node], []))]
            if not bodies or not all(map(is_stub, bodies)):
                yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.value, ALIASES):
            yield from (each.id for each in node.targets if isinstance(each, ast.Name))
        else:
            for block in BLOCKS:
                yield from _written(getattr(node, block, ()))


# -- names that several exercises ask for


@cache
def _rivals() -> dict[str, list[str]]:
    """Such names, with the exercises."""
    asked: dict[str, list[str]] = {}
    for slug, exercise in exercises().items():
        for name in contract(exercise).names:
            asked.setdefault(name, []).append(slug)
    return {name: slugs for name, slugs in asked.items() if len(slugs) > 1}


def _defined(cell: Cell) -> set[str]:
    return {*DEFINED.findall(cell.text)}


@cache
def _used_by(exercise: Exercise) -> frozenset[str]:
    """An exercise with all earlier ones that it is built on."""
    needed = (_used_by(exercises()[slug]) for slug in exercise.needs)
    return frozenset({exercise.slug}).union(*needed)


def _owner(cell: NotebookCell, exercise: Exercise, own: str) -> str:
    """The exercise for which alone a cell defines a name of several; empty if that is open."""
    shared = _defined(cell) & {*_rivals()}
    rivals = {slug for name in shared for slug in _rivals()[name]}
    if not rivals & _used_by(exercise):
        return ""
    if own in rivals:
        return own
    told = [slug for label in cell.labels if (slug := _slug_in(label)) in rivals]
    return told[0] if told else _by_library(cell, rivals)


def _by_library(cell: Cell, rivals: set[str]) -> str:
    """The only one of them whose library the cell names, if it names only one."""
    words = {*WORD.findall(cell.text)}
    named = [each for each in LIBRARIES if words & SIGNS[each]]
    found = [slug for slug in rivals if [exercises()[slug].library] == named]
    return found[0] if len(found) == 1 else ""


def _is_first(exercise: Exercise, own: str, begun: set[str], cells: Iterable[NotebookCell]) -> bool:
    """Whether what is begun shows that it was this exercise, and not an earlier one."""
    if begun - {*_rivals()} or exercise.slug in {_owner(each, exercise, own) for each in cells}:
        return True
    return all(_rivals()[name][0] == exercise.slug for name in begun)
