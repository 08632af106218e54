"""The page of an exercise: what to say first, the figure, three mistakes, and what to ask."""

import tomllib
from functools import cache

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise
from kata.handouts.examples import TEXTS, texts
from kata.handouts.marked import capital, marked
from kata.handouts.mistakes import sightings
from kata.handouts.paper.guide.pictures import grids
from kata.handouts.paper.guide.printed_mistakes import PrintedMistake, printed_mistakes
from kata.handouts.paper.guide.stalls import stalls
from kata.handouts.paper.sheets import drawn
from kata.handouts.paper.typesetting import Data
from kata.text import cut

LONGEST = 150  # characters of evidence


def page(exercise: Exercise) -> Data:
    """The data of the page of an exercise."""
    content, mistakes = texts(exercise), printed_mistakes(exercise)
    return {
        "slug": exercise.slug,
        "short": exercise.short,
        "title": exercise.title,
        "subtitle": marked(content.subtitle),
        "core": exercise.core,
        "minutes": exercise.minutes,
        "points": exercise.points,
        "count": len(bugs(exercise)),
        "say": marked(_openings().get(exercise.slug, "")),
        "figure": drawn(exercise),
        "mistakes": [_mistake(mistake) for mistake in mistakes],
        "stalls": _stalls(exercise, mistakes),
        "questions": [[marked(ask), marked(listen)] for ask, listen in content.questions],
    }


@cache
def _openings() -> dict[str, str]:
    """The sentences to say first, by exercise."""
    return tomllib.loads((TEXTS / "guide.toml").read_text(encoding="utf-8"))


def _mistake(mistake: PrintedMistake) -> Data:
    bug, picture = mistake.bug, mistake.message.picture
    return {
        "slug": bug.slug,
        "title": marked(capital(bug.title)),
        "seen": len(sightings(bug)),
        "changes": [[part.wrong, part.right] for part in mistake.changes],
        "evidence": marked(first_line(mistake.message.evidence)),
        "maps": grids(picture),
        "why": marked(bug.why),
        "ask": marked(bug.hints[0]),
    }


def first_line(evidence: str) -> str:
    """The first line of evidence, cut where it says enough; the text of an error may be long."""
    line = cut(evidence.partition("\n")[0], LONGEST, "…")
    return line if line.count("`") % 2 == 0 else line.replace("`", "")


def _stalls(exercise: Exercise, mistakes: list[PrintedMistake]) -> Data:
    summary = stalls(exercise, [mistake.bug for mistake in mistakes])
    return {
        "count": summary.count,
        "total": len(bugs(exercise)),
        "places": summary.places,
        "others": [
            [marked(capital(bug.title)), marked(bug.symptom), len(sightings(bug))]
            for bug in summary.others
        ],
    }
