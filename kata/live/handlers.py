"""The addresses of a room: what learners send, what viewers ask for, and what pages are sent."""

import asyncio
import hmac
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from kata.live.connections import OLD, TOO_LARGE, TOO_MANY, UNKNOWN, WRONG, RefusedError, body_of
from kata.live.people import FAILING, JOINING, MOST_VIEWERS, ODD, People, Person
from kata.live.protocol import (
    JOIN,
    LARGEST_CODE,
    LARGEST_MESSAGE,
    LEARNER,
    LEAVE,
    SHARED,
    SIGNATURE,
    WORK,
    signature,
)
from kata.live.reports import content, count, reports, text

LARGEST_SHOWN = 6 * LARGEST_CODE + 1024  # JSON may write six characters for one
Message = dict[str, Any]
FILES = Path(__file__).parent / "files"
KINDS = {"page.css": "text/css", "page.js": "text/javascript", "leader.js": "text/javascript",
         "projector.js": "text/javascript"}  # fmt: skip
LARGEST = 1024  # bytes of what a leader's page sends
PACE = 0.2  # seconds between two events, at least
BEAT = 10.0  # seconds after which a quiet viewer is sent something all the same
NOTHING_NEW = ":\n\n"
View = Callable[[], dict[str, Any]]


async def join(request: Request) -> Response:
    """Let somebody in who has the code."""
    state = request.app.state
    if not state.keys.lets_in(request.path_params["code"]):
        raise RefusedError(WRONG, FAILING)
    name = text(content(await body_of(request, LARGEST_MESSAGE)), "name")
    address = request.client.host if request.client else ""
    if not state.connections.allowances.take(address, JOINING):
        raise RefusedError(TOO_MANY)
    person = state.people.join(name, address)
    membership = {"learner": person.id, "token": person.token, "name": person.name}
    return JSONResponse(membership, 201)


async def work(request: Request) -> Response:
    """Note where somebody is."""
    person, message = await _signed(request, LARGEST_MESSAGE)
    return _acknowledge(request.app.state.people.note(person, reports(message), count(message)))


async def shared(request: Request) -> Response:
    """Keep code that its author shows to the leader, or forget it."""
    person, message = await _signed(request, LARGEST_SHOWN)
    code, exercise = text(message, "text"), text(message, "exercise")
    if len(code.encode()) > LARGEST_CODE:
        raise RefusedError(TOO_LARGE)
    return _acknowledge(request.app.state.people.show(person, exercise, code, count(message)))


async def leave(request: Request) -> Response:
    """Forget somebody who wants it."""
    person, _ = await _signed(request, LARGEST_MESSAGE)
    request.app.state.people.leave(person.id)
    return JSONResponse({})


async def _signed(request: Request, most: int) -> tuple[Person, Message]:
    """Who has sent this, proven by the signature; and what."""
    state, headers = request.app.state, request.headers
    person = state.people.all.get(headers.get(LEARNER, ""))
    if person is None:
        raise RefusedError(UNKNOWN, 1.0)
    body = await body_of(request, most)
    expected = signature(person.token, request.url.path, body)
    if not hmac.compare_digest(headers.get(SIGNATURE, "").encode(), expected.encode()):
        raise RefusedError(WRONG, FAILING)
    message = content(body)
    # One that somebody else sends again costs its author nothing.
    if person.expects(count(message)) and not state.own_allowances.take(person.id):
        raise RefusedError(TOO_MANY)
    return person, message


def _acknowledge(is_new: bool) -> Response:
    """Acknowledge a message; one that came before, or is older than another, changes nothing."""
    if not is_new:
        raise RefusedError(OLD, ODD)
    return JSONResponse({})


ROUTES_OF_LEARNERS = [
    Route(f"{JOIN}/{{code}}", join, methods=["POST"]),
    Route(WORK, work, methods=["POST"]),
    Route(SHARED, shared, methods=["POST"]),
    Route(LEAVE, leave, methods=["POST"]),
]


async def file(request: Request) -> Response:
    """Send style and scripts, the same for everybody."""
    name = request.path_params["name"]
    if name not in KINDS:
        raise RefusedError(UNKNOWN)
    return Response(_read(name), media_type=KINDS[name])


async def icon(_: Request) -> Response:
    """Answer browsers, which ask for an icon by themselves; there is none."""
    return Response(status_code=204)


async def invitation(request: Request) -> Response:
    """The page for learners: what to type, and what is sent."""
    return _page(request, "invitation.html", _with_code(request))


async def leader(request: Request) -> Response:
    """The page with names."""
    _need_leader(request)
    return _page(request, "leader.html", request.app.state.keys.code)


async def projector(request: Request) -> Response:
    """The page without names."""
    return _page(request, "projector.html", _with_code(request))


