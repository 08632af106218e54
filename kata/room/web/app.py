"""The room as a web application: who is there, and what may be asked of it."""

from collections.abc import Callable
from functools import partial

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kata.room import views
from kata.room.bounds import OWN_BURST, OWN_RATE, Allowances
from kata.room.keys import Keys
from kata.room.people import People
from kata.room.web import from_learners, to_viewers
from kata.room.web.connections import Connections
from kata.room.web.refusals import HANDLERS
from kata.room.web.streams import Stream

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
RAW = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class Guarded:
    """Puts the same headers on every answer; a connection ends with it."""

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
    """The application with all that it answers; `end` closes it."""
    app = Starlette(
        routes=[*from_learners.ROUTES, *to_viewers.ROUTES],
        middleware=[Middleware(Guarded)],
        exception_handlers=HANDLERS,
    )
    app.router.redirect_slashes = False  # a redirect would name the host that was asked for
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
