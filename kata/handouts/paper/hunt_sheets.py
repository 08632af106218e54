"""The page "which mistake is it?": failing claims, each with four mistakes to choose from."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from textwrap import dedent

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise
from kata.handouts.marked import capital, marked
from kata.handouts.paper.typesetting import Data, pdf
from kata.hunts.evidence import claims_of, judged
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
        "hunts": [_hunt(hunt) for hunt in hunts],
        "answers": [f"{number} {hunt.right}" for number, hunt in enumerate(hunts, start=1)],
        "command": f"kata hunt {exercise.short}",
    }


def chosen(exercise: Exercise) -> Iterator[Which]:
    """Hunts for what everybody should know first, one for each claim, with short messages."""
    claims = set()
    for bug in sorted(bugs(exercise), key=lambda bug: (bug.level != 1, not bug.is_real)):
        fits = bug.claim not in claims and not bug.remembers and _is_short(exercise, bug)
        if fits and (hunt := which(exercise, bug, SEED)):
            claims.add(bug.claim)
            yield hunt


def _is_short(exercise: Exercise, bug: Bug) -> bool:
    """Whether its message fits; for this, the mistakes beside it need not be judged."""
    return all(
        len(_lines(judged(exercise, bug, claim).message)) <= LONGEST
        for claim in claims_of(exercise, bug)[:1]
    )


def _hunt(hunt: Which) -> Data:
    claim, *rest = _lines(hunt.message)
    options = [[letter, marked(option.bug.title)] for letter, option in hunt.lettered.items()]
    return {"claim": marked(capital(claim)), "says": "\n".join(rest), "options": options}


def _lines(failure: Message) -> list[str]:
    """The claim, then what else is said: without the claim, which would stand there twice."""
    style = Style(width=WIDTH)
    head = [] if failure.leads else message(Message(failure.claim), style).splitlines()
    rest = message(replace(failure, claim="") if failure.leads else failure, style).splitlines()
    return [failure.claim, *dedent("\n".join(rest[len(head) :])).splitlines()]
