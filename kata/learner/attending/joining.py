"""Joining a room, showing code to its leader, and leaving: what a learner does on purpose."""

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

from kata.errors import UserError
from kata.files import delete_note
from kata.learner.attending.membership import Letter, Membership, read, save, signed, written
from kata.learner.attending.post import post
from kata.learner.attending.protocol import (
    JOIN,
    LARGEST_CODE,
    LEAVE,
    SHARED,
    WORK,
    Door,
)
from kata.learner.attending.summary import summary
from kata.learner.progress import Progress
from kata.text import clean, line
from kata.verdict import ExerciseVerdict, State

NOWHERE = "this folder has not joined a room; `kata join LINK` joins one"
REASONS = {  # by the status of the answer
    403: "the code is not that of this room",
    404: "it does not know you, or this is not its link; `kata join LINK` joins it",
    413: "what was sent is too large",
    429: "too much is arriving from this address; try again in a few seconds",
}
OTHER = "it did not understand the message; another version of the kata may be running there"


def join(folder: Path, to: Door, name: str, verdicts: list[ExerciseVerdict]) -> Membership:
    """Join, and say where one is by now; a room that one is in is left first."""
    path = Progress(folder).room
    if path.exists():
        leave(folder)
    answer = _ask(Letter(to.origin, f"{JOIN}/{to.code}", json.dumps({"name": name}), {}))
    member = Membership(
        to.origin, str(answer["learner"]), str(answer["token"]), line(str(answer["name"])),
        time.time(),
    )  # fmt: skip
    try:
        save(path, member)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}; nothing will be sent") from None
    begun = [verdict for verdict in verdicts if verdict.state is not State.NOT_STARTED]
    _ask(written(path, member, WORK, {"work": summary(begun)}))
    return member


def leave(folder: Path) -> str:
    """Leave the room; the sentence says whether it has heard of it."""
    progress = Progress(folder)
    if planted := progress.planted:
        delete_note(planted)
        if not progress.room.exists():
            return clean(f"deleted: {planted}; this folder has not joined a room")
    member = _membership(progress.room)
    progress.room.unlink(missing_ok=True)
    if member.is_over:
        return "the room had ended before; nothing is sent any more"
    try:
        _ask(signed(member, LEAVE, {})[0])
    except UserError:
        return clean(
            "left the room: nothing is sent any more; "
            f"the room could not be reached, and shows {member.name} until it ends"
        )
    return clean(f"left the room: it has forgotten {member.name}, and nothing is sent any more")


def share(folder: Path, slug: str, text: str) -> str:
    """Show the leader this text, in place of what was shown before; no text takes it back."""
    path = Progress(folder).room
    member = _membership(path)
    if len(text.encode()) > LARGEST_CODE:
        raise UserError(
            f"{slug} is larger than {LARGEST_CODE // 1024} KiB, which is the most that can be shown"
        )
    _ask(written(path, member, SHARED, {"exercise": slug, "text": text}))
    if not text:
        return "your code is no longer shown"
    return (
        f"shown to the leader, and to nobody else: your {slug} as it is now; "
        "`kata share --stop` takes it back"
    )


def joined(folder: Path) -> Membership | None:
    """The room that this folder is in."""
    return read(Progress(folder).room)


def sent_last(folder: Path) -> str:
    """The message that was sent last, word for word."""
    return _membership(Progress(folder).room).sent


def _membership(path: Path) -> Membership:
    if member := read(path):
        return member
    raise UserError(NOWHERE)


def _ask(letter: Letter) -> Mapping[str, Any]:
    """Send it and wait for the answer; raises UserError with the reason if there is none."""
    try:
        status, body = post(letter.origin, letter.path, letter.body.encode(), letter.headers)
    except (OSError, HTTPException) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise UserError(
            f"no room answers at {letter.origin} ({reason}); is this machine in the same network?"
        ) from None
    if status >= 300:
        reason = REASONS.get(status, OTHER)
        raise UserError(f"the room at {letter.origin} refused: {reason}")
    answer: Any = None
    with suppress(ValueError):
        answer = json.loads(body)
    if not isinstance(answer, dict) or (letter.path.startswith(JOIN) and "token" not in answer):
        raise UserError(f"what answers at {letter.origin} is not a room of this kata")
    return answer
