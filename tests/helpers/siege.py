"""A room with a crowd in it, ten of whom mean harm, for some seconds; and what came of it."""

import asyncio
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kata.course.curriculum import ROOT
from tests.helpers.crowd import Learner, Looker, share_of, wrong
from tests.helpers.open_room import Room

HONEST = 90
Attackers = subprocess.Popen[str]
WINK = 0.02  # seconds
SETTLING = 3.0  # seconds after the last save in which everything has to be on the page


@dataclass
class Outcome:
    """What came of it: seconds from a save to the page, wrong states, memory in KiB.

    `late` is how much later than it was due this process was woken, which tells how busy the
    machine was: no save can be shown sooner than that.
    """

    waits: list[float]
    late: list[float]
    wrong: list[str]
    lost: int
    refused: int
    harms: int
    events: int
    interrupted: int
    memory: list[int]

    def __str__(self) -> str:
        half, most = (share_of(self.waits, share) for share in (0.5, 0.99))
        return (
            f"{len(self.waits)} saves on the page: p50 {half * 1000:.0f} ms, "
            f"p99 {most * 1000:.0f} ms, longest {max(self.waits) * 1000:.0f} ms "
            f"(machine: late by {share_of(self.late, 0.99) * 1000:.0f} ms at p99); "
            f"{self.refused} refused, {self.lost} never shown; {self.events} events; "
            f"{self.harms} hostile acts; MiB {[each // 1024 for each in self.memory]}; "
            f"wrong: {self.wrong}"
        )


async def besieged(room: Room, seconds: float, pause: float, acts: int = 0) -> Outcome:
    """Ninety save every `pause` seconds while ten mean harm, until they have done so many acts."""
    learners = [Learner(room, number) for number in range(HONEST)]
    for each in learners:
        await each.join()
    looker = Looker(room, {each.name: each for each in learners})
    looking = asyncio.create_task(looker.look())
    memory: list[int] = []
    late: list[float] = []
    waking = asyncio.create_task(_wake(late))
    measuring = asyncio.create_task(_measure(room.pid, memory, seconds))
    with _hostile(room, learners, seconds, acts) as attackers:
        harming = asyncio.create_task(asyncio.to_thread(attackers.communicate))
        await asyncio.gather(*(each.work(harming.done, pause) for each in learners))
        said, _ = await harming
    await asyncio.sleep(SETTLING)
    for each in (looking, measuring, waking):
        each.cancel()
    await asyncio.gather(looking, measuring, waking, return_exceptions=True)
    lost = sum(len(each.sent) for each in learners)
    refused = sum(each.refused for each in learners)
    return Outcome(
        looker.waits, late, wrong(looker.view, learners), lost, refused,
        int(said), looker.events, looker.interrupted, memory,
    )  # fmt: skip


@contextlib.contextmanager
def _hostile(
    room: Room, learners: list[Learner], seconds: float, acts: int
) -> Iterator[subprocess.Popen[str]]:
    """They have read some messages of others on the way."""
    read = [each.message("ex01_softmax", 999) for each in learners[:5]]
    given = {
        "origin": room.origin, "code": room.code, "seconds": seconds, "acts": acts,
        "read": [(body.decode(), headers) for body, headers in read],
    }  # fmt: skip
    command = [sys.executable, "-m", "tests.helpers.crowd_hostile"]
    with subprocess.Popen(command, cwd=ROOT, encoding="utf-8", stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:  # fmt: skip
        assert process.stdin
        assert process.stdout
        process.stdin.write(f"{json.dumps(given)}\n")
        process.stdin.flush()
        assert process.stdout.readline() == "ready\n"
        process.stdin.write("go\n")
        process.stdin.flush()
        yield process


async def _wake(late: list[float]) -> None:
    """Note by how much each short sleep was too long."""
    while True:
        begun = time.perf_counter()
        await asyncio.sleep(WINK)
        late.append(time.perf_counter() - begun - WINK)


async def _measure(pid: int, memory: list[int], seconds: float) -> None:
    """What the server takes, ten times."""
    while True:
        memory.append(resident(pid))
        await asyncio.sleep(seconds / 10)


def resident(pid: int) -> int:
    """KiB of memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(each for each in lines if each.startswith("VmRSS")).split()[1])
