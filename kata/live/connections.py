"""The limits of a room: the connections and requests that it takes, and how it refuses the rest."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from uvicorn.protocols.http.h11_impl import H11Protocol

from kata.live.people import BURST, FAILING, LONGEST_REQUEST, MOST_PENDING, ODD, RATE, Allowances
from kata.live.reports import MessageError

Client = tuple[str, int]  # address and port
WRONG, UNKNOWN, OLD, TOO_LARGE, TOO_MANY, NOT_UNDERSTOOD = 403, 404, 409, 413, 429, 400


class Connections:
    """The open connections that have not been answered; `spares` names addresses to pardon."""

    def __init__(self, spares: Callable[[str], bool] = lambda _: False) -> None:
        self._spares = spares
        self.allowances = Allowances(RATE, BURST)
        self._pending: dict[Client, asyncio.Transport] = {}  # the oldest first

    def opened(self, client: Client, transport: asyncio.Transport) -> None:
        """Take a connection, or close it at once."""
        if not self.allowances.take(client[0]):
            transport.abort()
            return
        self._pending[client] = transport
        asyncio.get_running_loop().call_later(LONGEST_REQUEST, self._late, client, transport)
        if len(self._pending) > MOST_PENDING:
            self._make_room()

    def closed(self, client: Client) -> None:
        """Forget a connection that has ended by itself."""
        self._pending.pop(client, None)

    def keep(self, client: Client) -> asyncio.Transport | None:
        """Stop counting a viewer's connection, which stays open until the caller ends it."""
        return self._pending.pop(client, None)

    def blame(self, client: Client, cost: float = FAILING) -> None:
        """Charge an address for a wrong request, or for one that costs more than usual."""
        if not self._spares(client[0]):
            self.allowances.fine(client[0], cost)

    def __len__(self) -> int:
        return len(self._pending)

    def _late(self, client: Client, transport: asyncio.Transport) -> None:
        if self._pending.get(client) is transport:
            del self._pending[client]
            transport.abort()

    def _make_room(self) -> None:
        crowds = Counter(address for address, _ in self._pending)
        crowd = max(crowds, key=lambda address: crowds[address])
        oldest = next(client for client in self._pending if client[0] == crowd)
        self._pending.pop(oldest).abort()


def protocol(connections: Connections) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol for HTTP, which reports to these connections."""

    class Bounded(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if self.client:
                connections.opened(self.client, transport)

        def send_400_response(self, msg: str) -> None:
            if self.client:
                connections.blame(self.client)
            super().send_400_response(msg)

        def connection_lost(self, exc: Exception | None) -> None:
            if self.client:
                connections.closed(self.client)
            super().connection_lost(exc)

    return Bounded


class RefusedError(Exception):
    """A request that is refused; its address pays the cost."""

    def __init__(self, status: int, cost: float = 0.0) -> None:
        super().__init__(status)
        self.status, self.cost = status, cost


async def refused(request: Request, error: Exception) -> Response:
    """Answer a request that a handler refuses."""
    assert isinstance(error, RefusedError)
    return _answer(request, error.status, error.cost)


async def not_understood(request: Request, _: Exception) -> Response:
    """Answer a message that no kata sends, or a sender who has hung up."""
    return _answer(request, NOT_UNDERSTOOD, FAILING)


async def no_such_thing(request: Request, error: Exception) -> Response:
    """Answer a request for an address that no page of a room names."""
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
    """Return the body, unless it is too large; `Connections` closes on a sender who is slow."""
    body = bytearray()
    declared = request.headers.get("content-length", "0")
    if not declared.isdecimal() or int(declared[:12]) > most:
        raise RefusedError(TOO_LARGE, FAILING)
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise RefusedError(TOO_LARGE, FAILING)
    return bytes(body)
