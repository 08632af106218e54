"""The slides of one exercise: its figure, a question, a mistake, and what is to be said of both."""

from collections.abc import Collection

from kata.course.curriculum import Exercise
from kata.course.source import is_private
from kata.handouts.examples import as_written
from kata.handouts.marked import capital, marked
from kata.handouts.mistakes import claims
from kata.handouts.paper.guide.page import first_line
from kata.handouts.paper.guide.pictures import Room, grids
from kata.handouts.paper.guide.printed_mistakes import PrintedMistake
from kata.handouts.paper.sheets import drawn
from kata.handouts.paper.slides.context import in_context
from kata.handouts.paper.slides.figure_parts import parts
from kata.handouts.paper.slides.wrong_code import call, mistake, places, set_out
from kata.handouts.paper.typesetting import Data

CHARACTERS = 42  # of all columns of a map
LINES, LEAST, MOST = 10, 3, 6  # of code and map together; rows of a map


def exercise_slides(exercise: Exercise, seen: Collection[str] = ()) -> Data:
    """The data of the slides of an exercise; `seen` are the mistakes of earlier slides."""
    said, printed = as_written(exercise), mistake(exercise, seen)
    questions, figure = said.get("questions", []), drawn(exercise)
    return {
        "short": exercise.short,
        "title": exercise.title,
        "subtitle": marked(said.get("subtitle", "")),
        "minutes": exercise.minutes,
        "command": f"pytest exercises/{exercise.filename}",
        "figure": figure,
        "parts": parts(figure["svg"]) if figure else [],
        "question": [marked(sentence) for sentence in questions[0]] if questions else [],
        "mistake": _mistake(exercise, printed) if printed else None,
    }


def _mistake(exercise: Exercise, printed: PrintedMistake) -> Data:
    bug, message = printed.bug, printed.message
    code = [set_out(part) for part in in_context(exercise, bug)]
    asked = call(message.inputs)
    return {
        "slug": bug.slug,
        "title": marked(capital(bug.title)),
        "places": [name for name in places(exercise, bug) if not is_private(name)],
        "code": ["\n".join(lines) for lines in code],
        "call": "\n".join(asked),
        "changes": [["\n".join(set_out(part.wrong)), "\n".join(set_out(part.right))]
                    for part in printed.changes],
        "evidence": marked(first_line(message.evidence)),
        "maps": grids(message.picture, _room(sum(map(len, code)) + len(asked))),
        "why": marked(bug.why),
        "claim": marked(claims(exercise)[bug.claim]),
        "test": bug.claim,
    }  # fmt: skip


def _room(lines: int) -> Room:
    """The room for a map beside so many lines of code."""
    return Room(max(LEAST, min(MOST, LINES - lines)), CHARACTERS)
