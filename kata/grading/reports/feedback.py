"""The pages of students: what holds, what went wrong first, and what to do next.

`formats` writes `grades/feedback/NAME.html` for a browser and `NAME.md` for tools that render
Markdown; `uploads` puts the same into zips for platforms. A page may say nothing about anybody
else: flags, which compare students, and tampering are for the instructor.
"""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from kata import markup
from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.catalogue import shares
from kata.course.curriculum import Exercise, exercises
from kata.course.source import contract
from kata.grading.reports import wording
from kata.grading.reports.wording import CUT, DIGITS, number, points
from kata.marks import Mark, Scale
from kata.pictures.heatmaps import captions
from kata.pictures.svg import styled
from kata.terminal.board import standing
from kata.terminal.message import ALONE, headline, heat_map
from kata.terminal.style import Style
from kata.text import clean, cut, line
from kata.verdict import ClaimVerdict, Diagnosis, ExerciseVerdict, Fit, Message, State

SUFFIXES = ("html", "md")
TEMPLATES = Path(__file__).with_name("templates")
MOST_PRINTED = 1000  # characters
UNJUDGED = {State.ERROR, State.NOT_STARTED, State.NOT_GRADABLE}
# What CommonMark, and GitHub's additions to it, take for markup; and what does so only at the edge
# of a word (emphasis, lists, rules), before a slash (links), after a number (lists) or www (links).
SPECIAL = re.compile(
    r"[\\`*{}\[\]<>#|~!&@$^]|(?<![^\W_])_|_(?![^\W_])|:(?=/)|(?<!\S)[-+=]|(?<=\d)[.)](?!\S)|(?<=www)\.",
    re.IGNORECASE,
)
SHORTEST_FENCE = 3
Content = dict[str, Any]  # of a page, or of a part of it, as the templates name it


def texts(verdict: SubmissionVerdict, verdicts: ClassVerdict) -> dict[str, str]:
    """Write both files of a student of this class, by suffix."""
    content = page(verdict, verdicts)
    return {suffix: text(content, suffix) for suffix in SUFFIXES}


def page(verdict: SubmissionVerdict, verdicts: ClassVerdict) -> Content:
    """Return the content of a student's page, as this class has it."""
    if verdicts.sealed:
        content = content_of(sealed(verdict), exam=True)
        content |= {"sealed": True, "proofs": ()}  # what is said of a proof quotes right answers
    else:
        content = content_of(verdict, exam=not verdicts.diagnosed)
    return content | {"called": _on_scale(verdicts.scale, verdict) if verdicts.scale else ""}


def _on_scale(scale: Scale, verdict: SubmissionVerdict) -> str:
    names = dict(scale.names(verdict.score, verdict.most))
    grade = f", grade {clean(names['grade'])}" if "grade" in names else ""
    return f"{names['percent']} %{grade}"


def content_of(verdict: SubmissionVerdict, *, exam: bool = False) -> Content:
    """Return the content of a student's page; after an exam it has no mistakes and no hints."""
    pairs = list(zip(verdict.exercises, verdict.marks, strict=True))
    rows = [_row(*pair) for pair in pairs]
    advice = [*filter(None, (_advice(*pair, exam=exam) for pair in pairs))]
    begun = [piece["row"] for piece in advice]
    unbegun = [row for row in rows if not row["begun"]]
    return {
        "student": line(verdict.student),
        "score": number(verdict.score, DIGITS),
        "most": number(verdict.most, DIGITS),
        "called": "",  # what the score is called, if the class has a scale
        "claims": sum(exercise.held for exercise in verdict.exercises),
        "of_claims": sum(len(shares(row["exercise"])) for row in rows),
        "rows": rows,
        "held": [row for row in rows if row["state"] is State.PASSED],
        "begun": len(unbegun) < len(rows),
        "advice": advice,
        # What to do next: first what was started, then what was not.
        "next": next(iter([*begun, *unbegun]), None),
        "proofs": [(wording.proof_title(proof), [*wording.proof_lines(proof)])
                   for proof in verdict.begun_proofs],
        "changes": wording.changes(verdict),
        "notes": () if verdict.absent else verdict.notes,
        "problem": verdict.problem,
        "exam": exam,
        "sealed": False,  # whether nothing may give a solution away
        "by_hand": verdict.by_hand,
        "absent": verdict.absent,
    }  # fmt: skip


