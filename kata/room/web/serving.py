"""A room that is open: its socket, its server, and the file that it keeps if it is told to."""

import asyncio
import logging
import os
import socket
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import uvicorn

from kata.errors import UserError
from kata.room.keys import Keys
from kata.room.people import People
from kata.room.room_file import save
from kata.room.web.app import room_app
from kata.room.web.connections import protocol

LARGEST_HEAD = 8192  # bytes of a request's headers
PAUSE = 2.0  # seconds between two writes of what is kept
ANYWHERE = "0.0.0.0"  # only with --lan
SOMEWHERE = "192.0.2.1", 9  # an address for examples: nothing is sent there


def listening(host: str, port: int) -> socket.socket:
    """A socket of this address; raises UserError with the reason if it cannot be had."""
    listener = None
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with ExitStack() as opened:
            listener = opened.enter_context(socket.socket(family, socket.SOCK_STREAM))
            if os.name == "posix":  # elsewhere it would share the port with another program
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            opened.pop_all()  # it stays open
    except socket.gaierror:
        raise UserError(f"{host} is not an address of this machine") from None
    except (OSError, OverflowError) as error:
        if listener:
            listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(
            f"port {port} of {host} cannot be used ({reason}); another room may be "
            "open: `--port` chooses another one"
        ) from None
    return listener


def own_address() -> str:
    """The address of this machine in its network, found without sending anything."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(SOMEWHERE)
        return str(probe.getsockname()[0])
    return "127.0.0.1"


class OpenRoom:
    """Answers until Ctrl-C, or until the leader closes it.

    Attributes:
        forgotten: whether everything in it is to be forgotten, as the leader has closed it.
    """

    def __init__(self, people: People, keys: Keys, origin: str, track: str = "") -> None:
        self.people, self.keys, self.origin = people, keys, origin
        self.forgotten = False
        self.app = room_app(people, keys, origin, track, self._end)
        self._server = uvicorn.Server(
            uvicorn.Config(
                self.app, http=protocol(self.app.state.connections), loop="asyncio", ws="none",
                lifespan="off", log_level="critical", access_log=False, proxy_headers=False,
                server_header=False, h11_max_incomplete_event_size=LARGEST_HEAD,
                timeout_graceful_shutdown=1,
            )
        )  # fmt: skip

    def run(self, on: socket.socket, kept: Path | None, ready: Callable[[], None]) -> None:
        """Serve; `ready` is called once it does."""
        # It tells of every connection that breaks off while something is sent.
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)
        with suppress(KeyboardInterrupt):
            asyncio.run(self._run(on, kept, ready))

    async def _run(self, on: socket.socket, kept: Path | None, ready: Callable[[], None]) -> None:
        others = [asyncio.create_task(self._tell(ready))]
        if kept:
            others.append(asyncio.create_task(self._keep(kept)))
        await self._server.serve([on])
        for other in others:
            other.cancel()

    async def _tell(self, ready: Callable[[], None]) -> None:
        while not self._server.started:
            await asyncio.sleep(0.01)
        ready()

    async def _keep(self, path: Path) -> None:
        """Write down what has changed, every other second."""
        written = -1
        while not self.forgotten:
            if written != self.people.version:
                written = self.people.version
                with suppress(UserError):  # told at the start and at the end
                    save(path, self.people, self.keys, self.origin)
            await asyncio.sleep(PAUSE)

    def close(self) -> None:
        """End as Ctrl-C does, from another thread."""
        self._server.should_exit = True

    def _end(self) -> None:
        self.forgotten = True
        self.close()
