"""The poster: the documents' own bugs, each with a picture of what it does."""

from kata.course.naming import exercise_named
from kata.handouts.documents_bugs import OwnBug, own_bugs
from kata.handouts.figures import bug_figure
from kata.handouts.marked import marked
from kata.handouts.paper.typesetting import Data, pdf


def poster(paper: str) -> bytes:
    """The PDF, one large page."""
    return pdf("poster.typ", data(), paper)


def data() -> Data:
    """The contents of the poster."""
    return {"bugs": [_bug(each) for each in own_bugs()]}


def _bug(each: OwnBug) -> Data:
    return {
        "number": each.number,
        "title": each.title,
        "where": each.where,
        "says": marked(each.filled(each.says)),
        "true": marked(each.brief),
        "command": f"python -m kata show {each.exercise} {each.slug}",
        **_picture(each),
    }


def _picture(each: OwnBug) -> Data:
    """What is in the middle: the figure of the mistake, or a computed table, or an error."""
    shown = each.computed.get(each.poster, "")
    slug = exercise_named(each.exercise).slug
    made = None if shown else bug_figure(slug, each.slug)
    return {
        "figure": {"svg": made.svg, "alt": made.alt} if made else None,
        "caption": marked(made.caption) if made else [],
        "table": []
        if isinstance(shown, str)
        else [[marked(each.replace("**", "")) for each in row] for row in shown],
        "error": shown.strip("`") if isinstance(shown, str) else "",
    }
