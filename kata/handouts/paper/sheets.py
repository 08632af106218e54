"""The sheets that learners work on with a pencil: an exercise, tests to be written, hunts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from textwrap import dedent
from typing import Any

from kata.course.catalogue import Bug, bugs
from kata.course.contract import Item
from kata.course.curriculum import Exercise
from kata.course.reasons import measured
from kata.course.source import read
from kata.handouts.contracts import Contract, question
from kata.handouts.examples import Example, texts
from kata.handouts.excerpts import without_remark
from kata.handouts.figures import figure
from kata.handouts.mistakes import claims, made_in, traps
from kata.handouts.paper.typesetting import Data, capital, marked, pdf
from kata.practice.evidence import claims_of, judged, without_docstrings
from kata.practice.line import line
from kata.practice.loss import STEPS, loss, losses_of
from kata.practice.questions import Which, which
from kata.terminal.message import message
from kata.terminal.style import Style
from kata.verdict import Message

TRAPS, CLAIMS = 4, 4  # on the back
BLANKS = 6  # tests that there is room for
LIBRARIES = {"torch": "torch", "numpy": "numpy as np"}  # as they are imported
HUNTS = 5  # on a page
LONGEST = 9  # lines of a message, of which each page has five
WIDTH = 92  # characters of a line of code on paper
SEED = 1
LINES, LOSSES = 2, 1  # hunts of each form in a chapter
LONGEST_CODE = 26  # lines of code


def sheet(exercise: Exercise, paper: str) -> bytes:
    """The PDF of one sheet."""
    return pdf("sheet.typ", data(exercise), paper)


def data(exercise: Exercise) -> Data:
    """The contents of a learner's sheet, none of which come from the body of a solution."""
    return {
        **common(exercise),
        "about": [marked(text) for text in about(exercise)],
        "contracts": [contract(promise) for promise in question(exercise).contracts],
        "traps": [trap(exercise, bug) for bug in traps(exercise)[:TRAPS]],
        "claims": [claim(exercise, bug) for bug in failing(exercise)],
    }


def common(exercise: Exercise) -> Data:
    """The data that the sheet and the instructor's book have in common."""
    content = texts(exercise)
    intro, blanks = content.paper
    return {
        "short": exercise.short,
        "title": exercise.title,
        "subtitle": marked(content.subtitle),
        "core": exercise.core,
        "minutes": exercise.minutes,
        "points": exercise.points,
        "command": f"pytest exercises/{exercise.filename}",
        "figure": drawn(exercise),
        "example": by_hand(content.by_hand),
        "why": [[marked(capital(text)), numbers] for text, numbers in measured(exercise)],
        "setup": content.setup,
        "checks": [[marked(text), code] for text, code in content.checks],
        "paper": {"intro": marked(intro), "blanks": [[marked(a), b] for a, b in blanks]},
    }


@cache
def drawn(exercise: Exercise) -> Data | None:
    """The figure of an exercise with its words, if it has one."""
    made = figure(exercise.slug)
    if made is None:
        return None
    return {"svg": made.svg, "alt": made.alt, "title": made.title, "caption": marked(made.caption)}


def about(exercise: Exercise) -> tuple[str, ...]:
    """The introduction of the stub, without the sentence that is its title."""
    first, *rest = question(exercise).about
    more = first.partition(". ")[2]
    return (more, *rest) if more else tuple(rest)


def contract(promise: Contract) -> Data:
    """One contract, all of it."""
    return {
        "signature": promise.signature,
        "summary": marked(promise.summary),
        "prose": [marked(part) for part in promise.prose],
        "sections": [[name, [item(part) for part in parts]]
                     for name, parts in promise.sections.items()],
    }  # fmt: skip


def item(entry: Item) -> list[Any]:
    """A parameter or a result with its description."""
    return [entry.name, marked(entry.text)]


def by_hand(example: Example) -> Data:
    """The docstring's example and the steps that lead to it."""
    lines = [line for line in example.code.splitlines() if not line.startswith(">>> import ")]
    steps = [[marked(text), value] for text, value in example.steps]
    return {"about": marked(example.about), "code": "\n".join(lines), "steps": steps}


def trap(exercise: Exercise, bug: Bug) -> list[Any]:
    """A mistake, its symptom and where it is made; never its remedy."""
    return [marked(capital(bug.title)), marked(bug.symptom), made_in(exercise, bug)]


def failing(exercise: Exercise) -> list[Bug]:
    """The mistakes seen most often of those claims that most mistakes break."""
    breakers = Counter(bug.claim for bug in bugs(exercise))
    order = sorted(traps(exercise), key=lambda bug: -breakers[bug.claim])
    return order[:CLAIMS]


def claim(exercise: Exercise, bug: Bug) -> Data:
    """The sentence of a failing claim, its usual cause and where that is, and the first hint."""
    return {
        "says": marked(claims(exercise)[bug.claim]),
        "often": marked(capital(bug.title)),
        "where": made_in(exercise, bug),
        "look": marked(bug.hints[0]),
    }


