"""How a room says no: a status, and nothing that helps to guess."""

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from kata.room.bounds import FAILING, ODD
from kata.room.reports import MessageError

WRONG, UNKNOWN, OLD, TOO_LARGE, TOO_MANY, NOT_UNDERSTOOD = 403, 404, 409, 413, 429, 400


class RefusedError(Exception):
    """A request that is not answered as it was asked; its address pays for it."""

    def __init__(self, status: int, cost: float = 0.0) -> None:
        super().__init__(status)
        self.status, self.cost = status, cost


async def refused(request: Request, error: Exception) -> Response:
    """The answer to such a request."""
    assert isinstance(error, RefusedError)
    return _answer(request, error.status, error.cost)


async def not_understood(request: Request, _: Exception) -> Response:
    """The answer to a message that no kata sends, or to one whose sender has hung up."""
    return _answer(request, NOT_UNDERSTOOD, FAILING)


async def no_such_thing(request: Request, error: Exception) -> Response:
    """The answer to a request for what no page of a room asks for."""
    assert isinstance(error, HTTPException)
    return _answer(request, error.status_code, ODD)


def _answer(request: Request, status: int, cost: float) -> Response:
    if request.client and cost:
        request.app.state.connections.blame(tuple(request.client), cost)
    return JSONResponse({"refused": status}, status)


HANDLERS = {
    HTTPException: no_such_thing,
    RefusedError: refused,
    MessageError: not_understood,
    ClientDisconnect: not_understood,
}


async def body_of(request: Request, most: int) -> bytes:
    """What was sent, unless it is too large; whoever sends it too slowly is cut off elsewhere."""
    body = bytearray()
    declared = request.headers.get("content-length", "0")
    if not declared.isdecimal() or int(declared[:12]) > most:
        raise RefusedError(TOO_LARGE, FAILING)
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise RefusedError(TOO_LARGE, FAILING)
    return bytes(body)
