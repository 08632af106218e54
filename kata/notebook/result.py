"""The result of `check`: true if all holds, and readable wherever it is displayed."""

from dataclasses import dataclass

from kata.notebook.kernel import PAGE, TEXT, run_count, show
from kata.notebook.page import PRINTED, page
from kata.notebook.reply import WIDTH
from kata.notebook.request import Request
from kata.terminal.board import standing
from kata.terminal.message import message
from kata.terminal.style import Style
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State

NOTHING_BEGUN = "no cell defines anything of an exercise yet"


@dataclass(frozen=True)
class Result:
    """The claims about what was asked for, in the words of the notebook.

    Attributes:
        request: the exercise, and the name in it.
        verdict: the claims about that; with the known mistake, if one was found.
        where: the cell and the line to look at.
        notes: what else is to be said.
        shown_in: the number of the cell below which it stands already.
        is_final: whether the mistake has been looked for.
    """

    request: Request
    verdict: ExerciseVerdict
    where: str = ""
    notes: tuple[str, ...] = ()
    shown_in: int | None = None
    is_final: bool = True

    def __bool__(self) -> bool:
        return self.verdict.state is State.PASSED

    @property
    def first(self) -> ClaimVerdict | None:
        """The claim to look at first, of what is written."""
        return self.verdict.first_wrong

    @property
    def head(self) -> str:
        """The headline: what was asked for, and how many claims hold."""
        slug, name = self.request.exercise.slug, self.request.name
        about = f"{name} ({slug})" if name else slug
        return f"{about}: {standing(self.verdict)}"

    @property
    def message(self) -> Message | None:
        """The message of the first claim that does not hold."""
        return self.first.message if self.first else None

    @property
    def last(self) -> str:
        """What is left to do where nothing is wrong."""
        left = self.verdict.first_failure
        if self.first or not left or not left.message or self.verdict.is_whole:
            return ""
        return left.message.evidence

    def __repr__(self) -> str:
        style = Style(width=WIDTH)
        mark = style.marks[State.PASSED if self else State.FAILED if self.first else State.SKIPPED]
        lines = [f"{mark} {self.head}"]
        if self.first and self.message:
            beside = self.verdict.beside(self.first)
            lines += [message(self.message, style, self.verdict.diagnosis, beside)]
        lines += [self.where] if self.where else []
        for note in filter(None, [self.last, *self.notes]):
            lines += style.wrap(note)
        if self.first and self.verdict.printed.strip():
            lines += [PRINTED, self.verdict.printed.rstrip()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return page(self)

    def _ipython_display_(self) -> None:
        """Show it, unless it stands in the output of this cell already."""
        if self.shown_in is None or self.shown_in != run_count():
            show(bundle(self), self.request.exercise.slug)


def bundle(result: Result) -> dict[str, str]:
    """The forms among which a front end chooses; a screen reader and a terminal get the text."""
    return {TEXT: repr(result), PAGE: page(result)}


@dataclass(frozen=True)
class Results:
    """The results of several exercises."""

    results: tuple[Result, ...]

    def __bool__(self) -> bool:
        return bool(self.results) and all(self.results)

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self.results)) or NOTHING_BEGUN

    def _repr_html_(self) -> str:
        return "".join(map(page, self.results)) or f"<p>{NOTHING_BEGUN}</p>"

    def _ipython_display_(self) -> None:
        for result in self.results:
            result._ipython_display_()
        if not self.results:
            print(self)
