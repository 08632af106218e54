"""The pages: the leader's, the projector's, and what a learner sees who opens the room's link."""

from functools import cache
from html import escape
from pathlib import Path
from string import Template

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from kata.room.bounds import FAILING
from kata.room.reports import content, text
from kata.room.web.refusals import UNKNOWN, RefusedError, body_of

FILES = Path(__file__).parent / "files"
KINDS = {"page.css": "text/css", "page.js": "text/javascript", "leader.js": "text/javascript",
         "projector.js": "text/javascript"}  # fmt: skip
LARGEST = 1024  # bytes of what a leader's page sends


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


ROUTES = [
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
