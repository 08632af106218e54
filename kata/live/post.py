"""The delivery of one message to a room.

`python -I -S post.py MEMBERSHIP` reads the message from its input. It imports nothing of the kata,
so that it starts fast: it runs beside the learner's work, and ends by itself if no room answers.
"""

import errno
import json
import os
import secrets
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread, Timer
from typing import Any
from urllib.parse import urlsplit

PATIENCE = 3.0  # seconds for one step of a connection
# Seconds for all of them: a room that sends a byte a second is as good as away.
LONGEST = 5.0
LAST = 8.0  # seconds for all attempts of a process
LARGEST_REPLY = 4096  # bytes
GONE = {403, 404, 410}  # the room does not know this learner, or is another one


def deliver(origin: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
    """Send a message to the room, past any proxy; raise OSError or HTTPException."""
    answers: SimpleQueue[tuple[int, bytes] | Exception] = SimpleQueue()

    def ask() -> None:
        try:
            answers.put(_answer(origin, path, body, headers))
        # It is raised where the answer is awaited.
        except Exception as error:
            answers.put(error)

    Thread(target=ask, daemon=True).start()
    try:
        answer = answers.get(timeout=LONGEST)
    except Empty:
        raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT)) from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _answer(origin: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
    connection = _connection(origin)
    try:
        connection.request("POST", path, body, dict(headers))
        reply = connection.getresponse()
        return reply.status, reply.read(LARGEST_REPLY)
    finally:
        connection.close()


def _connection(origin: str) -> HTTPConnection:
    parts = urlsplit(origin)
    if parts.scheme == "https":
        # A Python without ssl has none.
        from http.client import HTTPSConnection

        return HTTPSConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
    return HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)


def main() -> None:
    """Send the message in the input; note it if the room has ended."""
    clock = Timer(LAST, os._exit, [1])
    clock.daemon = True
    clock.start()
    message = json.loads(sys.stdin.buffer.read())
    for pause in (0.5, 2.0, 0.0):
        # The room may be away, or hang up as it is busy.
        with suppress(OSError, HTTPException):
            if _send(message) in GONE:
                _note_end(Path(sys.argv[1]), message["learner"])
            return
        time.sleep(pause)


def _send(message: Mapping[str, Any]) -> int:
    body = message["body"].encode()
    return deliver(message["origin"], message["path"], body, message["headers"])[0]


def _note_end(path: Path, learner: str) -> None:
    """Note that the room has ended, unless the learner has joined another room meanwhile."""
    member = json.loads(path.read_text(encoding="utf-8"))
    if member["learner"] == learner:
        part = path.with_name(f".{secrets.token_hex(8)}.part")
        # The file is new: no link is followed.
        number = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(number, "w", encoding="utf-8") as file:
            json.dump({**member, "ended": True}, file)
        part.replace(path)


if __name__ == "__main__":
    main()
