"""A result as HTML: inline styles only, no script, no background, for any theme around it.

Front ends put it into a frame of its own, or between their own styles, light or dark.
"""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from kata.markup import CODE, pieces
from kata.terminal.message import ALONE, headline, while_checking
from kata.terminal.svg import inline_maps
from kata.verdict import ClaimVerdict, Diagnosis, Fit, Message, Mistake, State

if TYPE_CHECKING:
    from kata.notebook.result import Result

BLUE, ORANGE, GREY = "#3f86d8", "#d9681f", "#8a8a8a"  # each can be read on white and on black
OUTER = (
    "border-left:4px solid {colour};padding:2px 0 2px 14px;margin:4px 0;max-width:64em;"
    "font-family:system-ui,sans-serif;font-size:14px;line-height:1.45;color:inherit"
)
CLAIM = "font-size:15px;font-weight:600;margin:8px 0 4px"
TEXT = "margin:4px 0"
CODE_STYLE = (
    "font-family:ui-monospace,monospace;font-size:13px;margin:4px 0;padding:0;border:0;"
    "white-space:pre-wrap;background:none;color:inherit"
)
MISTAKE = f"border:1px solid {BLUE};border-radius:4px;padding:6px 12px;margin:8px 0"
ASIDE = "opacity:.75;font-size:13px;margin:4px 0"
BOX = "display:inline-block;width:9px;height:15px;margin:1px;box-sizing:border-box;"
FILLS = {  # a claim that holds is full, one that does not is full and taller; the rest is empty
    State.PASSED: f"background:{BLUE};",
    State.NOT_STARTED: f"border:1px solid {GREY};",
    State.BLOCKED: f"border:1px solid {GREY};",
}
PRINTED = "printed by this call:"
WRONG = f"background:{ORANGE};height:21px;vertical-align:bottom;"


def page(result: "Result") -> str:
    """The page about what was asked for."""
    colour = BLUE if result else ORANGE if result.first else GREY
    label = escape(result.head, quote=True)
    parts = "".join(_parts(result))
    style = OUTER.format(colour=colour)
    return f'<div role="group" aria-label="{label}" style="{style}">{parts}</div>'


def _parts(result: "Result") -> Iterator[str]:
    yield f'<p style="{TEXT}"><strong>{escape(result.head)}</strong></p>'
    if not result.verdict.is_whole:
        yield _bar(result)
    if result.first and result.message:
        yield from _failure(result, result.message)
    if result.last:
        yield _text(result.last)
    yield from (f'<p style="{ASIDE}">{marked(note)}</p>' for note in result.notes)
    if result.first and result.verdict.printed.strip():
        yield _text(PRINTED) + _code(result.verdict.printed.rstrip())


def _bar(result: "Result") -> str:
    """A box for each claim, in the order of the suite."""
    boxes = "".join(map(_box, result.verdict.judged))
    label = escape(result.head, quote=True)
    return f'<div role="img" aria-label="{label}" style="line-height:0">{boxes}</div>'


def _box(claim: ClaimVerdict) -> str:
    title = escape(f"{claim.name}: {claim.state}", quote=True)
    return f'<span title="{title}" style="{BOX}{FILLS.get(claim.state, WRONG)}"></span>'


def _failure(result: "Result", message: Message) -> Iterator[str]:
    """The failure, in the order of the terminal's message."""
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
        yield f'<p style="{TEXT}">{escape(result.where)}</p>'


def _cause(result: "Result", message: Message) -> Iterator[str]:
    """The known mistake, once it has been looked for; else what the claim itself says of it."""
    diagnosis = result.verdict.diagnosis
    if diagnosis:
        yield f'<div style="{MISTAKE}">{"".join(_mistakes(diagnosis))}</div>'
    else:
        yield from map(_text, message.cause.splitlines())
    if not result.is_final:
        yield f'<p style="{ASIDE}">looking for a known mistake …</p>'


def _mistakes(diagnosis: Diagnosis) -> Iterator[str]:
    yield f'<p style="{TEXT};font-weight:600">{marked(headline(diagnosis))}</p>'
    for mistake in diagnosis.mistakes:
        yield from map(_text, filter(None, _sentences(mistake, diagnosis)))


def _sentences(mistake: Mistake, diagnosis: Diagnosis) -> list[str]:
    """What is said of a mistake; twins have the same symptom, as no claim tells them apart."""
    title = "" if diagnosis.fit in ALONE else f"- {mistake.title}"
    return [title, "" if diagnosis.fit is Fit.TWINS else mistake.symptom, mistake.why]


def _text(text: str) -> str:
    return f'<p style="{TEXT}">{marked(text)}</p>'


def _code(text: str, style: str = "") -> str:
    return f'<pre style="{CODE_STYLE};{style}">{escape(text)}</pre>' if text else ""


def marked(text: str) -> str:
    """A text with `code` as code; nothing in it can be markup of its own."""
    tags = {True: "<code>{}</code>", False: "{}"}
    return "".join(tags[kind == CODE].format(escape(part)) for kind, part in pieces(text))
