"""What a learner reads who has joined a room: what it is told, and what it was told last."""

import time
from collections.abc import Iterator

from kata.learner.attending.agreed import A_DAY
from kata.learner.attending.membership import Membership
from kata.words import say


def welcome(member: Membership) -> Iterator[str]:
    """What the room is told, a sentence for each line; below them belongs what was sent last."""
    yield say("attending.joined.name", origin=member.origin, name=member.name)
    yield ""
    yield say("attending.joined.sees")
    yield f"- {say('attending.joined.exercise')}"
    yield f"- {say('attending.joined.claim')}"
    yield say("attending.joined.never")
    yield say("attending.joined.network")
    at = time.strftime("%H:%M", time.localtime(member.joined + A_DAY))
    yield say("attending.joined.ends", until=say("attending.joined.until", time=at))
    yield ""
    yield say("attending.joined.last")
