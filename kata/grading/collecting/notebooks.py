"""The exercises in a notebook, as the texts of files, and its tests. None is ever run.

Called by `contents`, `modules` and `submissions`, and by `kata submit` for a learner. A Python file
with several exercises is read as a notebook, with its definitions as cells.

A notebook named after an exercise (`ex05_causal_masks.ipynb`, `ex05.ipynb`) holds that exercise; it
holds another only if all of it is there. Any other notebook holds the exercise that its metadata
name, and every exercise of which it defines something that is not still the stub.

Two exercises ask for some of the same names. A cell that defines one belongs to the exercise in the
name of the notebook or its metadata, else to that in metadata or tags of the cell (`ex07`), else to
that with the library, NumPy or torch, that the cell names. If nothing tells, the cell is used for
both; if it is all that there is, only for the first.
"""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

from kata.course.cells import Assembly, assembled, completed
from kata.course.curriculum import LIBRARIES, Exercise, did_you_mean, exercises
from kata.course.names_in_code import DEFINITIONS, effects
from kata.course.notebook_file import Notebook, NotebookCell, names_of_tests, names_used, without
from kata.course.source import LARGEST, TOO_DEEP, UnusableError, contract, functions, is_private
from kata.grading.collecting.names import ShortName, slug_in, slug_of
from kata.grading.collecting.python_files import begun_names, names_in, parsed

STAR = "*"
CONSTRUCTOR = ".__init__"
MOST_TESTS = 100  # that are looked at
SHORT = re.compile(r"ex\d\d(?!\d)", re.IGNORECASE)  # which a name begins with
WORD = re.compile(r"\w+")
DEFINED = re.compile(r"^[ \t]*(?:async[ \t]+def|def|class)[ \t]+(\w+)", re.MULTILINE)
# Also in a part of a file that is not Python.
DEFINED_OR_BOUND = re.compile(DEFINED.pattern + r"|^[ \t]*(\w+)[ \t]*=(?!=)", re.MULTILINE)
WRITTEN = re.compile(r"^(?:async[ \t]+def|def|class)[ \t]+(\w+)", re.MULTILINE)
# At the start of a line, these do not begin a statement of their own.
CONTINUED = re.compile(r"\s|#|[)\]}]|(?:else|elif|except|finally)\b")
LARGEST_GROUP = 1 << 12  # characters of statements between two definitions that make one cell
SIGNS = {"numpy": {"np", "numpy", "ndarray"}, "torch": {"torch", "nn", "Tensor"}}
EARLIER = re.compile(r"^from \.(?=ex\d\d)", re.MULTILINE)
UNREADABLE = (UnusableError, SyntaxError, *TOO_DEEP)


@dataclass(frozen=True)
class Extract:
    """The part of a notebook that belongs to one exercise."""

    slug: str
    text: bytes  # as a file, cut one byte over the limit of one
    begun: bool  # whether anything is written
    named: bool | None  # by its name or its metadata; None if its name is another exercise's
    missing: tuple[str, ...] = ()  # what the contract asks for and no cell defines
    broken: tuple[int, ...] = ()  # cells that seem to define something of it, but cannot be read
    places: Mapping[int, tuple[int, int]] = field(default_factory=dict)  # line → cell, line in it
    shared: tuple[str, ...] = ()  # names of other exercises, too, which have cells of their own


def exercises_in(name: str, notebook: Notebook) -> list[Extract]:
    """Return the exercises that a notebook with this name holds, in course order."""
    by_name = slug_of(name) or (slug_in(name) if SHORT.match(name) else "")
    by_labels = next(filter(None, map(slug_in, notebook.labels)), "")
    return [*_exercises_of(by_name or by_labels, bool(by_name), notebook.cells)]


def _exercises_of(own: str, by_name: bool, cells: Sequence[NotebookCell]) -> Iterator[Extract]:
    """Yield the exercises that the cells of a file hold, in course order.

    `own` is the exercise of the file, if anything says so; `by_name` is whether its name does.
    """
    words = {word for cell in cells for word in WORD.findall(cell.text)}
    for slug, exercise in exercises().items():
        is_candidate = slug == own or words & {*contract(exercise).names}
        if is_candidate and (extract := _extract(exercise, own, by_name, cells)):
            yield extract


def named_exercise(exercise: Exercise, cells: Sequence[NotebookCell]) -> Extract:
    """Return the part of cells that belongs to the exercise that their file is named after."""
    extract = _extract(exercise, exercise.slug, True, cells)
    assert extract  # a name is enough, also where nothing is written
    return extract


