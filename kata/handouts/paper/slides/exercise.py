"""The slides of one exercise: its figure, a question, a mistake, and what is to be said of both."""

from collections.abc import Collection

from kata.course.curriculum import Exercise
from kata.handouts.examples import texts
from kata.handouts.marked import capital, marked
from kata.handouts.mistakes import claims
from kata.handouts.paper.guide.page import first_line
from kata.handouts.paper.guide.pictures import Room, grids
from kata.handouts.paper.guide.shown import Shown
from kata.handouts.paper.sheets import drawn
from kata.handouts.paper.slides.figure_parts import parts
from kata.handouts.paper.slides.wrong_code import mistake, places, set_out
from kata.handouts.paper.typesetting import Data

MAP = Room(rows=6, characters=42)


def exercise_slides(exercise: Exercise, seen: Collection[str] = ()) -> Data:
    """What is on them; `seen` are the mistakes of earlier slides."""
    said, found = texts(exercise), mistake(exercise, seen)
    figure = drawn(exercise)
    return {
        "short": exercise.short,
        "title": exercise.title,
        "subtitle": marked(said.subtitle),
        "minutes": exercise.minutes,
        "command": f"pytest exercises/{exercise.filename}",
        "figure": figure,
        "parts": parts(figure["svg"]) if figure else [],
        "question": [marked(each) for each in said.questions[0]] if said.questions else [],
        "mistake": _mistake(exercise, found) if found else None,
    }


def _mistake(exercise: Exercise, each: Shown) -> Data:
    bug, message = each.bug, each.message
    return {
        "slug": bug.slug,
        "title": marked(capital(bug.title)),
        "places": places(exercise, bug),
        "changes": [["\n".join(set_out(part.wrong)), "\n".join(set_out(part.right))]
                    for part in each.changes],
        "call": "\n".join(set_out(message.inputs.partition("\n")[0])),
        "evidence": marked(first_line(message.evidence)),
        "maps": grids(message.picture, MAP),
        "why": marked(bug.why),
        "claim": marked(claims(exercise)[bug.claim]),
        "test": bug.claim,
    }  # fmt: skip
