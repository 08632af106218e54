"""Which connections a room takes, and for how long.

A class may share one address, so addresses are bounded generously: an address that asks for more is
not answered for a while, before anything that it sends is read. Wrong requests count for many,
unless somebody has joined from there: they would pay for whoever sits beside them. A connection
that is not answered in time is closed. Where too many wait, the one that has waited longest makes
room, at the address that has most of them: those that never finish a request are slower than
everybody else.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from kata.room.bounds import (
    BURST,
    FAILING,
    LONGEST_REQUEST,
    MOST_PENDING,
    RATE,
    Allowances,
)

Client = tuple[str, int]  # address and port


class Connections:
    """The connections that are open and have not been answered."""

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
        """Stop counting a viewer's connection, which stays open; it is for the caller to end it."""
        return self._pending.pop(client, None)

    def blame(self, client: Client, cost: float = FAILING) -> None:
        """Charge for a request that nobody makes by mistake, or that costs more than others."""
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
    """uvicorn's own way to read HTTP, which asks before it reads and is told what ends."""

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
