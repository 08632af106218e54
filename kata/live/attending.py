"""A learner's side of a live room: join it, tell it of verdicts, share code, and leave it."""

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kata.errors import UserError
from kata.files import delete_note, planted_membership, read_table, room_membership, write_file
from kata.live import post
from kata.live.protocol import (
    A_DAY,
    JOIN,
    LARGEST_CODE,
    LEARNER,
    LEAVE,
    SHARED,
    SIGNATURE,
    WORK,
    Door,
    signature,
)
from kata.text import clean, line
from kata.verdict import ExerciseVerdict, State

NOWHERE = "this folder has not joined a room; `kata join LINK` joins one"
# The reasons of a refusal, by the status of the answer.
REASONS = {
    403: "the code is not that of this room",
    404: "it does not know you, or this is not its link; `kata join LINK` joins it",
    413: "what was sent is too large",
    429: "too much is arriving from this address; try again in a few seconds",
}
OTHER = "it did not understand the message; another version of the kata may be running there"
# Messages that wait for the room at once; newer messages are dropped meanwhile.
MOST_ON_THE_WAY = 4
# Of one exercise: a diagnosis names two at once at most.
MOST_MISTAKES = 4


@dataclass(frozen=True)
class Membership:
    """One learner in one room.

    Attributes:
        origin: the address of the room.
        learner: the room's id of the learner.
        token: the key that signs messages.
        name: the learner's name, as the room shows it.
        joined: the time of joining, in seconds since 1970.
        count: the number of the last message; every message has a larger number than the last.
        sent: the last message, word for word.
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
        """True if nothing more may be sent."""
        return self.ended or time.time() > self.joined + A_DAY


def join(folder: Path, to: Door, name: str, verdicts: list[ExerciseVerdict]) -> Membership:
    """Join a room, and tell it of the verdicts so far; leave another room first."""
    path = room_membership(folder)
    if path.exists():
        leave(folder)
    answer = _ask(Letter(to.origin, f"{JOIN}/{to.code}", json.dumps({"name": name}), {}))
    member = Membership(
        to.origin,
        learner=str(answer["learner"]),
        token=str(answer["token"]),
        name=line(str(answer["name"])),
        joined=time.time(),
    )
    try:
        save(path, member)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}; nothing will be sent") from None
    begun = [verdict for verdict in verdicts if verdict.state is not State.NOT_STARTED]
    _ask(written(path, member, WORK, {"work": summary(begun)}))
    return member


def leave(folder: Path) -> str:
    """Leave the room; return a sentence that says whether the room was reached."""
    path = room_membership(folder)
    if planted := planted_membership(folder):
        delete_note(planted)
        if not path.exists():
            return clean(f"deleted: {planted}; this folder has not joined a room")
    member = _membership(path)
    path.unlink(missing_ok=True)
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
    """Show the leader this text in place of the last one; an empty text takes it back."""
    path = room_membership(folder)
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
    """Return the membership of this folder in a room."""
    return read(room_membership(folder))


def sent_last(folder: Path) -> str:
    """Return the last message, word for word."""
    return _membership(room_membership(folder)).sent


def _membership(path: Path) -> Membership:
    if member := read(path):
        return member
    raise UserError(NOWHERE)


@dataclass(frozen=True)
class Letter:
    """A message that is ready to be sent."""

    origin: str
    path: str
    body: str
    headers: Mapping[str, str]


def _ask(letter: Letter) -> Mapping[str, Any]:
    """Send a letter and return the answer; raise UserError with the reason if there is none."""
    try:
        content = letter.body.encode()
        status, body = post.deliver(letter.origin, letter.path, content, letter.headers)
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


def read(path: Path) -> Membership | None:
    """Return the membership in a file; None if there is no room, or the file cannot be read."""
    with suppress(OSError, ValueError, TypeError):
        member = Membership(**read_table(path))
        if _is_whole(member) and urlsplit(member.origin).port:
            return replace(member, origin=line(member.origin), name=line(member.name))
    return None


def _is_whole(member: Membership) -> bool:
    # Anybody may have made the file.
    kinds = {"joined": (int, float), "count": (int, float), "ended": (bool,)}
    return all(
        isinstance(getattr(member, field.name), kinds.get(field.name, (str,)))
        for field in fields(member)
    )


def save(path: Path, member: Membership) -> None:
    """Save a membership so that only the learner can read its token; raise OSError."""
    write_file(path, json.dumps(asdict(member)), private=True)


def written(path: Path, member: Membership, to: str, content: Mapping[str, Any]) -> Letter:
    """Return the next message, signed, and save it as the last one."""
    letter, sender = signed(member, to, content)
    with suppress(OSError):
        save(path, sender)
    return letter


def signed(member: Membership, to: str, content: Mapping[str, Any]) -> tuple[Letter, Membership]:
    """Return the next message, and the membership after it."""
    # The number grows also after a clock was set back.
    count = max(time.time_ns(), member.count + 1)
    body = json.dumps({"count": count, **content})
    headers = {LEARNER: member.learner, SIGNATURE: signature(member.token, to, body.encode())}
    return Letter(member.origin, to, body, headers), replace(member, count=count, sent=body)


def welcome(member: Membership) -> Iterator[str]:
    """Yield lines about the messages to the room; the last message belongs below them."""
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
    end = time.strftime("%H:%M", time.localtime(member.joined + A_DAY))
    yield f"`kata leave` ends it, and so does the end of the room; else it ends tomorrow at {end}."
    yield ""
    yield "What was sent last, word for word:"


_on_the_way: list[subprocess.Popen[bytes]] = []


def tell(path: Path, verdicts: Iterable[ExerciseVerdict]) -> str:
    """Send the verdicts without waiting; return a line for the learner if the room has ended."""
    member = read(path)
    if member is None:
        return ""
    if member.is_over:
        with suppress(OSError):
            path.unlink()
        return clean(
            f"kata room: {member.name} is no longer in the room at {member.origin}: "
            f"it has ended, its leader has removed {member.name}, or a day has passed; "
            "nothing is sent any more"
        )
    _send(path, written(path, member, WORK, {"work": summary(verdicts)}))
    return ""


def _send(path: Path, letter: Letter) -> None:
    """Send a letter from a process of its own, which outlives this one if it has to."""
    _on_the_way[:] = [process for process in _on_the_way if process.poll() is None]
    if len(_on_the_way) >= MOST_ON_THE_WAY:
        return
    content = json.dumps({**asdict(letter), "learner": letter.headers[LEARNER]})
    command = [sys.executable, "-I", "-S", post.__file__, str(path)]
    # Where no process can be started, the room will hear of the next save.
    with suppress(OSError):
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        _on_the_way.append(process)
        assert process.stdin
        with process.stdin as pipe:
            pipe.write(content.encode())


def summary(verdicts: Iterable[ExerciseVerdict]) -> list[dict[str, Any]]:
    """Return the exercises with the claims that hold, the first that fails, and the mistakes."""
    return [_summary(verdict) for verdict in verdicts]


def _summary(verdict: ExerciseVerdict) -> dict[str, Any]:
    if verdict.state is State.NOT_STARTED:
        return {"exercise": verdict.slug, "state": verdict.state.value}
    first = None if verdict.is_whole else verdict.first_wrong
    return {
        "exercise": verdict.slug,
        "state": verdict.state.value,
        "held": verdict.held,
        "of": 0 if verdict.is_whole else len(verdict.judged),
        "claim": first.plain_name if first else "",
        "mistakes": [mistake.slug for mistake in verdict.mistakes[:MOST_MISTAKES]],
    }