def _extract(
    exercise: Exercise, own: str, by_name: bool, all_cells: Sequence[NotebookCell]
) -> Extract | None:
    wanted = {*contract(exercise).names}
    # Without imports of this very exercise, which a later one in the same notebook may have.
    itself = rf"^[ \t]*from[ \t]+(?:kata\.earlier)?\.{exercise.slug}[ \t]+import\b.*$"
    cells = [replace(cell, text=re.sub(itself, "", cell.text, flags=re.MULTILINE))
             for cell in all_cells
             if _owner(cell, exercise, own) in {"", *_used_by(exercise)}]  # fmt: skip
    cells += [*earlier_imports(exercise, cells, _lacking(cells))]
    try:
        assembly = assembled(cells, exercise)
        whole = completed(assembly, exercise)
    except UnusableError:  # too large for a file: as long as all of them, for the same message
        text = "\n".join(cell.text for cell in cells).ljust(LARGEST + 1)
        assembly = whole = Assembly(text)
    begun = begun_names(assembly.text, wanted)
    # What seems to define something of the exercise, but is not Python or too long.
    broken = tuple(cell.number for cell in cells
                   if (cell.number in assembly.unread or len(cell.text) > LARGEST)
                   and wanted.intersection(DEFINED.findall(cell.text)))  # fmt: skip
    named = own == exercise.slug or (None if by_name else False)
    if not named:
        evidence = _is_first(exercise, own, begun, cells) if begun else broken
        if not evidence or (named is None and begun != wanted):
            return None
    shared = tuple(begun & {*_rivals()}) if len(cells) < len(all_cells) else ()
    content = whole.text.encode("utf-8", "surrogatepass")[: LARGEST + 1]
    missing, places = assembly.missing, whole.places
    return Extract(exercise.slug, content, bool(begun), named, missing, broken, places, shared)


def earlier_imports(
    exercise: Exercise, cells: Sequence[NotebookCell], lacking: Collection[str] = ()
) -> Iterator[NotebookCell]:
    """Import an earlier exercise that stands in the same file as if it had a file of its own.

    So a mistake in it costs this exercise nothing. A function that takes other arguments than the
    contract says is the author's own helper. What is lacking, because nobody was asked for that
    exercise, is imported as well.
    """
    own = {*contract(exercise).names}
    counts = {name: count for cell in cells for name, count in _arguments(cell.text)}
    for slug in sorted(_used_by(exercise) - {exercise.slug}):
        names = [
            name.removesuffix(CONSTRUCTOR)
            for name, arguments in contract(exercises()[slug]).functions.items()
            if (counts.get(name) == len(arguments) or name.removesuffix(CONSTRUCTOR) in lacking)
            and name.partition(".")[0] not in own
        ]
        if names:
            yield NotebookCell(cells[0].number, f"from .{slug} import {', '.join(names)}")


def _lacking(cells: Sequence[NotebookCell]) -> set[str]:
    """Return the names that some cell uses and none gives a value."""
    trees = [tree for cell in cells if (tree := parsed(cell.text))]
    used = {name for tree in trees for name in names_in(tree)}
    bound = {name for tree in trees for node in tree.body for name in effects(node).binds}
    return set() if STAR in bound else used - bound  # a library may give any name


def _arguments(text: str) -> Iterator[tuple[str, int]]:
    for name, function in functions(parsed(text) or ast.Module([], [])):
        count = len(function.args.posonlyargs) + len(function.args.args)
        if "." not in name:
            yield name, count
        elif name.endswith(CONSTRUCTOR):
            yield name, count - 1


# -- names that several exercises ask for


@cache
def _rivals() -> dict[str, list[str]]:
    """Return such names, with the exercises."""
    slugs: dict[str, list[str]] = {}
    for slug, exercise in exercises().items():
        for name in contract(exercise).names:
            slugs.setdefault(name, []).append(slug)
    return {name: rivals for name, rivals in slugs.items() if len(rivals) > 1}


@cache
def _used_by(exercise: Exercise) -> frozenset[str]:
    needed = (_used_by(exercises()[slug]) for slug in exercise.needs)
    return frozenset({exercise.slug}).union(*needed)


def _owner(cell: NotebookCell, exercise: Exercise, own: str) -> str:
    """Return the only exercise that a cell with a shared name is for; empty if that is open."""
    shared = _rivals().keys() & DEFINED.findall(cell.text)
    rivals = {slug for name in shared for slug in _rivals()[name]}
    if not rivals & _used_by(exercise):
        return ""
    if own in rivals:
        return own
    by_labels = [slug for label in cell.labels if (slug := slug_in(label)) in rivals]
    return by_labels[0] if by_labels else _by_library(cell.text, rivals)


def _by_library(text: str, rivals: set[str]) -> str:
    """Return the only one of these exercises with the library of the text, if that names one."""
    words = {*WORD.findall(text)}
    named = [library for library in LIBRARIES if words & SIGNS[library]]
    slugs = [slug for slug in rivals if [exercises()[slug].library] == named]
    return slugs[0] if len(slugs) == 1 else ""


def _is_first(exercise: Exercise, own: str, begun: set[str], cells: Iterable[NotebookCell]) -> bool:
    """Return whether the names that are begun are of this exercise, and not of an earlier one."""
    owners = {_owner(cell, exercise, own) for cell in cells}
    if begun - {*_rivals()} or exercise.slug in owners:
        return True
    return all(_rivals()[name][0] == exercise.slug for name in begun)


# -- tests beside the exercises