async def leader_events(request: Request) -> Response:
    """Stream what the leader's page shows, from now on."""
    _need_leader(request)
    answer: Response = request.app.state.leader.answer(request)
    return answer


async def projector_events(request: Request) -> Response:
    """Stream what the projector's page shows, from now on."""
    _with_code(request)
    answer: Response = request.app.state.projector.answer(request)
    return answer


async def remove(request: Request) -> Response:
    """Send somebody out, whose name is no name, say."""
    _need_leader(request)
    request.app.state.people.leave(text(content(await body_of(request, LARGEST)), "id"))
    return JSONResponse({})


async def close(request: Request) -> Response:
    """Forget everything, and end."""
    _need_leader(request)
    request.app.state.people.forget()
    request.app.state.end()
    return JSONResponse({})


def _need_leader(request: Request) -> None:
    if not request.app.state.keys.is_leader(request.path_params["key"]):
        raise RefusedError(UNKNOWN, FAILING)


def _with_code(request: Request) -> str:
    if not request.app.state.keys.lets_in(request.path_params["code"]):
        raise RefusedError(UNKNOWN, FAILING)
    return str(request.app.state.keys.code)


def _page(request: Request, name: str, code: str) -> Response:
    link = escape(f"{request.app.state.origin}/{code}")
    return HTMLResponse(Template(_read(name)).substitute(link=link))


@cache
def _read(name: str) -> str:
    return (FILES / name).read_text(encoding="utf-8")


ROUTES_OF_VIEWERS = [
    Route("/files/{name}", file),
    Route("/leader/{key}", leader),
    Route("/leader/{key}/events", leader_events),
    Route("/leader/{key}/remove", remove, methods=["POST"]),
    Route("/leader/{key}/close", close, methods=["POST"]),
    Route("/projector/{code}", projector),
    Route("/projector/{code}/events", projector_events),
    Route("/favicon.ico", icon),
    Route("/{code}", invitation),
]


class Viewer:
    """One browser that listens."""

    def __init__(self, address: str, transport: asyncio.Transport | None) -> None:
        self.address, self.transport = address, transport
        self.news = asyncio.Event()

    async def something_new(self) -> None:
        """Wait for a change, and not too long."""
        await asyncio.sleep(PACE)
        with suppress(TimeoutError):
            async with asyncio.timeout(BEAT):
                await self.news.wait()
        self.news.clear()


class Stream:
    """One kind of view, and its viewers; those at an address that it `keeps` are not dismissed."""

    def __init__(
        self, people: People, view: View, keeps: Callable[[str], bool] = lambda _: False
    ) -> None:
        self._people, self._view, self._keeps = people, view, keeps
        self._viewers: list[Viewer] = []
        self._made: tuple[int, float, str] = (-1, 0.0, "")

    def changed(self) -> None:
        """Tell every viewer that there is something new."""
        for viewer in self._viewers:
            viewer.news.set()

    def listens_at(self, address: str) -> bool:
        """Whether a viewer is there."""
        return any(viewer.address == address for viewer in self._viewers)

    def answer(self, request: Request) -> StreamingResponse:
        """An answer that does not end before the viewer goes."""
        client = tuple(request.client) if request.client else ("", 0)
        transport = request.app.state.connections.keep(client)
        request.app.state.connections.blame(client, ODD)  # nobody opens one often
        return StreamingResponse(
            self._events(Viewer(str(client[0]), transport)), media_type="text/event-stream"
        )

    async def _events(self, viewer: Viewer) -> AsyncIterator[str]:
        self._viewers.append(viewer)
        if len(self._viewers) > MOST_VIEWERS:
            self._dismiss_one()
        try:
            last = ""
            while True:
                text = self._text()
                yield NOTHING_NEW if text == last else text
                last = text
                await viewer.something_new()
        finally:
            self._viewers.remove(viewer)

    def _text(self) -> str:
        """The event as it is sent; made once for all viewers."""
        version, when, text = self._made
        now = asyncio.get_running_loop().time()
        if version != self._people.version or now - when > BEAT:
            text = f"data: {json.dumps(self._view())}\n\n"
            self._made = self._people.version, now, text
        return text

    def _dismiss_one(self) -> None:
        """The oldest at an address from which most are listening; of strangers the last one."""
        there = [
            viewer for viewer in self._viewers if not self._keeps(viewer.address)
        ] or self._viewers
        crowds = Counter(viewer.address for viewer in there)
        most = max(crowds.values())
        crowd = [viewer for viewer in there if crowds[viewer.address] == most]
        leaving = crowd[0] if most > 1 else crowd[-1]
        if leaving.transport:
            leaving.transport.abort()
