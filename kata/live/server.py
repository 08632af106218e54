"""An open room: the web application, its socket, its server, and the file that it keeps."""

import asyncio
import json
import logging
import os
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import asdict
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kata.errors import UserError
from kata.files import read_table, state_file, write_file
from kata.live import handlers, views
from kata.live.connections import HANDLERS, Connections, protocol
from kata.live.people import OWN_BURST, OWN_RATE, Allowances, Keys, People, Person, Standing
from kata.live.post import deliver
from kata.live.reports import Report
from kata.live.views import Stream
from kata.plain import decode, encode

LARGEST_HEAD = 8192  # bytes of a request's headers
PAUSE = 2.0  # seconds between two writes of what is kept
ANYWHERE = "0.0.0.0"  # only with --lan
# An address for examples: nothing is sent there.
SOMEWHERE = "192.0.2.1", 9
HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "connection": "close",
}
ROOM = ".open-room"
FORM = 1  # version of the file format


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at this address; raise UserError with the reason if none can."""
    listener = None
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with ExitStack() as opened:
            listener = opened.enter_context(socket.socket(family, socket.SOCK_STREAM))
            # Elsewhere it would share the port with another program.
            if os.name == "posix":
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            # The socket stays open.
            opened.pop_all()
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
    """Return the address of this machine in its network, without sending anything."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(SOMEWHERE)
        return str(probe.getsockname()[0])
    return "127.0.0.1"


class OpenRoom:
    """A room that answers until Ctrl-C, or until the leader closes it.

    Attributes:
        forgotten: whether the leader has closed it, so that nothing is kept.
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
        """Serve; `ready` is called once the server has started."""
        # asyncio logs every connection that breaks off while something is sent.
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)
        with suppress(KeyboardInterrupt):
            asyncio.run(self._run(on, kept, ready))

    async def _run(self, on: socket.socket, kept: Path | None, ready: Callable[[], None]) -> None:
        tasks = [asyncio.create_task(self._call_when_started(ready))]
        if kept:
            tasks.append(asyncio.create_task(self._keep(kept)))
        await self._server.serve([on])
        for task in tasks:
            task.cancel()

    async def _call_when_started(self, ready: Callable[[], None]) -> None:
        while not self._server.started:
            await asyncio.sleep(0.01)
        ready()

    async def _keep(self, path: Path) -> None:
        """Save changes, every other second."""
        saved = -1
        while not self.forgotten:
            if saved != self.people.version:
                saved = self.people.version
                # The leader reads of it at the start and at the end.
                with suppress(UserError):
                    save(path, self.people, self.keys, self.origin)
            await asyncio.sleep(PAUSE)

    def close(self) -> None:
        """End as Ctrl-C does, from another thread."""
        self._server.should_exit = True

    def _end(self) -> None:
        self.forgotten = True
        self.close()


RAW = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class Guarded:
    """Puts the same headers on every answer; the connection ends with the answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *RAW]
            await send(message)

        await self.app(scope, receive, with_headers)


def room_app(
    people: People, keys: Keys, origin: str, track: str, end: Callable[[], None]
) -> Starlette:
    """Return the web application of a room; `end` closes the room."""
    app = Starlette(
        routes=[*handlers.ROUTES_OF_LEARNERS, *handlers.ROUTES_OF_VIEWERS],
        middleware=[Middleware(Guarded)],
        exception_handlers=HANDLERS,
    )
    # A redirect would name the host of the request.
    app.router.redirect_slashes = False
    app.state.people, app.state.keys, app.state.origin, app.state.end = people, keys, origin, end
    app.state.connections = Connections(people.lives_at)
    app.state.own_allowances = Allowances(OWN_RATE, OWN_BURST)
    app.state.leader = Stream(people, partial(views.leader, people, track))
    projector = partial(views.projector, people, track)
    app.state.projector = Stream(people, projector, app.state.leader.listens_at)

    def changed() -> None:
        app.state.leader.changed()
        app.state.projector.changed()

    people.changed = changed
    return app


def kept_here() -> Path:
    """Return the file about the room that is opened in this folder."""
    return state_file(Path.cwd(), ROOM)


def save(path: Path, people: People, keys: Keys, origin: str) -> None:
    """Replace the file in one step; raise UserError if that fails."""
    document = {
        "form": FORM, "origin": origin, "keys": asdict(keys), "saved": time.time(),
        "people": [_to_dict(person) for person in people.all.values()],
    }  # fmt: skip
    try:
        write_file(path, json.dumps(document), private=True)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}") from None


def load(path: Path, people: People) -> tuple[Keys, str] | None:
    """Read the people, and return the keys and the address; None if there is no file."""
    try:
        document = read_table(path)
        people.all = {entry["id"]: _from_dict(entry) for entry in document["people"]}
        return Keys(**document["keys"]), str(document["origin"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise UserError(f"{path} cannot be read, so nobody is remembered: {reason}") from None


def forget(path: Path) -> bool:
    """Delete the file; return whether there was one."""
    existed = path.exists()
    with suppress(OSError):
        path.unlink()
    return existed


def _to_dict(person: Person) -> dict[str, Any]:
    """Return a person as data, without the address and without any code."""
    return {
        **{name: getattr(person, name) for name in ("id", "token", "name", "joined", "heard")},
        "at": person.at,
        "standings": [
            [encode(standing.report), standing.since] for standing in person.standings.values()
        ],
        "met": [[*key, when] for key, when in person.met.items()],
        "counts": person.counts,
    }


def _from_dict(entry: dict[str, Any]) -> Person:
    standings = [Standing(decode(Report, report), since) for report, since in entry["standings"]]
    return Person(
        **{name: entry[name] for name in ("id", "token", "name", "joined", "heard", "at")},
        address="",
        standings={standing.report.exercise: standing for standing in standings},
        met={(slug, mistake): when for slug, mistake, when in entry["met"]},
        counts=entry["counts"],
    )


def closed(kept: Path) -> bool:
    """Close the room that this file is about; return whether one was open."""
    with suppress(UserError, OSError, HTTPException):
        if pair := load(kept, People()):
            keys, origin = pair
            status, _ = deliver(origin, f"/leader/{keys.leader}/close", b"{}", {})
            return status == 200
    return False
