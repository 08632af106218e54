"""How much of what a submission's process says is passed on, and where its author finds the place.

Called by `verdicts.judge`. A submission can make its process say anything: megabytes, words for the
instructor, or the reference, which is in its memory where it stands in for an exercise. A file that
was put together has other lines than its author knows: cells of a notebook, or lines of a file with
several exercises.
"""

import io
import json
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from kata.course.curriculum import exercises
from kata.course.source import read
from kata.grading.collecting.submissions import Origin
from kata.inside import audit
from kata.text import MORE, clean
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State

MOST_TOLD = 28_000  # bytes in JSON of all messages of an exercise, as much as honest work has
MOST_FRAMES = 2_000  # of them for lines of the submission's own
MOST_FREE = 400  # bytes in words of its own, if the reference stands in
TOO_MUCH = "not shown: the claims before this one fill the report"
WITHHELD = (
    "not shown: where the reference stands in for an earlier exercise, a report has room for"
    f" {MOST_FREE} characters of your code's own words"
)
LONGEST_WORD = 60
LONGEST_QUOTE = 40  # characters of the reference's code, without spaces
WORD = re.compile(rf"(\S{{{LONGEST_WORD}}})\S+")
# Evidence in which there is nothing but numbers and words of the suite.
MEASURED = re.compile(
    r"\d+ of \d+ values |([\w ]+: )?(shape|dtype) |`\w+` was changed"
    r"|[^'\"]{1,80}: expected [-+.\w ]{1,60}, got [-+.\w]{1,30}$"
)
IN_WORDS = {State.FAILED, State.ERROR}  # in other states the words are the judge's
QUOTES = re.compile("['\"]")
CODE = {tokenize.NAME, tokenize.OP, tokenize.NUMBER}
PLACE = re.compile(r"(?:submission/)?(ex\d\d_\w+)\.py:(\d+)\b")  # as tracebacks say it
FLAGGED = re.compile(r"(?<=: )lines? (\d+(?:, \d+)*)")  # as flags do
Notebooks = Mapping[str, Origin]  # by exercise


def bounded(verdict: ExerciseVerdict, solutions: Path | None = None) -> ExerciseVerdict:
    """Cut the evidence of a verdict, if there is too much of it or it says too much.

    Args:
        verdict: on one exercise.
        solutions: where the reference is that stood in, if not the kata's own.
    """
    stood_in = [_reference(slug, solutions) for slug in verdict.stand_ins]
    allowance = Allowance(stood_in) if stood_in else None
    claims = _told(verdict.claims, allowance)
    return replace(
        verdict,
        claims=tuple(claims),
        printed=allowance.rest_of(verdict.printed) if allowance else verdict.printed,
        tampering=tuple(dict.fromkeys(map(audit.redact, verdict.tampering))),
    )


def _told(claims: Iterable[ClaimVerdict], allowance: "Allowance | None") -> Iterator[ClaimVerdict]:
    """In file order, as learners read them: the first ones keep their evidence."""
    left, of_frames = MOST_TOLD, MOST_FRAMES
    for claim in claims:
        message = claim.message
        if not message:
            yield claim
            continue
        if allowance:
            message = allowance.granted(message, claim.state)
        of_frames -= _size(message.frames)
        frames = message.frames if of_frames >= 0 else []
        evidence = WORD.sub(rf"\1{MORE}", message.evidence)
        message = replace(message, evidence=evidence, frames=frames)
        left -= _size(_texts(message))
        yield replace(claim, message=message if left >= 0 else _without_texts(message))


def _size(texts: list[str]) -> int:
    """As they are written down."""
    return len(json.dumps(texts))


def _texts(message: Message) -> list[str]:
    """All but the claim itself, and the picture, which is kept of one claim alone."""
    texts = [message.inputs, message.evidence, message.cause, message.compared, message.remark]
    return [*texts, *message.frames]


def _without_texts(message: Message) -> Message:
    return Message(message.claim, evidence=TOO_MUCH, line=message.line, leads=message.leads)


