"""The results of `check`, as text and as HTML for any theme around them, and other replies."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from kata.course.curriculum import Exercise, did_you_mean, exercise_named, exercises
from kata.course.source import contract
from kata.course.suite_code import about
from kata.errors import UserError
from kata.markup import CODE, pieces
from kata.notebook.kernel import PAGE, TEXT, run_count, show
from kata.pictures.svg import inline_maps
from kata.terminal.board import standing
from kata.terminal.message import ALONE, headline, message, while_checking
from kata.terminal.style import Style
from kata.text import clean
from kata.verdict import ClaimVerdict, Diagnosis, ExerciseVerdict, Fit, Message, Mistake, State

# How many names of an exercise the cells define.
Defined = Callable[[Exercise], int]

NOTHING_BEGUN = "no cell defines anything of an exercise yet"
PRINTED = "printed by this call:"
WIDTH = 88  # characters of a line of text in the output of a cell

# Readable on white and on black, for no theme tells which it is.
BLUE, ORANGE, GREY = "#3f86d8", "#d9681f", "#8a8a8a"
OUTER = (
    "border-left:4px solid {colour};padding:2px 0 2px 14px;margin:4px 0;max-width:64em;"
    "font-family:system-ui,sans-serif;font-size:14px;line-height:1.45;color:inherit"
)
CLAIM = "font-size:15px;font-weight:600;margin:8px 0 4px"
TEXT_STYLE = "margin:4px 0"
CODE_STYLE = (
    "font-family:ui-monospace,monospace;font-size:13px;margin:4px 0;padding:0;border:0;"
    "white-space:pre-wrap;background:none;color:inherit"
)
MISTAKE = f"border:1px solid {BLUE};border-radius:4px;padding:6px 12px;margin:8px 0"
ASIDE = "opacity:.75;font-size:13px;margin:4px 0"
BOX = "display:inline-block;width:9px;height:15px;margin:1px;box-sizing:border-box;"
# The box of a claim that holds is full, of one that fails full and taller; all others are empty.
FILLS = {
    State.PASSED: f"background:{BLUE};",
    State.NOT_STARTED: f"border:1px solid {GREY};",
    State.BLOCKED: f"border:1px solid {GREY};",
}
WRONG = f"background:{ORANGE};height:21px;vertical-align:bottom;"


@dataclass(frozen=True)
class Request:
    """An exercise, and the name in it that is to be checked; empty for all of it."""

    exercise: Exercise
    name: str = ""

    def concerns(self, claim: str) -> bool:
        """Return whether a claim is about that name."""
        return not self.name or about(self.exercise, claim.partition("[")[0]) == self.name


def request_for(what: object, defined: Defined) -> Request:
    """Return the request for a function, a class, or the name of these or of an exercise."""
    name = what if isinstance(what, str) else getattr(what, "__name__", "")
    if name == "<lambda>":
        raise UserError("a lambda does not know its name: write it with `def`")
    if not name:
        raise UserError(
            "`check` takes a function, a class, or the name of an exercise such as "
            f'"ex05"; this is a {type(what).__name__}'
        )
    if candidates := [
        exercise for exercise in exercises().values() if name in contract(exercise).names
    ]:
        return Request(max(candidates, key=defined), name)
    if isinstance(what, str):
        return Request(exercise_named(name))
    names = [name for exercise in exercises().values() for name in contract(exercise).names]
    raise UserError(f"no exercise asks for `{name}`{did_you_mean(name, names)}")


@dataclass(frozen=True)
class Result:
    """The claims of a request, in the words of the notebook.

    Attributes:
        request: the exercise, and the name in it.
        verdict: the claims about that; with the mistake that the diagnosis names.
        where: the cell and the line to look at.
        notes: further sentences.
        output_of: the number of the cell that shows it already.
        is_final: whether the diagnosis is done.
    """

    request: Request
    verdict: ExerciseVerdict
    where: str = ""
    notes: tuple[str, ...] = ()
    output_of: int | None = None
    is_final: bool = True

    def __bool__(self) -> bool:
        return self.verdict.state is State.PASSED

    @property
    def first(self) -> ClaimVerdict | None:
        """The claim to look at first, among those about code that is written."""
        return self.verdict.first_wrong

    @property
    def head(self) -> str:
        """The headline: the name or exercise, and how many claims hold."""
        slug, name = self.request.exercise.slug, self.request.name
        about = f"{name} ({slug})" if name else slug
        return f"{about}: {standing(self.verdict)}"

    @property
    def message(self) -> Message | None:
        """The message of the first claim that does not hold."""
        return self.first.message if self.first else None

    @property
    def last(self) -> str:
        """The work that is left where nothing is wrong."""
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
        if self.output_of is None or self.output_of != run_count():
            show(bundle(self), self.request.exercise.slug)


def bundle(result: Result) -> dict[str, str]:
    """Return the forms for a front end; a screen reader and a terminal get the text."""
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


class Reply:
    """Sentences, with a stranger's words in them made safe.

    They are `aligned` if they are lines that need characters of one width.
    """

    def __init__(self, lines: Sequence[str], *, aligned: bool = False) -> None:
        self.lines = tuple(map(clean, lines))
        self.aligned = aligned

    def __repr__(self) -> str:
        if self.aligned:
            return "\n".join(self.lines)
        style = Style(width=WIDTH)
        return "\n".join(line for sentence in self.lines for line in style.wrap(sentence))

    def _repr_html_(self) -> str:
        if self.aligned:
            return f'<pre style="{CODE_STYLE}">{escape(repr(self))}</pre>'
        return "".join(map(_text, self.lines))


def page(result: Result) -> str:
    """Return a result as HTML."""
    colour = BLUE if result else ORANGE if result.first else GREY
    label = escape(result.head, quote=True)
    parts = "".join(_parts(result))
    style = OUTER.format(colour=colour)
    return f'<div role="group" aria-label="{label}" style="{style}">{parts}</div>'


def _parts(result: Result) -> Iterator[str]:
    yield f'<p style="{TEXT_STYLE}"><strong>{escape(result.head)}</strong></p>'
    if not result.verdict.is_whole:
        yield _bar(result)
    if result.first and result.message:
        yield from _failure(result, result.message)
    if result.last:
        yield _text(result.last)
    yield from (f'<p style="{ASIDE}">{marked(note)}</p>' for note in result.notes)
    if result.first and result.verdict.printed.strip():
        yield _text(PRINTED) + _code(result.verdict.printed.rstrip())


def _bar(result: Result) -> str:
    """Draw a box for every claim, in the order of the suite."""
    boxes = "".join(map(_box, result.verdict.judged))
    label = escape(result.head, quote=True)
    return f'<div role="img" aria-label="{label}" style="line-height:0">{boxes}</div>'


def _box(claim: ClaimVerdict) -> str:
    title = escape(f"{claim.name}: {claim.state}", quote=True)
    return f'<span title="{title}" style="{BOX}{FILLS.get(claim.state, WRONG)}"></span>'


def _failure(result: Result, message: Message) -> Iterator[str]:
    """Show the failure, in the order of the terminal's message."""
    yield "".join(f'<p style="{CLAIM}">{marked(line)}</p>' for line in message.brief.splitlines())
    yield _code(message.inputs)
    if not message.leads:
        yield _code(message.rest, f"color:{ORANGE};font-weight:600;")
    yield _code(message.compared)
    yield from map(_text, message.remark.splitlines())
    yield from _cause(result, message)
    if message.picture:
        title = f"heat maps, expected, got and their difference: {message.claim}"
        yield inline_maps(message.picture, title)
    yield from map(_code, message.frames)
    if message.leads and message.rest:
        yield f'<p style="{ASIDE}">{marked(while_checking(message))}</p>'
    if result.where:
        yield f'<p style="{TEXT_STYLE}">{escape(result.where)}</p>'


