"""The slides of a session, in one file: how to begin, and then exercise by exercise."""

import tomllib

from kata.course.curriculum import exercises
from kata.handouts.examples import TEXTS
from kata.handouts.marked import marked
from kata.handouts.paper.slides.exercise import exercise_slides
from kata.handouts.paper.typesetting import SCREEN, Data, pdf


def slides(core: bool) -> bytes:
    """The PDF for all exercises, or for the core only; as wide as a screen."""
    return pdf("slides.typ", data(core), SCREEN)


def data(core: bool) -> Data:
    """The contents of all slides."""
    chosen = [exercise for exercise in exercises().values() if exercise.core or not core]
    made: list[Data] = []
    for exercise in chosen:
        made.append(exercise_slides(exercise, _mistake_slugs(made)))
    return {"start": _start(core, len(chosen)), "exercises": made}


def _mistake_slugs(made: list[Data]) -> set[str]:
    """The slugs of the mistakes on these slides."""
    return {slides["mistake"]["slug"] for slides in made if slides["mistake"]}


def _start(core: bool, count: int) -> Data:
    """The first slide."""
    said = tomllib.loads((TEXTS / "slides.toml").read_text(encoding="utf-8"))
    return {
        "title": said["title"],
        "about": said["core" if core else "all"].format(count=count),
        "begin": [[marked(text), code] for text, code in said["begin"]],
        "plan": marked(said["plan"]),
    }
