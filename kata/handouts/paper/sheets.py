"""The sheet of an exercise: one page that a learner can work on with a pencil.

This module collects its contents; templates/sheet.typ lays them out. Since a contract may be longer
than the page, there are several fillings, from the fullest to the shortest; the template takes the
first that fits and leaves room to write.
"""

import tomllib
from collections import Counter
from functools import cache
from typing import Any

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise
from kata.course.docstrings import Item
from kata.handouts.contracts import Contract, question
from kata.handouts.examples import TEXTS, Example, texts
from kata.handouts.figures import figure
from kata.handouts.marked import capital, first_sentence, marked
from kata.handouts.mistakes import claims, made_in, traps
from kata.handouts.paper.typesetting import Data, pdf
from kata.why.experiment import measured

FILLINGS = tomllib.loads((TEXTS / "fillings.toml").read_text(encoding="utf-8"))["filling"]
SECTIONS = {"all": None, "short": None, "least": ("Returns", "Raises")}


def sheet(exercise: Exercise, paper: str) -> bytes:
    """The PDF of one sheet."""
    return pdf("sheet.typ", data(exercise), paper)


def data(exercise: Exercise) -> Data:
    """The contents of a learner's sheet, none of which come from the body of a solution."""
    return {
        **common(exercise),
        "about": [marked(each) for each in about(exercise)],
        "contracts": {much: [contract(each, much) for each in question(exercise).contracts]
                      for much in SECTIONS},
        "traps": [trap(exercise, bug) for bug in traps(exercise)],
        "claims": [claim(exercise, bug) for bug in failing(exercise)],
        "fillings": FILLINGS,
    }  # fmt: skip


def common(exercise: Exercise) -> Data:
    """What the sheet and the instructor's book have in common."""
    told = texts(exercise)
    intro, blanks = told.paper
    return {
        "short": exercise.short,
        "title": exercise.title,
        "subtitle": marked(told.subtitle),
        "core": exercise.core,
        "minutes": exercise.minutes,
        "points": exercise.points,
        "command": f"pytest exercises/{exercise.filename}",
        "figure": drawn(exercise),
        "example": by_hand(told.by_hand),
        "why": [[marked(capital(text)), numbers] for text, numbers in measured(exercise)],
        "given": told.given,
        "checks": [[marked(text), code] for text, code in told.checks],
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


def contract(each: Contract, much: str) -> Data:
    """One contract: all of it, the first sentence of each part, or only what it returns."""
    short = much != "all"
    kept = SECTIONS[much]
    return {
        "signature": each.signature,
        "summary": marked(each.summary),
        "prose": [] if much == "least" else [marked(part) for part in each.prose],
        "sections": [[name, [item(part, short) for part in parts]]
                     for name, parts in each.sections.items() if kept is None or name in kept],
    }  # fmt: skip


def item(each: Item, short: bool) -> list[Any]:
    """A parameter or a result with its description."""
    return [each.name, marked(first_sentence(each.text) if short else each.text)]


def by_hand(example: Example) -> Data:
    """The docstring's example and the steps that lead to it."""
    lines = [line for line in example.code.splitlines() if not line.startswith(">>> import ")]
    steps = [[marked(text), value] for text, value in example.steps]
    return {"about": marked(example.about), "code": "\n".join(lines), "steps": steps}


def trap(exercise: Exercise, bug: Bug) -> list[Any]:
    """A mistake, its symptom and where it is made; never its remedy."""
    return [marked(capital(bug.title)), marked(bug.symptom), made_in(exercise, bug)]


def failing(exercise: Exercise) -> list[Bug]:
    """For the claims that most mistakes break, the mistake seen most often."""
    breakers = Counter(bug.claim for bug in bugs(exercise))
    order = sorted(traps(exercise), key=lambda bug: -breakers[bug.claim])
    return order[: FILLINGS[0]["claims"]]


def claim(exercise: Exercise, bug: Bug) -> Data:
    """What a failing claim says, its usual cause and where that is, and the first hint."""
    return {
        "says": marked(claims(exercise)[bug.claim]),
        "often": marked(capital(bug.title)),
        "where": made_in(exercise, bug),
        "look": marked(bug.hints[0]),
    }
