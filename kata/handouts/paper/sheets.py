"""The sheet of an exercise: a leaf that a learner can work on with a pencil.

In front are the question, with all of its contract, and blanks to fill in; behind are an example,
what usually goes wrong, and the answers. This module collects the contents; templates/sheet.typ
lays them out.
"""

from collections import Counter
from functools import cache
from typing import Any

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise
from kata.course.docstrings import Item
from kata.handouts.contracts import Contract, question
from kata.handouts.examples import Example, texts
from kata.handouts.figures import figure
from kata.handouts.marked import capital, marked
from kata.handouts.mistakes import claims, made_in, traps
from kata.handouts.paper.typesetting import Data, pdf
from kata.why.experiment import measured

TRAPS, CLAIMS = 4, 4  # on the back


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
        "setup": content.given,
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
