"""What learners send: joining, verdicts, code that they show, leaving."""

import hmac
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kata.learner.attending.protocol import (
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
from kata.room.bounds import FAILING, JOINING, ODD
from kata.room.people import Person
from kata.room.reports import content, count, reports, text
from kata.room.web.refusals import (
    OLD,
    TOO_LARGE,
    TOO_MANY,
    UNKNOWN,
    WRONG,
    RefusedError,
    body_of,
)

LARGEST_SHOWN = 6 * LARGEST_CODE + 1024  # JSON may write six characters for one
Message = dict[str, Any]


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


ROUTES = [
    Route(f"{JOIN}/{{code}}", join, methods=["POST"]),
    Route(WORK, work, methods=["POST"]),
    Route(SHARED, shared, methods=["POST"]),
    Route(LEAVE, leave, methods=["POST"]),
]
