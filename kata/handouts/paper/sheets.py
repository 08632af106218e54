"""The sheets that learners work on with a pencil: an exercise, tests to write, hunts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from textwrap import dedent
from typing import Any

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise
from kata.course.reasons import measured
from kata.course.source import read
from kata.handouts.contracts import Contract, question
from kata.handouts.examples import Example, texts
from kata.handouts.excerpts import without_remark
from kata.handouts.figures import figure
from kata.handouts.mistakes import claims, made_in, traps
from kata.handouts.paper.typesetting import Data, capital, pdf, prose
from kata.practice.evidence import claims_of, judged, without_docstrings
from kata.practice.line import line
from kata.practice.loss import STEPS, loss, losses_of
from kata.practice.questions import Which, which
from kata.terminal.message import message
from kata.terminal.style import Style
from kata.verdict import Message

TRAPS, CLAIMS = 4, 4  # on the back of a sheet
BLANKS = 6  # places for tests on a page
LIBRARIES = {"torch": "torch", "numpy": "numpy as np"}  # as they are imported
HUNTS = 5  # on a page
LONGEST = 9  # lines of a message, of which a page has five
WIDTH = 92  # characters of a line of code on paper
SEED = 1
LINES, LOSSES = 2, 1  # hunts of both forms in a chapter of the book
LONGEST_CODE = 26  # lines of the code of a hunt


def sheet(exercise: Exercise, paper: str) -> bytes:
    """The PDF of one sheet."""
    return pdf("sheet.typ", data(exercise), paper)


def data(exercise: Exercise) -> Data:
    """The contents of a learner's sheet; none of them comes from the body of a solution."""
    content = texts(exercise)
    intro, blanks = content.paper
    return {
        **head(exercise),
        "command": f"pytest exercises/{exercise.filename}",
        "about": [prose(text) for text in _about(exercise)],
        "contracts": [_contract(contract) for contract in question(exercise).contracts],
        "example": _example(content.by_hand),
        "why": [[prose(capital(text)), numbers] for text, numbers in measured(exercise)],
        "setup": content.setup,
        "checks": [[prose(text), code] for text, code in content.checks],
        "paper": {"intro": prose(intro), "blanks": [[prose(a), b] for a, b in blanks]},
        "traps": [_trap(exercise, bug) for bug in traps(exercise)[:TRAPS]],
        "claims": [_claim(exercise, bug) for bug in _breakers(exercise)],
    }


def head(exercise: Exercise) -> Data:
    """The head of the page of an exercise: its names, what it takes and is worth, its figure."""
    return {
        "short": exercise.short,
        "title": exercise.title,
        "subtitle": prose(texts(exercise).subtitle),
        "core": exercise.core,
        "minutes": exercise.minutes,
        "points": exercise.points,
        "figure": figure_data(exercise),
    }


@cache
def figure_data(exercise: Exercise) -> Data | None:
    """The figure of an exercise with its words, if it has one."""
    drawing = figure(exercise.slug)
    if drawing is None:
        return None
    texts = {"title": drawing.title, "caption": prose(drawing.caption)}
    return {"svg": drawing.svg, "alt": drawing.alt, **texts}


def _about(exercise: Exercise) -> tuple[str, ...]:
    """The introduction of the stub, without the sentence that is its title."""
    paragraph, *paragraphs = question(exercise).about
    rest = paragraph.partition(". ")[2]
    return (rest, *paragraphs) if rest else tuple(paragraphs)


def _contract(contract: Contract) -> Data:
    return {
        "signature": contract.signature,
        "summary": prose(contract.summary),
        "prose": [prose(part) for part in contract.prose],
        "sections": [[name, [[item.name, prose(item.text)] for item in items]]
                     for name, items in contract.sections.items()],
    }  # fmt: skip


def _example(example: Example) -> Data:
    lines = [line for line in example.code.splitlines() if not line.startswith(">>> import ")]
    steps = [[prose(text), value] for text, value in example.steps]
    return {"about": prose(example.about), "code": "\n".join(lines), "steps": steps}


def _trap(exercise: Exercise, bug: Bug) -> list[Any]:
    """A mistake, its symptom and its place; never its remedy."""
    return [prose(capital(bug.title)), prose(bug.symptom), made_in(exercise, bug)]


def _breakers(exercise: Exercise) -> list[Bug]:
    """The mistakes seen most often of those claims that most mistakes break."""
    counts = Counter(bug.claim for bug in bugs(exercise))
    return sorted(traps(exercise), key=lambda bug: -counts[bug.claim])[:CLAIMS]


def _claim(exercise: Exercise, bug: Bug) -> Data:
    """The sentence of a failing claim, its usual cause with its place, and the first hint."""
    return {
        "says": prose(claims(exercise)[bug.claim]),
        "often": prose(capital(bug.title)),
        "where": made_in(exercise, bug),
        "look": prose(bug.hints[0]),
    }


