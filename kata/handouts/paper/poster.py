"""The poster: the documents' own bugs, each with a picture of what it does."""

import tomllib

from kata.course.curriculum import exercises
from kata.handouts.documents_bugs import OwnBug, own_bugs
from kata.handouts.examples import TEXTS
from kata.handouts.figures import bug_figure
from kata.handouts.marked import marked
from kata.handouts.paper.typesetting import Data, pdf

USUAL = [0, 1]  # sentences about what is true


def poster(paper: str) -> bytes:
    """The PDF, one large page."""
    return pdf("poster.typ", data(), paper)


def data() -> Data:
    """All that it says."""
    table = tomllib.loads((TEXTS / "poster.toml").read_text(encoding="utf-8"))["sentences"]
    return {"bugs": [_bug(each, table.get(str(each.number), USUAL)) for each in own_bugs()]}


def _bug(each: OwnBug, sentences: list[int]) -> Data:
    true = " ".join(each.true[at] for at in sentences if at < len(each.true))
    return {
        "number": each.number,
        "title": each.title,
        "where": each.where,
        "says": marked(each.says),
        "true": marked(true),
        "command": f"python -m kata show {each.short} {each.slug}",
        **_picture(each),
    }


def _picture(each: OwnBug) -> Data:
    """The figure of the mistake; an error is shown as one meets it; else the section's numbers."""
    slugs = {exercise.short: exercise.slug for exercise in exercises().values()}
    made = None if each.error and not each.table else bug_figure(slugs[each.short], each.slug)
    return {
        "figure": {"svg": made.svg, "alt": made.alt} if made else None,
        "caption": marked(made.caption) if made else [],
        "table": [[marked(cell) for cell in row] for row in each.table],
        "error": each.error,
    }
