"""A page for each student: what holds, what went wrong first, and what to do next.

`grades/feedback/NAME.html` is for a browser, `NAME.md` for tools that render Markdown. A page is
about its student alone: flags, which compare students, and tampering are for the instructor.
"""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from kata import markup
from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.course.shares import shares
from kata.grading.reports import proofs, remarks
from kata.grading.reports.feedback.advice import Advice, Row, advice, row
from kata.grading.reports.feedback.markdown import escaped, fenced, inline
from kata.grading.reports.feedback.sealed import sealed
from kata.grading.reports.filenames import write_each
from kata.grading.reports.tables import number
from kata.grading.reports.text import points
from kata.points import Scale
from kata.terminal.heatmaps import captions
from kata.terminal.style import Style
from kata.terminal.svg import styled
from kata.terminal.text_maps import heat_map
from kata.text import clean, line
from kata.verdict import Message, State
from kata.words import say

FOLDER = "feedback"
SUFFIXES = ("html", "md")
TEMPLATES = Path(__file__).with_name("templates")
KEPT = {"keep_trailing_newline": True}


@dataclass(frozen=True)
class Page:
    """The content of one student's page."""

    student: str
    score: str
    most: str
    claims: int  # that hold
    of_claims: int  # that there are
    rows: tuple[Row, ...]
    advice: tuple[Advice, ...]
    notes: tuple[str, ...]
    problem: str
    exam: bool
    proofs: tuple[tuple[str, tuple[str, ...]], ...] = ()  # titles, and what is told
    changes: tuple[str, ...] = ()  # of marks, and comments
    sealed: bool = False  # whether nothing may give a solution away
    by_hand: bool = False  # whether an instructor has marked what could not be judged
    absent: bool = False  # whether nothing was handed in
    called: str = ""  # what the score is called, if the class has a scale

    @property
    def held(self) -> list[Row]:
        """The exercises that pass."""
        return [each for each in self.rows if each.state is State.PASSED]

    @property
    def begun(self) -> bool:
        """Whether any exercise was started."""
        return any(each.begun for each in self.rows)

    @property
    def next(self) -> Row | None:
        """What to do next: first what was started, then what was not."""
        begun = [each.row for each in self.advice]
        return next(iter([*begun, *(each for each in self.rows if not each.begun)]), None)


def write(found: ClassVerdict, grades: Path) -> None:
    """Both files for every student, one student after the other."""
    write_each(found, grades / FOLDER, lambda verdict: _files(of(verdict, found)))


def _files(told: Page) -> dict[str, str]:
    return {suffix: text(told, suffix) for suffix in SUFFIXES}


def of(verdict: SubmissionVerdict, found: ClassVerdict) -> Page:
    """The page of a student of this class."""
    called = _called(found.scale, verdict) if found.scale else ""
    if found.sealed:  # what is told of a proof quotes right answers
        told = page(sealed(verdict), exam=True)
        return replace(told, sealed=True, proofs=(), called=called)
    return replace(page(verdict, exam=not found.diagnosed), called=called)


def _called(scale: Scale, verdict: SubmissionVerdict) -> str:
    names = dict(scale.names(verdict.score, verdict.most))
    return say("reports.grade" if "grade" in names else "reports.percent", **names)


def page(verdict: SubmissionVerdict, *, exam: bool = False) -> Page:
    """The page of this student."""
    pairs = list(zip(verdict.exercises, verdict.marks, strict=True))
    return Page(
        line(verdict.student),
        number(verdict.score, remarks.DIGITS),
        number(verdict.most, remarks.DIGITS),
        sum(each.held for each in verdict.exercises),
        sum(len(shares(exercises()[each.slug])) for each in verdict.exercises),
        tuple(row(*each) for each in pairs),
        tuple(filter(None, (advice(*each, exam=exam) for each in pairs))),
        () if verdict.absent else verdict.notes,
        verdict.problem,
        exam,
        tuple((proofs.title(each), (*proofs.told(each),)) for each in verdict.begun_proofs),
        tuple(remarks.changes(verdict)),
        by_hand=verdict.by_hand,
        absent=verdict.absent,
    )


def text(told: Page, suffix: str) -> str:
    """The page as HTML or as Markdown."""
    template = environments()[suffix].get_template(f"feedback.{suffix}.jinja")
    return template.render(page=told, State=State, marks=Style().marks)


@cache
def environments() -> dict[str, Environment]:
    """One environment for each form; each makes every value safe, whatever a template does."""
    html = markup.environment(TEMPLATES, finalize=_harmless, **KEPT)
    html.filters |= {
        "inline": _inline_html,
        "styled": styled,
        "captions": captions,
        "points": points,
    }
    markdown = markup.environment(TEMPLATES, autoescape=False, finalize=escaped, **KEPT)
    markdown.filters |= {"inline": inline, "fenced": fenced, "evidence": _evidence}
    markdown.filters["points"] = points
    return {"html": html, "md": markdown}


def _harmless(value: object) -> object:
    return clean(value) if type(value) is str else value


def _inline_html(text: str) -> Markup:
    return markup.html(clean(text))


def _evidence(message: Message) -> Markup:
    """The call, what came of it, its map and the student's own lines, as the terminal has them."""
    picture = ["", *heat_map(message.picture, Style())] if message.picture else []
    frames = ["", *message.frames] if message.frames else []
    told = filter(None, [message.inputs, message.rest, message.compared, message.remark])
    return fenced("\n".join([*told, *picture, *frames]))