def _cause(result: Result, message: Message) -> Iterator[str]:
    """Name the mistake once the diagnosis is done; until then, what the claim says of it."""
    diagnosis = result.verdict.diagnosis
    if diagnosis:
        yield f'<div style="{MISTAKE}">{"".join(_mistakes(diagnosis))}</div>'
    else:
        yield from map(_text, message.cause.splitlines())
    if not result.is_final:
        yield f'<p style="{ASIDE}">looking for a known mistake …</p>'


def _mistakes(diagnosis: Diagnosis) -> Iterator[str]:
    yield f'<p style="{TEXT_STYLE};font-weight:600">{marked(headline(diagnosis))}</p>'
    for mistake in diagnosis.mistakes:
        yield from map(_text, filter(None, _sentences(mistake, diagnosis)))


def _sentences(mistake: Mistake, diagnosis: Diagnosis) -> list[str]:
    """Describe a mistake; of twins, which no claim tells apart, the symptom is left out."""
    title = "" if diagnosis.fit in ALONE else f"- {mistake.title}"
    return [title, "" if diagnosis.fit is Fit.TWINS else mistake.symptom, mistake.why]


def _text(text: str) -> str:
    return f'<p style="{TEXT_STYLE}">{marked(text)}</p>'


def _code(text: str, style: str = "") -> str:
    return f'<pre style="{CODE_STYLE};{style}">{escape(text)}</pre>' if text else ""


def marked(text: str) -> str:
    """Mark the `code` in a text; nothing in the text can be markup of its own."""
    tags = {True: "<code>{}</code>", False: "{}"}
    return "".join(tags[kind == CODE].format(escape(part)) for kind, part in pieces(text))
