"""The instructor's book: a plan, a page for each exercise, references, catalogue and index."""

from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.handouts.examples import texts
from kata.handouts.marked import marked
from kata.handouts.paper.guide.appendix import entries
from kata.handouts.paper.guide.page import page
from kata.handouts.paper.guide.stalls import telling
from kata.handouts.paper.guide.symptoms import errors, symptoms
from kata.handouts.paper.guide.together import together
from kata.handouts.paper.plan import Day, Slot, days
from kata.handouts.paper.typesetting import Data, pdf


def book(paper: str, core: bool) -> bytes:
    """The PDF for all exercises, or for the core only."""
    return pdf("book.typ", data(core), paper)


def data(core: bool) -> Data:
    """The contents of the book."""
    chosen = [exercise for exercise in exercises().values() if exercise.core or not core]
    plans = ["core"] if core else ["core", "full", "decoder"]
    return {
        "total": sum(len(bugs(exercise)) for exercise in chosen),
        "printed": sum(len(telling(exercise)) for exercise in chosen),
        "days": [_day(day) for name in plans for day in days(name)],
        "pages": [page(exercise) for exercise in chosen],
        "together": [together(exercise) for exercise in chosen],
        "catalogue": [[exercise.short, exercise.title, entries(exercise)] for exercise in chosen],
        "errors": errors(chosen),
        "symptoms": symptoms(chosen),
    }


def _day(day: Day) -> Data:
    return {
        "name": day.name,
        "end": day.end,
        "work": day.work,
        "slots": [_slot(slot) for slot in day.slots],
    }


def _slot(slot: Slot) -> Data:
    exercise = slot.exercise
    questions = texts(exercise).questions if exercise else ()
    return {
        "start": slot.start,
        "begin": slot.begin,
        "stop": slot.stop,
        "minutes": slot.minutes,
        "work": slot.work,
        "slug": exercise.slug if exercise else "",
        "short": exercise.short if exercise else "",
        "text": marked(slot.text),
        "ask": marked(questions[0][0]) if questions else [],
    }
