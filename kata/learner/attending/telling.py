"""Telling the room of verdicts, beside the learner's work: nothing here waits for a network."""

import json
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from kata.learner.attending import post
from kata.learner.attending.membership import Letter, read, written
from kata.learner.attending.protocol import LEARNER, WORK
from kata.learner.attending.summary import summary
from kata.text import clean
from kata.verdict import ExerciseVerdict

MOST_ON_THE_WAY = 4  # messages; while so many wait for the room, newer ones are dropped
_on_the_way: list[subprocess.Popen[bytes]] = []


def tell(path: Path, verdicts: Iterable[ExerciseVerdict]) -> str:
    """Send the verdicts, and return; a line for the learner if the room has ended, once."""
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
    with suppress(OSError):  # no process can be started: the room will hear of the next save
        started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)  # fmt: skip
        _on_the_way.append(started)
        assert started.stdin
        with started.stdin as pipe:
            pipe.write(content.encode())
