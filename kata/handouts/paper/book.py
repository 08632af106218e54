"""The instructor's book: the sheets with all answers, solutions and mistakes."""

import ast
from collections.abc import Iterator

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise, exercises
from kata.course.source import read
from kata.handouts.contracts import question
from kata.handouts.examples import texts
from kata.handouts.marked import capital, marked
from kata.handouts.mistakes import by_claim, sightings, traps
from kata.handouts.paper.code_hunts import code_hunts
from kata.handouts.paper.plan import Slot, days
from kata.handouts.paper.proof_sheets import first
from kata.handouts.paper.sheets import common, contract
from kata.handouts.paper.typesetting import Data, pdf

OFTEN = 5  # mistakes at the head of a chapter


def book(paper: str, core: bool) -> bytes:
    """The PDF for all exercises, or for the core only."""
    return pdf("book.typ", data(core), paper)


def data(core: bool) -> Data:
    """The contents of the book."""
    chosen = [each for each in exercises().values() if each.core or not core]
    plans = ["core"] if core else ["core", "full"]
    return {
        "core": core,
        "mistakes": sum(len(bugs(each)) for each in chosen),
        "days": [{"name": day.name, "end": day.end, "slots": [_slot(each) for each in day.slots]}
                 for name in plans for day in days(name)],
        "chapters": [chapter(each) for each in chosen],
    }  # fmt: skip


def chapter(exercise: Exercise) -> Data:
    """One exercise: its sheet with all answers, its solution, and everything that goes wrong."""
    return {
        **common(exercise),
        "contracts": [contract(each) for each in question(exercise).contracts],
        "solution": program(exercise),
        "questions": [[marked(ask), marked(listen)] for ask, listen in texts(exercise).questions],
        "traps": [[marked(capital(bug.title)), marked(bug.invisible_when)]
                  for bug in first(exercise)],
        "code_hunts": code_hunts(exercise),
        "often": [_often(bug) for bug in traps(exercise)[:OFTEN]],
        "claims": [[marked(sentence), [mistake(bug) for bug in found]]
                   for sentence, found in by_claim(exercise)],
        "count": len(bugs(exercise)),
    }  # fmt: skip


def program(exercise: Exercise) -> str:
    """The solution without its docstrings, which are the contracts."""
    source = read(exercise.solution)
    lines = source.text.splitlines()
    said = {at for each in _docstrings(source.tree) for at in range(each[0], each[1] + 1)}
    kept = [line for at, line in enumerate(lines, start=1) if at not in said]
    text = "\n".join(kept).strip()
    return text.replace("\n\n\n", "\n\n").replace(":\n\n    ", ":\n    ")


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """The first and the last line of each."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            first = node.body[0]
            if ast.get_docstring(node) is not None:
                yield first.lineno, first.end_lineno or first.lineno


def mistake(bug: Bug) -> Data:
    """One entry of the catalogue, without its code."""
    return {
        "slug": bug.slug,
        "title": marked(capital(bug.title)),
        "symptom": marked(bug.symptom),
        "why": marked(bug.why),
        "hints": [marked(each) for each in bug.hints],
    }


def _often(bug: Bug) -> Data:
    return {**mistake(bug), "seen": len(sightings(bug))}


def _slot(slot: Slot) -> Data:
    exercise = slot.exercise
    questions = texts(exercise).questions if exercise else ()
    return {
        "start": slot.start,
        "minutes": slot.minutes,
        "short": exercise.short if exercise else "",
        "text": slot.text,
        "ask": marked(questions[0][0]) if questions else [],
    }
