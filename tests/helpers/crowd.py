"""A crowd on one machine: learners who save, a leader who looks, and some who mean harm.

Everybody has an address of their own (127.0.0.x), as in a real network.
"""

import asyncio
import contextlib
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from kata.course.curriculum import exercises
from kata.live.protocol import JOIN, LEARNER, SIGNATURE, WORK, signature
from kata.live.reports import claims, mistakes
from tests.helpers.open_room import Room

PATIENCE = 10.0  # seconds for one answer
LONGEST_EVENT = 4 * 1024 * 1024  # bytes
SLUGS = [*exercises()]


async def ask(
    room: Room, path: str, body: bytes, headers: dict[str, str], address: str
) -> tuple[int, bytes]:
    """POST it; status 0 if the room hangs up."""
    place = urlsplit(room.origin)
    lines = {"Host": place.netloc, "Content-Length": str(len(body)), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    writer = None
    try:
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection(
                place.hostname, place.port, local_addr=(address, 0)
            )
            writer.write(f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
            answer = await reader.read()
    except (OSError, TimeoutError):
        return 0, b""
    finally:
        if writer:
            writer.close()
    status, _, rest = answer.partition(b"\r\n")
    return int(status.split()[1]) if status else 0, rest.rpartition(b"\r\n\r\n")[2]


@dataclass
class Learner:
    """Somebody who joins and saves, and knows what the leader should see in the end."""

    room: Room
    number: int
    id: str = ""
    token: str = ""
    count: int = 0
    should_be: tuple[str, int] = ("", 0)
    refused: int = 0
    sent: list[tuple[int, float]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"learner {self.number:03}"

    @property
    def address(self) -> str:
        return f"127.0.1.{self.number + 1}"

    async def join(self) -> None:
        body = json.dumps({"name": self.name}).encode()
        status, answer = await ask(self.room, f"{JOIN}/{self.room.code}", body, {}, self.address)
        assert status == 201, (status, answer)
        found = json.loads(answer)
        self.id, self.token = found["learner"], found["token"]

    def message(self, slug: str, held: int) -> tuple[bytes, dict[str, str]]:
        """A signed one, with `held` in it, by which it can be seen on the page."""
        self.count = max(self.count + 1, time.time_ns())
        exercise = exercises()[slug]
        report = {
            "exercise": slug, "state": "failed", "held": held, "of": 1000,
            "claim": random.choice(sorted(claims(exercise))),
            "mistakes": [random.choice(sorted(mistakes(exercise)))],
        }  # fmt: skip
        body = json.dumps({"count": self.count, "work": [report]}).encode()
        return body, {LEARNER: self.id, SIGNATURE: signature(self.token, WORK, body)}

    async def save(self) -> None:
        slug, held = random.choice(SLUGS), random.randrange(1, 1000)
        body, headers = self.message(slug, held)
        self.sent.append((held, time.perf_counter()))
        self.should_be = slug, held
        status, _ = await ask(self.room, WORK, body, headers, self.address)
        self.refused += status != 200

    async def work(self, is_over: Callable[[], bool], pause: float) -> None:
        """Save until it is over, each time after a while."""
        await asyncio.sleep(random.uniform(0, pause))
        while not is_over():
            await self.save()
            await asyncio.sleep(random.uniform(0.5, 1.5) * pause)


@dataclass
class Looker:
    """The leader's page: what it was sent last, and when each save was in it first."""

    room: Room
    learners: dict[str, Learner]
    waits: list[float] = field(default_factory=list)
    view: dict[str, Any] = field(default_factory=dict)
    events: int = 0
    interrupted: int = 0

    async def look(self) -> None:
        """Until it is cancelled; as browsers do, it comes back when it is cut off."""
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await self._listen()
            self.interrupted += 1
            await asyncio.sleep(0.5)

    async def _listen(self) -> None:
        place = urlsplit(self.room.leader_link)
        reader, writer = await asyncio.open_connection(
            place.hostname, place.port, limit=LONGEST_EVENT
        )
        with contextlib.closing(writer):
            asked = f"GET {place.path}/events HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n"
            writer.write(asked.encode())
            while line := await reader.readline():
                if line.startswith(b"data: "):
                    self._seen(json.loads(line[6:]), time.perf_counter())

    def _seen(self, view: dict[str, Any], now: float) -> None:
        self.view, self.events = view, self.events + 1
        for person in view["people"]:
            if learner := self.learners.get(person["name"]):
                self._note(learner, person, now)

    def _note(self, learner: Learner, person: dict[str, Any], now: float) -> None:
        """Everything up to what is shown has arrived."""
        held = person["standings"].get(person["at"], ["", 0, 0])[1]
        places = [at for at, (sent, _) in enumerate(learner.sent) if sent == held]
        if places:
            self.waits += [now - when for _, when in learner.sent[: places[-1] + 1]]
            del learner.sent[: places[-1] + 1]


def wrong(view: dict[str, Any], learners: list[Learner]) -> list[str]:
    """Who is missing, or elsewhere than they should be; and who should not be there."""
    shown = {each["name"]: each for each in view["people"]}
    names = {each.name for each in learners}
    missing = [each.name for each in learners if each.name not in shown]
    misplaced = [
        f"{each.name} is shown at {_place(shown[each.name])}, and should be at {each.should_be}"
        for each in learners
        if each.name in shown and each.should_be[0] and _place(shown[each.name]) != each.should_be
    ]
    strangers = [n for n in shown if n not in names and not n.startswith("<img")]
    return missing + misplaced + strangers


def _place(person: dict[str, Any]) -> tuple[str, int]:
    """Where somebody is shown, and the number by which the message is known."""
    return person["at"], person["standings"].get(person["at"], ["", 0, 0])[1]


def share_of(waits: list[float], share: float) -> float:
    """The wait that this share of all stays below."""
    ordered = sorted(waits)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