def proof_sheet(exercise: Exercise, paper: str) -> bytes:
    """The PDF of one page."""
    return pdf("proof.typ", proof_sheet_data(exercise), paper)


def proof_sheet_data(exercise: Exercise) -> Data:
    """The contents, with nothing of a solution and no title of a mistake, which is an answer."""
    return {
        "short": exercise.short,
        "title": exercise.title,
        "contracts": [
            {"signature": contract.signature, "summary": prose(contract.summary)}
            for contract in question(exercise).contracts
        ],
        "symptoms": [[prose(bug.symptom), made_in(exercise, bug)] for bug in level_one(exercise)],
        "tests": BLANKS,
        "library": LIBRARIES[exercise.library],
        "file": f"proofs/{exercise.filename}",
        "module": f"exercises.{exercise.slug}",
        "command": f"kata prove {exercise.short}",
    }


def level_one(exercise: Exercise) -> tuple[Bug, ...]:
    """The wrong answers of level 1."""
    return tuple(bug for bug in bugs(exercise) if bug.level == 1)


def hunt_sheet(exercise: Exercise, paper: str) -> bytes:
    """The PDF of one page."""
    return pdf("which.typ", hunt_sheet_data(exercise), paper)


def hunt_sheet_data(exercise: Exercise) -> Data:
    """The contents, with the answers, printed upside down."""
    hunts = list(islice(short_hunts(exercise), HUNTS))
    return {
        "short": exercise.short,
        "title": exercise.title,
        "hunts": [_hunt(hunt) for hunt in hunts],
        "answers": [f"{number} {hunt.right}" for number, hunt in enumerate(hunts, start=1)],
        "command": f"kata hunt {exercise.short}",
    }


def short_hunts(exercise: Exercise) -> Iterator[Which]:
    """Hunts with short messages, one for each claim, those of level 1 first."""
    claims = set()
    for bug in _traps_first(exercise):
        fits = bug.claim not in claims and not bug.remembers and _is_short(exercise, bug)
        if fits and (hunt := which(exercise, bug, SEED)):
            claims.add(bug.claim)
            yield hunt


def _is_short(exercise: Exercise, bug: Bug) -> bool:
    # To look for a whole hunt would judge the mistakes beside this one as well.
    claim = next(iter(claims_of(exercise, bug)), None)
    return claim is None or len(_lines(judged(exercise, bug, claim).message)) <= LONGEST


def _hunt(hunt: Which) -> Data:
    claim, *rest = _lines(hunt.message)
    options = [[letter, prose(option.bug.title)] for letter, option in hunt.lettered.items()]
    return {"claim": prose(capital(claim)), "says": "\n".join(rest), "options": options}


def _lines(failure: Message) -> list[str]:
    """The claim, then the rest of the message, in which the claim would stand once more."""
    style = Style(width=WIDTH)
    head = [] if failure.leads else message(Message(failure.claim), style).splitlines()
    rest = message(replace(failure, claim="") if failure.leads else failure, style).splitlines()
    return [failure.claim, *dedent("\n".join(rest[len(head) :])).splitlines()]


def code_hunts(exercise: Exercise) -> list[Data]:
    """Functions that are wrong in one place, and one with a loss that falls."""
    lines = dict(islice(_by_line(exercise), LINES))
    losses = (hunt for slug, hunt in _by_loss(exercise) if slug not in lines)
    return [*lines.values(), *islice(losses, LOSSES)]


def _by_line(exercise: Exercise) -> Iterator[tuple[str, Data]]:
    solution = read(exercise.solution).text
    for bug in _traps_first(exercise):
        if hunt := line(exercise, bug, solution):
            task = f"`{hunt.name}` is wrong in one place: which?"
            yield from _fitting(bug, task, without_docstrings(hunt.code))


def _by_loss(exercise: Exercise) -> Iterator[tuple[str, Data]]:
    losses = losses_of(exercise)
    hidden = losses.there if losses else {}
    for bug in _traps_first(exercise):
        if bug.slug in hidden and (hunt := loss(exercise, bug)):
            first, last = hunt.curve[0], hunt.curve[-1]
            task = (
                "Trained to say the token before each one, "
                f"its loss falls from {first:.2f} to {last:.2f} in {STEPS} steps. Is it right?"
            )
            yield from _fitting(bug, task, hunt.code)


def _fitting(bug: Bug, task: str, code: str) -> Iterator[tuple[str, Data]]:
    """A hunt with its slug, if its code fits; without comments, which wrong lines often lack."""
    lines = [without_remark(text) for text in code.splitlines() if text.strip()]
    if len(lines) <= LONGEST_CODE:
        answer = prose(f"{capital(bug.title)}. {bug.why}")
        yield bug.slug, {"asked": prose(task), "code": "\n".join(lines), "answer": answer}


def _traps_first(exercise: Exercise) -> list[Bug]:
    return sorted(bugs(exercise), key=lambda bug: (bug.level != 1, not bug.is_real))
