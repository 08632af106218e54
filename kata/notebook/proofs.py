"""`prove(test_causal, test_padding)`: a learner's own tests, tried on right and wrong answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

from kata.course.cells import Assembly, assembled
from kata.course.curriculum import Exercise, exercise_named, exercises
from kata.course.notebook_file import names_of_tests, names_used, without
from kata.course.source import UnusableError, contract
from kata.errors import UserError
from kata.learner.proofs import judged
from kata.notebook.check import LAST, friendly
from kata.notebook.kernel import THIS_NOTEBOOK, WorkInCells, cells, place
from kata.notebook.results import BLUE, CLAIM, CODE_STYLE, ORANGE, OUTER, TEXT_STYLE, WIDTH, marked
from kata.proofs.proof import Proof
from kata.proofs.report import Place, Row, Section, advice, all_in_all, head, lines, troubles
from kata.proofs.verdict import ProofVerdict
from kata.terminal.style import Style

HINTS = "hint()"
CELL = "padding:1px 14px 1px 0;text-align:{side};border:0;background:none;color:inherit"


@friendly
def prove(*what: object) -> "ProofResult":
    """Judge the tests that the cells of this notebook define.

    Args:
        what: test functions, or "ex05" for all tests in the notebook that are about it.
    """
    return proved(WorkInCells(cells()), *what)


def proved(work: WorkInCells, *what: object) -> "ProofResult":
    """Judge the tests of these cells, and remember the verdict for `hint()`."""
    tests = tests_asked(work, what)
    result = ProofResult(judged(tests.proof, tests.place), tests.place)
    LAST[:] = [(work, result.verdict)]
    return result


@dataclass(frozen=True)
class ProofResult:
    """The verdict on tests in cells; true once level 1 is all caught and nothing is refused."""

    verdict: ProofVerdict
    place: Place

    def __bool__(self) -> bool:
        return self.verdict.is_done

    def __repr__(self) -> str:
        return "\n".join(lines(self.verdict, Style(width=WIDTH), place=self.place, hints=HINTS))

    def _repr_html_(self) -> str:
        style = OUTER.format(colour=BLUE if self else ORANGE)
        label = escape(head(self.verdict), quote=True)
        parts = "".join(self._parts())
        return f'<div role="group" aria-label="{label}" style="{style}">{parts}</div>'

    def _parts(self) -> Iterator[str]:
        yield f'<p style="{TEXT_STYLE}"><strong>{marked(head(self.verdict))}</strong></p>'
        for section in (*troubles(self.verdict, self.place), *all_in_all(self.verdict)):
            yield from _section(section)
        yield f'<p style="{TEXT_STYLE}">{marked(advice(self.verdict, HINTS))}</p>'


def _section(section: Section) -> Iterator[str]:
    yield f'<p style="{CLAIM}">{marked(section.title)}</p>'
    if section.code:
        yield f'<pre style="{CODE_STYLE}">{escape(section.code)}</pre>'
    yield from (f'<p style="{TEXT_STYLE}">{marked(text)}</p>' for text in section.texts)
    if section.table:
        heading, *rows = section.table
        body = "".join(_row(row, "td", len(heading)) for row in rows)
        head_row = _row(heading, "th", len(heading))
        yield f'<table style="border-collapse:collapse">{head_row}{body}</table>'


def _row(row: Row, tag: str, width: int) -> str:
    """Return a row; one that is shorter than the heading ends in a wide cell."""
    name, *cells = row
    wide = f' colspan="{width - 1}"' if len(cells) < width - 1 else ""
    left, right = CELL.format(side="left"), CELL.format(side="right")
    rest = "".join(f'<{tag}{wide} style="{right}">{escape(cell)}</{tag}>' for cell in cells)
    return f'<tr style="background:none"><{tag} style="{left}">{marked(name)}</{tag}>{rest}</tr>'


class TestsInCells:
    """Some tests of a notebook, with what they need of its other cells.

    The exercise's own names are left to the implementations that the tests are tried on, whatever
    the cells define under them.
    """

    # pytest would collect it, because of its name.
    __test__ = False

    def __init__(
        self, work: WorkInCells, names: Sequence[str], exercise: Exercise | None = None
    ) -> None:
        self._work = work
        self.names = names
        self.exercise = exercise or self._exercise_of_most_names()

    @cached_property
    def proof(self) -> Proof:
        """The tests as a proof; raises UserError if they cannot be judged."""
        names = contract(self.exercise).names
        path = self._work.folder / f"tests of {self.exercise.filename}"
        try:
            return Proof.of(self.exercise, path, without(self.text, names), names)
        except UnusableError as error:
            raise UserError(str(error)) from None

    def place(self, line: int) -> str:
        """Return the place of a line of the proof in the notebook."""
        pair = self._assembly.places.get(line)
        return place(*pair) if pair else THIS_NOTEBOOK

    @cached_property
    def _assembly(self) -> Assembly:
        # Its name appears in messages only.
        any_exercise = next(iter(exercises().values()))
        try:
            return assembled(self._work.cells, any_exercise, self.names)
        except UnusableError as error:
            raise UserError(str(error)) from None

    @property
    def text(self) -> str:
        """The text of the tests and of what they need."""
        return self._assembly.text

    def _exercise_of_most_names(self) -> Exercise:
        """Return the exercise of which the tests use the most names."""
        used = names_used(self.text)
        shares = {
            exercise: len(used & set(contract(exercise).names)) for exercise in exercises().values()
        }
        best = max(shares, key=lambda exercise: (shares[exercise], self._work.defines(exercise)))
        if not shares[best]:
            raise UserError(
                f"{', '.join(self.names)}: no exercise asks for anything that is called here"
            )
        return best


def tests_asked(work: WorkInCells, what: Sequence[object]) -> TestsInCells:
    """Return the tests that functions, their names or the name of an exercise stand for."""
    defined = names_of_tests(work.cells)
    if len(what) == 1 and isinstance(what[0], str) and what[0] not in defined:
        return _all_about(work, exercise_named(what[0]), defined)
    names = [test if isinstance(test, str) else getattr(test, "__name__", "") for test in what]
    if missing := [name for name in names if name not in defined]:
        raise UserError(
            f"no cell defines a test `{missing[0] or '?'}`: a test is a function called test_…"
        )
    if not names:
        raise UserError('`prove` takes test functions, or the name of an exercise such as "ex05"')
    return TestsInCells(work, names)


def _all_about(work: WorkInCells, exercise: Exercise, tests: Sequence[str]) -> TestsInCells:
    names = set(contract(exercise).names)
    own = [test for test in tests if names & names_used(TestsInCells(work, [test], exercise).text)]
    if not own:
        raise UserError(
            f"no test in this notebook is about {exercise.slug}: a test is a function "
            "called test_… that calls what the exercise asks for"
        )
    return TestsInCells(work, own, exercise)