def _row(exercise: ExerciseVerdict, mark: Mark) -> Content:
    state = State.SKIPPED if exercise.in_work else exercise.state
    return {
        "exercise": exercises()[exercise.slug],
        "state": state,
        "begun": state is not State.NOT_STARTED,
        "standing": _standing(exercise),
        "share": exercise.held / max(1, len(exercise.judged)),
        "score": number(mark.score, DIGITS),
        "most": number(mark.most, DIGITS),
        "points": mark.most,
        "stand_ins": exercise.stand_ins,
        "set_aside": exercise.set_aside,
        "tried": exercise.has_tampering,
        "left_over": exercise.left_over,
        "charged": [*wording.charges(exercise, mark)],
    }


def _standing(exercise: ExerciseVerdict) -> str:
    """Return the standing as on the board; or say that the exercise is missing."""
    failed = exercise.first_failure
    if failed and failed.message and exercise.state is State.NOT_STARTED and exercise.is_whole:
        return failed.message.brief
    return standing(exercise)


def _advice(exercise: ExerciseVerdict, mark: Mark, *, exam: bool) -> Content | None:
    """Help with an exercise, if it was started and does not pass."""
    failed = exercise.first_failure
    if failed is None or exercise.state is State.NOT_STARTED:
        return None
    pairs = [(failed, None)] if exam else exercise.failures
    return {
        "row": _row(exercise, mark),
        # What costs most comes first.
        "troubles": [_trouble(exercise, *pair, exam=exam) for pair in pairs],
        # Whether the message is about the file, because no claim could be checked.
        "whole": exercise.is_whole or _only_raised(exercise),
        "beside": 0 if exam else wording.unexplained_count(exercise),
        "printed": cut(wording.author_output(exercise).strip(), MOST_PRINTED, CUT),
    }


def _only_raised(exercise: ExerciseVerdict) -> bool:
    """Return whether the import of the file raised, so that no claim could be checked."""
    first, *rest = exercise.claims
    return first.state is State.ERROR and {claim.state for claim in rest} == {State.BLOCKED}


def _trouble(
    exercise: ExerciseVerdict, claim: ClaimVerdict, diagnosis: Diagnosis | None, *, exam: bool
) -> Content:
    """Describe a claim that does not hold, with the diagnosed mistake, if any, and one hint."""
    message = wording.author_message(claim)
    return {
        "message": message,
        "cause": "" if exam else _cause(diagnosis) if diagnosis else message.cause,
        "mistakes": diagnosis.mistakes if diagnosis else (),
        # Whether the mistakes are named one by one, rather than in the cause.
        "titled": bool(diagnosis and diagnosis.fit not in ALONE),
        "hint": "" if exam else _hint(exercise, claim, diagnosis),
        "claims": len(diagnosis.explains) if diagnosis else 0,
    }


def _cause(diagnosis: Diagnosis) -> str:
    """Name a mistake with a count: of the claims that fail by it, beside all claims."""
    if diagnosis.fit is not Fit.ONE:
        return headline(diagnosis)
    about = f" about `{diagnosis.about}`" if diagnosis.about else ""
    fail = "fails" if diagnosis.failing == 1 else "fail"
    rest = f"; others that fail: {diagnosis.others}" if diagnosis.others else ""
    return (f"known mistake, by which {diagnosis.failing} of {diagnosis.claims} claims{about} "
            f"{fail}{rest}: {diagnosis.mistakes[0].title}")  # fmt: skip


def _hint(exercise: ExerciseVerdict, failed: ClaimVerdict, diagnosis: Diagnosis | None) -> str:
    """Return the first hint about the diagnosed mistake, else about the function."""
    for mistake in diagnosis.mistakes if diagnosis else ():
        if mistake.hints:
            return mistake.hints[0]
    message = failed.message or Message("")
    unread = failed.state is State.ERROR and not message.inputs
    if unread or failed.state in {State.TAMPERED, State.NOT_GRADABLE}:
        return ""
    course_exercise = exercises()[exercise.slug]
    function = _function(course_exercise, failed, message)
    return next(iter(course_exercise.hints_about(function)), "")