@dataclass
class Allowance:
    """What may be said in words of its own by code that has the reference in reach.

    Args:
        references: the code of those that stood in, without spaces, texts and comments.
    """

    references: list[str]

    def __post_init__(self) -> None:
        self._left = MOST_FREE
        self._granted: dict[str, str] = {}

    def granted(self, message: Message, state: State) -> Message:
        """Cut a message to the allowance that is left; what was said before costs nothing."""
        inputs, evidence = message.inputs, message.evidence
        if QUOTES.search(inputs):  # a text that the submission returned was handed on
            inputs = self._grant(inputs)
        measured = state is State.FAILED and not message.leads and MEASURED.match(evidence)
        if state in IN_WORDS and not measured:
            evidence = self._grant(evidence)
        return replace(message, inputs=inputs, evidence=evidence)

    def rest_of(self, printed: str) -> str:
        """Cut what was printed to the allowance that is left."""
        return self._grant(printed) if printed else ""

    def _grant(self, text: str) -> str:
        if text not in self._granted:
            self._granted[text] = self._granted_anew(text)
        return self._granted[text]

    def _granted_anew(self, text: str) -> str:
        short = text.encode("utf-8", "replace")[: self._left].decode("utf-8", "ignore")
        if text and (not short or self._quotes(text)):
            return WITHHELD
        self._left -= len(short.encode())
        return text if short == text else f"{short}{MORE}"

    def _quotes(self, text: str) -> bool:
        """Whether it holds a longer piece of the reference."""
        bare = "".join(text.split())
        pieces = (bare[at : at + LONGEST_QUOTE] for at in range(len(bare) - LONGEST_QUOTE + 1))
        return any(piece in code for piece in pieces for code in self.references)


def _reference(slug: str, solutions: Path | None) -> str:
    exercise = exercises()[slug]
    text = read(exercise.solution_in(solutions)).text
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return "".join(token.string for token in tokens if token.type in CODE)


# -- the lines of a file that was put together


def in_cells(verdict: ExerciseVerdict, notebooks: Notebooks) -> ExerciseVerdict:
    """Name the cells in a verdict whose author has a notebook and no file."""
    if not notebooks:
        return verdict
    own = notebooks.get(verdict.slug)
    claims = tuple(replace(claim, message=claim.message and _message(claim.message, notebooks, own))
                   for claim in verdict.claims)  # fmt: skip
    flags, left_over = verdict.flags, verdict.left_over
    if own:
        flags, left_over = (tuple(_flag(t, own) for t in texts) for texts in (flags, left_over))
    return replace(verdict, claims=claims, flags=flags, left_over=left_over)


def _message(message: Message, notebooks: Notebooks, own: Origin | None) -> Message:
    frames = [PLACE.sub(lambda place: _place(place, notebooks), frame) for frame in message.frames]
    line = _own_line(own, message.line) if own else message.line
    return replace(message, frames=frames, line=line)


def _own_line(own: Origin, line: int) -> int:
    """The line at which to open the author's own file; a notebook is opened at none."""
    return own.places.get(line, (0, 0))[1] if own.script else 0


def _place(match: re.Match[str], notebooks: Notebooks) -> str:
    """A place in a file, if that is none of a notebook's; else in a cell of it."""
    notebook = notebooks.get(match[1])
    if notebook and (place := notebook.modules.get(int(match[2]))):
        return f"{place[0]}:{place[1]}"
    if notebook is None or int(match[2]) not in notebook.places:
        return match[0]
    if notebook.script:
        return f"{notebook.name}:{notebook.places[int(match[2])][1]}"
    return f"{notebook.name}, {_in_words(notebook, int(match[2]))},"


def _flag(text: str, notebook: Origin) -> str:
    return FLAGGED.sub(lambda match: _lines(match, notebook), text)


def _lines(match: re.Match[str], notebook: Origin) -> str:
    lines = [int(number) for number in match[1].split(", ")]
    if not all(line in notebook.places or line in notebook.modules for line in lines):
        return match[0]
    return "; ".join(_in_words(notebook, line) for line in lines)


def _in_words(notebook: Origin, line: int) -> str:
    if line in notebook.modules:
        name, own = notebook.modules[line]
        return f"line {own} of {clean(name)}"
    cell, line_in_cell = notebook.places[line]
    if notebook.script:
        return f"line {line_in_cell} of {clean(notebook.name)}"
    return f"code cell {cell}, line {line_in_cell}"
