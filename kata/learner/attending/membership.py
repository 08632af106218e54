"""That a folder of exercises has joined a room: a file of the user's own, not in the folder."""

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kata.files import read_table, write_file
from kata.learner.attending.protocol import A_DAY, LEARNER, SIGNATURE, signature
from kata.text import line


@dataclass(frozen=True)
class Membership:
    """One learner in one room.

    Attributes:
        origin: where the room is.
        learner: by what the room knows the learner.
        token: what messages are signed with.
        name: as the room shows it.
        joined: when, in seconds since 1970.
        count: of the message that was sent last; every message has a larger one than those before.
        sent: that message, word for word.
        ended: whether the room has said that it does not know the learner any more.
    """

    origin: str
    learner: str
    token: str
    name: str
    joined: float
    count: int = 0
    sent: str = ""
    ended: bool = False

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be sent."""
        return self.ended or time.time() > self.joined + A_DAY


@dataclass(frozen=True)
class Letter:
    """A message that is ready to be sent."""

    origin: str
    path: str
    body: str
    headers: Mapping[str, str]


def read(path: Path) -> Membership | None:
    """The membership in this file; none if there is no room, or the file cannot be read."""
    with suppress(OSError, ValueError, TypeError):
        member = Membership(**read_table(path))
        if _is_whole(member) and urlsplit(member.origin).port:
            return replace(member, origin=line(member.origin), name=line(member.name))
    return None


def _is_whole(member: Membership) -> bool:
    """Whether each field is of its kind: the file may be of anybody's making."""
    values = {field.name: getattr(member, field.name) for field in fields(member)}
    numbers, flags = {"joined", "count"}, {"ended"}
    return all(
        isinstance(value, bool if name in flags else (int, float) if name in numbers else str)
        for name, value in values.items()
    )


def save(path: Path, member: Membership) -> None:
    """Save a membership for the learner alone, as the token is in it; raises OSError."""
    write_file(path, json.dumps(asdict(member)), private=True)


def written(path: Path, member: Membership, to: str, content: Mapping[str, Any]) -> Letter:
    """The next message, signed, and noted as the one that was sent last."""
    letter, sender = signed(member, to, content)
    with suppress(OSError):
        save(path, sender)
    return letter


def signed(member: Membership, to: str, content: Mapping[str, Any]) -> tuple[Letter, Membership]:
    """The next message, and the learner who has sent it."""
    count = max(time.time_ns(), member.count + 1)  # also after a clock was set back
    body = json.dumps({"count": count, **content})
    headers = {LEARNER: member.learner, SIGNATURE: signature(member.token, to, body.encode())}
    return Letter(member.origin, to, body, headers), replace(member, count=count, sent=body)