def _function(exercise: Exercise, failed: ClaimVerdict, message: Message) -> str:
    """Return the function that was called or is mentioned, else the first of the exercise."""
    names = contract(exercise).names
    mention = re.compile(rf"\b(?:{'|'.join(names)})\b")
    for text in (message.inputs, message.evidence, failed.name):
        if match := mention.search(text):
            return match[0]
    return names[0]


# After an exam, nothing gives a solution away.


def sealed(verdict: SubmissionVerdict) -> SubmissionVerdict:
    """Reduce a verdict to points, counts of claims, and the name of the first one that fails.

    Why a file could not be read at all stays: that says something about the file, not the answer.
    """
    return replace(verdict, exercises=tuple(map(_sealed, verdict.exercises)))


def _sealed(exercise: ExerciseVerdict) -> ExerciseVerdict:
    first = exercise.first_failure
    claims = tuple(_sealed_claim(claim, exercise) if claim is first else
                   replace(claim, message=None) for claim in exercise.claims)  # fmt: skip
    return replace(exercise, claims=claims, diagnosis=None, printed="", flags=())


def _sealed_claim(claim: ClaimVerdict, exercise: ExerciseVerdict) -> ClaimVerdict:
    about_file = exercise.is_whole or (claim.message and not claim.message.inputs)
    if about_file and claim.message and claim.state in UNJUDGED:
        return replace(claim, message=Message(claim.message.claim))
    return replace(claim, message=Message(claim.plain_words))


# HTML and Markdown. Both make every value safe, whatever a template does.


def text(content: Content, suffix: str) -> str:
    """Render a page as HTML or as Markdown."""
    template = _environments()[suffix].get_template(f"feedback.{suffix}.jinja")
    return template.render(page=content, State=State, marks=Style().marks)


@cache
def _environments() -> dict[str, Environment]:
    html = markup.environment(TEMPLATES, finalize=_harmless, keep_trailing_newline=True)
    html.filters |= {"inline": _inline_html, "styled": styled, "captions": captions}
    markdown = markup.environment(TEMPLATES, autoescape=False, finalize=escaped,
                                  keep_trailing_newline=True)  # fmt: skip
    markdown.filters |= {"inline": inline, "fenced": fenced, "evidence": _evidence}
    for environment in (html, markdown):
        environment.filters["points"] = points
    return {"html": html, "md": markdown}


def _harmless(value: object) -> object:
    return clean(value) if type(value) is str else value


def _inline_html(text: str) -> Markup:
    return markup.html(clean(text))


def escaped(text: object) -> Markup:
    """Escape one line for Markdown, which then renders it literally."""
    if isinstance(text, Markup):
        return text
    return Markup(SPECIAL.sub(r"\\\g<0>", line(str(text))))


def inline(text: str) -> Markup:
    """Escape one line for Markdown, but for code between backticks."""
    pieces = markup.pieces(line(text))
    return Markup("".join(f"`{piece}`" if kind == markup.CODE else _escaped_piece(piece)
                          for kind, piece in pieces))  # fmt: skip


def _escaped_piece(piece: str) -> str:
    """Escape a piece, with the blanks at its ends."""
    inner = escaped(piece)
    left, right = piece[:1].isspace(), piece[-1:].isspace()
    return f"{' ' * left}{inner}{' ' * (right and bool(inner))}"


def fenced(text: str) -> Markup:
    """Make a block of code, in a fence that is longer than any within."""
    text = clean(text)
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    fence = "`" * max(SHORTEST_FENCE, longest + 1)
    return Markup(f"{fence}text\n{text}\n{fence}")


def _evidence(message: Message) -> Markup:
    """Print the call, its result, its map and the student's own lines, as the terminal does."""
    picture = ["", *heat_map(message.picture, Style())] if message.picture else []
    frames = ["", *message.frames] if message.frames else []
    lines = filter(None, [message.inputs, message.rest, message.compared, message.remark])
    return fenced("\n".join([*lines, *picture, *frames]))
