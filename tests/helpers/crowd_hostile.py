"""Ten who mean harm, in a process of their own: `python -m tests.helpers.crowd_hostile …`.

It is given the room's origin, its code, the messages that it has read on the way, a number of
seconds, and one of acts; each of the ten has an address of its own.
"""

import asyncio
import contextlib
import json
import logging
import os
import random
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from kata.live.protocol import JOIN, LEARNER, SHARED, SIGNATURE, WORK
from tests.helpers.crowd import ask
from tests.helpers.open_room import Room

NAME = "<img src=x onerror=alert(1)><script>alert(1)</script>"
HTML = json.dumps({"name": NAME}).encode()
SLOW = 40  # connections that one keeps open


@dataclass
class Hostile:
    """One of them."""

    room: Room
    address: str
    read: list[tuple[bytes, dict[str, str]]]  # signed messages of others

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        place = urlsplit(self.room.origin)
        return await asyncio.open_connection(
            place.hostname, place.port, local_addr=(self.address, 0)
        )

    async def _post(self, path: str, body: bytes, headers: dict[str, str] | None = None) -> int:
        return (await ask(self.room, path, body, headers or {}, self.address))[0]

    async def floods(self) -> None:
        """As many connections as it can make."""
        _, writer = await self._connect()
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        writer.close()

    async def sends_too_much(self) -> None:
        await self._post(f"{JOIN}/{self.room.code}", b"x" * 5_000_000)

    async def guesses_the_code(self) -> None:
        await self._post(f"{JOIN}/{random.randbytes(5).hex().upper()}", HTML)

    async def replays(self) -> None:
        body, headers = random.choice(self.read)
        await self._post(WORK, body, headers)

    async def forges(self) -> None:
        """Another's message with other numbers, and another's name under a signature of its own."""
        body, headers = random.choice(self.read)
        forged = json.loads(body) | {"count": time.time_ns() * 2}
        await self._post(WORK, json.dumps(forged).encode(), headers)
        await self._post(SHARED, body, {LEARNER: headers[LEARNER], SIGNATURE: "0" * 64})

    async def joins_with_html(self) -> None:
        await self._post(f"{JOIN}/{self.room.code}", HTML)

    async def is_slow(self) -> None:
        """Requests that do not end."""
        opened = [await self._connect() for _ in range(SLOW)]
        for _ in range(8):
            for _, writer in opened:
                writer.write(b"X")
            await asyncio.sleep(0.5)
        for _, writer in opened:
            writer.close()

    async def is_slow_with_a_body(self) -> None:
        opened = [await self._connect() for _ in range(SLOW)]
        for _, writer in opened:
            path = f"{JOIN}/{self.room.code}".encode()
            writer.write(b"POST " + path + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n{")
        await asyncio.sleep(4)
        for _, writer in opened:
            writer.close()

    async def hangs_up(self) -> None:
        """In the middle of a request, or without reading the answer."""
        _, writer = await self._connect()
        path = f"/projector/{self.room.code}/events".encode()
        writer.write(
            random.choice([b"POST /work HT", b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n"])
        )
        await asyncio.sleep(0.01)
        writer.transport.abort()

    async def speaks_gibberish(self) -> None:
        _, writer = await self._connect()
        writer.write(random.randbytes(20_000))
        await asyncio.sleep(0.01)
        writer.close()


WAYS: list[Callable[[Hostile], Awaitable[None]]] = [
    Hostile.floods, Hostile.sends_too_much, Hostile.guesses_the_code, Hostile.replays,
    Hostile.forges, Hostile.joins_with_html, Hostile.is_slow, Hostile.is_slow_with_a_body,
    Hostile.hangs_up, Hostile.speaks_gibberish,
]  # fmt: skip


async def harm(
    room: Room, read: list[tuple[bytes, dict[str, str]]], seconds: float, acts: int
) -> int:
    """Let all ten do it, so long and so often at least; returns how often."""
    end, done = time.perf_counter() + seconds, 0

    async def act(way: Callable[[Hostile], Awaitable[None]], number: int) -> None:
        nonlocal done
        one = Hostile(room, f"127.0.2.{number + 1}", read)
        while time.perf_counter() < end or done < acts:
            with contextlib.suppress(OSError):
                await way(one)
            done += 1
            await asyncio.sleep(0.003)

    await asyncio.gather(*(act(way, number) for number, way in enumerate(WAYS)))
    return done


def main() -> None:
    """Wait for a word before it begins; its machine is none of the leader's, so it is nice."""
    os.nice(10)
    logging.disable()  # asyncio tells of each connection that the room has closed
    given = json.loads(sys.stdin.readline())
    print("ready", flush=True)
    sys.stdin.readline()
    read = [(body.encode(), headers) for body, headers in given["read"]]
    room = Room(given["origin"], given["code"], "")
    print(asyncio.run(harm(room, read, given["seconds"], given["acts"])))


if __name__ == "__main__":
    main()
