"""The addresses of a room: for the messages of learners, and for the pages of viewers."""

import hmac
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from kata.live.connections import OLD, TOO_LARGE, TOO_MANY, UNKNOWN, WRONG, RefusedError, body_of
from kata.live.people import FAILING, JOINING, ODD, Person
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

# Bytes of a message with code: JSON may write six characters for one.
LARGEST_SHOWN = 6 * LARGEST_CODE + 1024
FILES = Path(__file__).parent / "files"
KINDS = {"page.css": "text/css", "page.js": "text/javascript", "leader.js": "text/javascript",
         "projector.js": "text/javascript"}  # fmt: skip
LARGEST = 1024  # bytes of what a leader's page sends
Message = dict[str, Any]


async def join(request: Request) -> Response:
    """Let a learner in who has the code."""
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
    """Note the verdicts of a learner."""
    person, message = await _signed(request, LARGEST_MESSAGE)
    return _acknowledge(request.app.state.people.note(person, reports(message), count(message)))


async def shared(request: Request) -> Response:
    """Show a learner's code to the leader, or forget it."""
    person, message = await _signed(request, LARGEST_SHOWN)
    code, exercise = text(message, "text"), text(message, "exercise")
    if len(code.encode()) > LARGEST_CODE:
        raise RefusedError(TOO_LARGE)
    return _acknowledge(request.app.state.people.show(person, exercise, code, count(message)))


async def leave(request: Request) -> Response:
    """Forget a learner who leaves."""
    person, _ = await _signed(request, LARGEST_MESSAGE)
    request.app.state.people.leave(person.id)
    return JSONResponse({})


async def _signed(request: Request, most: int) -> tuple[Person, Message]:
    """Return the sender, proven by the signature, and the message."""
    state, headers = request.app.state, request.headers
    person = state.people.all.get(headers.get(LEARNER, ""))
    if person is None:
        raise RefusedError(UNKNOWN, 1.0)
    body = await body_of(request, most)
    expected = signature(person.token, request.url.path, body)
    if not hmac.compare_digest(headers.get(SIGNATURE, "").encode(), expected.encode()):
        raise RefusedError(WRONG, FAILING)
    message = content(body)
    # A message that somebody else sends again costs its author nothing.
    if person.expects(count(message)) and not state.own_allowances.take(person.id):
        raise RefusedError(TOO_MANY)
    return person, message


def _acknowledge(is_new: bool) -> Response:
    """Acknowledge a new message; refuse one that came before, or is older than another."""
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
    """Send a style sheet or a script, the same for everybody."""
    name = request.path_params["name"]
    if name not in KINDS:
        raise RefusedError(UNKNOWN)
    return Response(_read(name), media_type=KINDS[name])


async def icon(_: Request) -> Response:
    """Answer browsers, which ask for an icon by themselves; there is none."""
    return Response(status_code=204)


async def invitation(request: Request) -> Response:
    """Send the page for learners, who read what to type and what is sent."""
    return _page(request, "invitation.html", _need_code(request))


async def leader(request: Request) -> Response:
    """Send the leader's page, with names."""
    _need_leader(request)
    return _page(request, "leader.html", request.app.state.keys.code)


async def projector(request: Request) -> Response:
    """Send the page without names."""
    return _page(request, "projector.html", _need_code(request))


async def leader_events(request: Request) -> Response:
    """Stream what the leader's page shows, from now on."""
    _need_leader(request)
    answer: Response = request.app.state.leader.answer(request)
    return answer


async def projector_events(request: Request) -> Response:
    """Stream what the projector's page shows, from now on."""
    _need_code(request)
    answer: Response = request.app.state.projector.answer(request)
    return answer


async def remove(request: Request) -> Response:
    """Remove a learner, for example one with a name that is none."""
    _need_leader(request)
    request.app.state.people.leave(text(content(await body_of(request, LARGEST)), "id"))
    return JSONResponse({})


async def close(request: Request) -> Response:
    """Forget everybody, and close the room."""
    _need_leader(request)
    request.app.state.people.forget()
    request.app.state.end()
    return JSONResponse({})


def _need_leader(request: Request) -> None:
    if not request.app.state.keys.is_leader(request.path_params["key"]):
        raise RefusedError(UNKNOWN, FAILING)


def _need_code(request: Request) -> str:
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