def proof_sheet(exercise: Exercise, paper: str) -> bytes:
    """The PDF of one page."""
    return pdf("proof.typ", proof_sheet_data(exercise), paper)


def proof_sheet_data(exercise: Exercise) -> Data:
    """The contents: no title of a mistake, which would be the answer, and nothing of a solution."""
    return {
        "short": exercise.short,
        "title": exercise.title,
        "contracts": [_promise(contract) for contract in question(exercise).contracts],
        "symptoms": [[marked(bug.symptom), made_in(exercise, bug)] for bug in first(exercise)],
        "tests": BLANKS,
        "library": LIBRARIES[exercise.library],
        "file": f"proofs/{exercise.filename}",
        "module": f"exercises.{exercise.slug}",
        "command": f"kata prove {exercise.short}",
    }


def first(exercise: Exercise) -> tuple[Bug, ...]:
    """The wrong answers of level 1."""
    return tuple(bug for bug in bugs(exercise) if bug.level == 1)


def _promise(contract: Contract) -> Data:
    return {"signature": contract.signature, "summary": marked(contract.summary)}


def hunt_sheet(exercise: Exercise, paper: str) -> bytes:
    """The PDF of one page."""
    return pdf("which.typ", hunt_sheet_data(exercise), paper)


def hunt_sheet_data(exercise: Exercise) -> Data:
    """The contents, with the answers that stand on their heads."""
    hunts = list(islice(chosen(exercise), HUNTS))
    return {
        "short": exercise.short,
        "title": exercise.title,
        "hunts": [_hunt(hunt) for hunt in hunts],
        "answers": [f"{number} {hunt.right}" for number, hunt in enumerate(hunts, start=1)],
        "command": f"kata hunt {exercise.short}",
    }


def chosen(exercise: Exercise) -> Iterator[Which]:
    """Hunts for what everybody should know first, one for each claim, with short messages."""
    claims = set()
    for bug in sorted(bugs(exercise), key=lambda bug: (bug.level != 1, not bug.is_real)):
        fits = bug.claim not in claims and not bug.remembers and _is_short(exercise, bug)
        if fits and (hunt := which(exercise, bug, SEED)):
            claims.add(bug.claim)
            yield hunt


def _is_short(exercise: Exercise, bug: Bug) -> bool:
    """Whether its message fits; for this, the mistakes beside it need not be judged."""
    return all(
        len(_lines(judged(exercise, bug, claim).message)) <= LONGEST
        for claim in claims_of(exercise, bug)[:1]
    )


def _hunt(hunt: Which) -> Data:
    claim, *rest = _lines(hunt.message)
    options = [[letter, marked(option.bug.title)] for letter, option in hunt.lettered.items()]
    return {"claim": marked(capital(claim)), "says": "\n".join(rest), "options": options}


def _lines(failure: Message) -> list[str]:
    """The claim, then what else is said: without the claim, which would stand there twice."""
    style = Style(width=WIDTH)
    head = [] if failure.leads else message(Message(failure.claim), style).splitlines()
    rest = message(replace(failure, claim="") if failure.leads else failure, style).splitlines()
    return [failure.claim, *dedent("\n".join(rest[len(head) :])).splitlines()]


def code_hunts(exercise: Exercise) -> list[Data]:
    """Functions that are wrong in one place, and one with a loss that falls."""
    by_line, by_loss = _by_line(exercise), _by_loss(exercise)
    lines = dict(islice(by_line, LINES))
    losses = ((slug, hunt) for slug, hunt in by_loss if slug not in lines)
    return [*lines.values(), *(hunt for _, hunt in islice(losses, LOSSES))]


def _by_line(exercise: Exercise) -> Iterator[tuple[str, Data]]:
    solution = read(exercise.solution).text
    for bug in _traps_first(exercise):
        if hunt := line(exercise, bug, solution):
            asked = f"`{hunt.name}` is wrong in one place: which?"
            yield from _fitting(bug, asked, without_docstrings(hunt.shown))


def _by_loss(exercise: Exercise) -> Iterator[tuple[str, Data]]:
    losses = losses_of(exercise)
    hidden = losses.there if losses else {}
    for bug in _traps_first(exercise):
        if bug.slug in hidden and (hunt := loss(exercise, bug)):
            first, last = hunt.curve[0], hunt.curve[-1]
            asked = (
                "Trained to say the token before each one, "
                f"its loss falls from {first:.2f} to {last:.2f} in {STEPS} steps. Is it right?"
            )
            yield from _fitting(bug, asked, hunt.code)


def _fitting(bug: Bug, asked: str, code: str) -> Iterator[tuple[str, Data]]:
    """A hunt that fits, with its slug; without comments, of which a wrong line often has none."""
    lines = [without_remark(text) for text in code.splitlines() if text.strip()]
    if len(lines) <= LONGEST_CODE:
        answer = marked(f"{capital(bug.title)}. {bug.why}")
        yield bug.slug, {"asked": marked(asked), "code": "\n".join(lines), "answer": answer}


def _traps_first(exercise: Exercise) -> list[Bug]:
    return sorted(bugs(exercise), key=lambda bug: (bug.level != 1, not bug.is_real))
