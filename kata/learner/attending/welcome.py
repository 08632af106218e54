"""What a learner reads who has joined a room: what it is told, and what it was told last."""

import time
from collections.abc import Iterator

from kata.learner.attending.membership import Membership
from kata.learner.attending.protocol import A_DAY


def welcome(member: Membership) -> Iterator[str]:
    """What the room is told, a sentence for each line; below them belongs what was sent last."""
    yield f"You are in the room at {member.origin}, as {member.name}."
    yield ""
    yield (
        "Its leader sees this name; and now, and each time your work is judged "
        "(by pytest, by a command such as kata watch, or by check()):"
    )
    yield "- which exercises it was about, and how many of their claims hold;"
    yield "- which claim fails first, and the slug of the mistake if it is a known one."
    yield "Never your code, unless you type `kata share ex05`, or press s in `kata watch`."
    yield "It is sent without encryption, so that others in this network could read it."
    at = time.strftime("%H:%M", time.localtime(member.joined + A_DAY))
    yield f"`kata leave` ends it, and so does the end of the room; else it ends tomorrow at {at}."
    yield ""
    yield "What was sent last, word for word:"
