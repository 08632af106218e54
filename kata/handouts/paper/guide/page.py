"""The page of an exercise: what to say first, the figure, three mistakes, and what to ask."""

import tomllib
from functools import cache

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise
from kata.handouts.examples import TEXTS, texts
from kata.handouts.marked import capital, marked
from kata.handouts.mistakes import sightings
from kata.handouts.paper.guide.pictures import grids
from kata.handouts.paper.guide.shown import Shown, shown
from kata.handouts.paper.guide.stalls import stalls
from kata.handouts.paper.sheets import drawn
from kata.handouts.paper.typesetting import Data
from kata.text import cut

LONGEST = 150  # characters of evidence


def page(exercise: Exercise) -> Data:
    """Everything on it."""
    told, mistakes = texts(exercise), shown(exercise)
    return {
        "slug": exercise.slug,
        "short": exercise.short,
        "title": exercise.title,
        "subtitle": marked(told.subtitle),
        "core": exercise.core,
        "minutes": exercise.minutes,
        "points": exercise.points,
        "count": len(bugs(exercise)),
        "say": marked(_openings().get(exercise.slug, "")),
        "figure": drawn(exercise),
        "mistakes": [_mistake(mistake) for mistake in mistakes],
        "stalls": _stalls(exercise, mistakes),
        "questions": [[marked(ask), marked(listen)] for ask, listen in told.questions],
    }


@cache
def _openings() -> dict[str, str]:
    """What to say first, by exercise."""
    return tomllib.loads((TEXTS / "guide.toml").read_text(encoding="utf-8"))


def _mistake(each: Shown) -> Data:
    bug, picture = each.bug, each.message.picture
    return {
        "slug": bug.slug,
        "title": marked(capital(bug.title)),
        "seen": len(sightings(bug)),
        "changes": [[part.wrong, part.right] for part in each.changes],
        "evidence": marked(first_line(each.message.evidence)),
        "maps": grids(picture),
        "why": marked(bug.why),
        "ask": marked(bug.hints[0]),
    }


def first_line(evidence: str) -> str:
    """Enough of it to know it again; the text of an error may be long."""
    line = cut(evidence.partition("\n")[0], LONGEST, "…")
    return line if line.count("`") % 2 == 0 else line.replace("`", "")


def _stalls(exercise: Exercise, mistakes: list[Shown]) -> Data:
    found = stalls(exercise, [mistake.bug for mistake in mistakes])
    return {
        "count": found.count,
        "known": len(bugs(exercise)),
        "places": found.places,
        "others": [
            [marked(capital(bug.title)), marked(bug.symptom), len(sightings(bug))]
            for bug in found.others
        ],
    }