def proofs_in(notebook: Notebook, own: str) -> Iterator[tuple[str, bytes]]:
    """Yield exercises with the text of tests; `own` is the one in the notebook's name, or none.

    The exercise's own names are left to the implementations that the tests are tried on.
    """
    tests: dict[str, list[str]] = {}
    any_exercise = next(iter(exercises().values()))  # for messages only
    for name in names_of_tests(notebook.cells)[:MOST_TESTS]:
        with suppress(*UNREADABLE):
            if slug := _tested(assembled(notebook.cells, any_exercise, [name]).text, own):
                tests.setdefault(slug, []).append(name)
    for slug, names in tests.items():
        with suppress(*UNREADABLE):
            whole = assembled(notebook.cells, any_exercise, names).text
            text = without(whole, contract(exercises()[slug]).names)
            text = EARLIER.sub("from exercises.", f"from exercises.{slug} import *\n{text}")
            yield slug, text.encode("utf-8", "surrogatepass")


def _tested(text: str, own: str) -> str:
    used = names_used(text)
    shares = {slug: len(used & {*contract(exercise).names})
              for slug, exercise in exercises().items()}  # fmt: skip
    best = max(shares, key=lambda slug: (shares[slug], slug == own))
    return best if shares[best] else ""


# -- Python files with several exercises; lines are those of the file


def asked_of(slug: str) -> set[str]:
    """Return the names that an exercise asks for; none if it is no exercise."""
    return {*contract(exercises()[slug]).names} if slug else set()


def defined(text: str) -> set[str]:
    """Return the names of exercises' contracts that a text seems to define, wherever in it."""
    return {
        name or variable for name, variable in DEFINED_OR_BOUND.findall(text)
    } & _contract_names()


@cache
def _contract_names() -> frozenset[str]:
    return frozenset(name for slug in exercises() for name in asked_of(slug))


def is_of_another(slug: str, text: str) -> bool:
    """Return whether a text is of another exercise, and nothing in it is this one's, misspelled."""
    wanted = asked_of(slug)
    definitions = {*WRITTEN.findall(text)}
    unknown = definitions - _contract_names()
    if defined(text) & wanted or any(did_you_mean(name, [*wanted]) for name in unknown):
        return False
    public = {name for name in definitions if not is_private(name)}
    is_exercise = any(names <= definitions or (public and public <= names)
                      for names in map(asked_of, exercises()))  # fmt: skip
    return is_exercise and parsed(text) is not None


def exercises_in_script(name: ShortName, text: str) -> Iterator[Extract]:
    """Yield the exercises in a file, in course order, with its lines as those of one cell."""
    for extract in _exercises_of(name.slug, bool(name.slug), [*cells_of(text)]):
        places = {at: (1, first + line - 1) for at, (first, line) in extract.places.items()}
        yield replace(extract, places=places)


class Piece(NamedTuple):
    """Lines of a file that can be read without the others, from the first to the last."""

    first: int
    last: int
    whole: bool  # whether it is one definition, and nothing else


def cells_of(text: str) -> Iterator[NotebookCell]:
    """Cut a file into its definitions, and what is between them, with first lines as numbers.

    A cell is of the exercise that the last heading above it names: `# Exercise 7: heads`.
    """
    lines, heading, end = text.split("\n"), "", 0
    for piece in _pieces(text, lines):
        above = [slug_in(line) for line in lines[end : piece.first - 1] if line.startswith("#")]
        heading = next(filter(None, reversed(above)), heading)
        end = piece.last
        code = "\n".join(lines[piece.first - 1 : piece.last])
        yield NotebookCell(piece.first, code, labels=(heading.partition("_")[0],))


def _pieces(text: str, lines: Sequence[str]) -> Iterator[Piece]:
    tree = parsed(text)
    last: Piece | None = None
    for piece in _of_lines(lines) if tree is None else map(_piece, tree.body):
        if last and (piece.first <= last.last or _fit(last, piece, lines)):
            last = Piece(last.first, piece.last, whole=False)
        else:
            yield from [last] if last else []
            last = piece
    yield from [last] if last else []


def _fit(piece: Piece, following: Piece, lines: Sequence[str]) -> bool:
    """Return whether two pieces go together: short, no definitions, and no heading between."""
    between = lines[piece.last : following.first - 1]
    if piece.whole or following.whole or any(map(slug_in, between)):
        return False
    return sum(1 + len(line) for line in lines[piece.first - 1 : following.last]) <= LARGEST_GROUP


def _piece(node: ast.stmt) -> Piece:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return Piece(first, node.end_lineno or first, isinstance(node, DEFINITIONS))


def _of_lines(lines: Sequence[str]) -> Iterator[Piece]:
    """Cut before every line that begins a statement at the left margin; decorators stay on top."""
    starts = [at for at, line in enumerate(lines, 1) if line and not CONTINUED.match(line)]
    starts = [at for at in starts if at == 1 or not lines[at - 2].startswith("@")]
    for first, following in zip(starts, [*starts[1:], len(lines) + 1], strict=True):
        yield Piece(first, following - 1, bool(DEFINED_OR_BOUND.match(lines[first - 1])))
