"""The page "which mistake is it?": failing claims, each with four mistakes to choose from."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from textwrap import dedent

from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise
from kata.handouts.marked import capital, marked
from kata.handouts.paper.typesetting import Data, pdf
from kata.hunts.which import Which, which
from kata.terminal.message import message
from kata.terminal.style import Style
from kata.verdict import Message

HUNTS = 5  # on a page
LONGEST = 9  # lines of a message, of which each page has five
WIDTH = 92  # characters of a line of code on paper
SEED = 1


def hunt_sheet(exercise: Exercise, paper: str) -> bytes:
    """The PDF of one page."""
    return pdf("which.typ", data(exercise), paper)


def data(exercise: Exercise) -> Data:
    """The contents, with the answers that stand on their heads."""
    hunts = list(islice(chosen(exercise), HUNTS))
    return {
        "short": exercise.short,
        "title": exercise.title,
        "hunts": [_hunt(each) for each in hunts],
        "answers": [f"{number} {each.right}" for number, each in enumerate(hunts, start=1)],
        "command": f"kata hunt {exercise.short}",
    }


def chosen(exercise: Exercise) -> Iterator[Which]:
    """Hunts for what everybody should know first, one for each claim, with short messages."""
    claims = set()
    for bug in sorted(bugs(exercise), key=lambda each: (each.level != 1, not each.is_real)):
        hunt = None if bug.claim in claims else which(exercise, bug, SEED)
        if hunt and len(_lines(hunt)) <= LONGEST:
            claims.add(bug.claim)
            yield hunt


def _hunt(hunt: Which) -> Data:
    claim, *rest = _lines(hunt)
    options = [[letter, marked(each.bug.title)] for letter, each in hunt.lettered.items()]
    return {"claim": marked(capital(claim)), "says": "\n".join(rest), "options": options}


def _lines(hunt: Which) -> list[str]:
    """The claim, then what else is said: without the claim, which would be told twice."""
    told, style = hunt.message, Style(width=WIDTH)
    head = [] if told.leads else message(Message(told.claim), style).splitlines()
    rest = message(replace(told, claim="") if told.leads else told, style).splitlines()
    return [told.claim, *dedent("\n".join(rest[len(head) :])).splitlines()]
