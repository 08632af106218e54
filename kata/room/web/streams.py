"""What the pages of viewers are sent: everything that they show, whenever something has changed.

Each event is the whole view, so that a page which missed some is right after the next one. Changes
that come close together are sent as one, and a viewer who reads slowly skips what is out of date.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import StreamingResponse

from kata.room.bounds import MOST_VIEWERS, ODD
from kata.room.people import People

PACE = 0.2  # seconds between two events, at least
BEAT = 10.0  # seconds after which a quiet viewer is sent something all the same
NOTHING_NEW = ":\n\n"
View = Callable[[], dict[str, Any]]


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
