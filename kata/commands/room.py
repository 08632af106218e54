"""Open a live room: a page that shows who of a workshop is where, and who is stuck.

Learners join it with `kata join`. Only this machine can reach it, unless --lan opens it to the
local network. Everything is kept in memory, and forgotten when it ends.
"""

import signal
import webbrowser
from argparse import ArgumentParser, Namespace
from pathlib import Path

from kata.commands.common import add_track
from kata.errors import UserError
from kata.live.protocol import PORT
from kata.text import clean

ALONE = "Only this machine can reach it; --lan opens it to the local network."
LAN = (
    "Everybody in the local network can reach it, and joins with the code; "
    "your own link shows names, so keep it to yourself."
)
HERE = "127.0.0.1"
EXTRAS = ("starlette", "uvicorn", "h11", "anyio")  # packages that only a room needs


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--lan", action="store_true", help="open it to the local network")
    parser.add_argument("--host", default="", help="open it at this address of this machine")
    parser.add_argument("--port", type=int, default=PORT, help=f"default: {PORT}")
    parser.add_argument("--open", action="store_true", help="show your page in a browser")
    parser.add_argument("--keep", action="store_true", help="remember everybody after a restart")
    parser.add_argument("--forget", action="store_true", help="delete what --keep has kept")
    add_track(parser)


def run(options: Namespace) -> int:
    """Serve until Ctrl-C."""
    try:
        return _forget() if options.forget else _serve(options)
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        raise UserError(
            f"a room needs {error.name}, which is not installed: "
            '`pip install -e ".[room]"` in the folder of the repository, '
            "or `pip install starlette uvicorn`"
        ) from None


def _serve(options: Namespace) -> int:
    from kata.live.people import People, new_keys
    from kata.live.reports import read_all
    from kata.live.server import ANYWHERE, OpenRoom, kept_here, listening, load, own_address, save

    host = options.host or (ANYWHERE if options.lan else HERE)
    people, file = People(), kept_here() if options.keep else None
    restored = load(file, people) if file else None
    keys = restored[0] if restored else new_keys()
    socket = listening(host, options.port)
    address = own_address() if host == ANYWHERE else host
    origin = _origin(address, socket.getsockname()[1])
    read_all()
    if file:
        save(file, people, keys, origin)
    room = OpenRoom(people, keys, origin, options.track)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    room.run(socket, file, lambda: _greet(options, room.origin, keys.code, keys.leader))
    if file and not room.forgotten:
        save(file, people, keys, origin)
    return _say_goodbye(file, forgotten=room.forgotten)


def _origin(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _greet(options: Namespace, origin: str, code: str, leader: str) -> None:
    """Print the links, and what becomes of everything when the room ends."""
    from kata.live.server import kept_here

    own = f"{origin}/leader/{leader}"
    print(clean(f"you        {own}"))
    print(clean(f"projector  {origin}/projector/{code}"))
    print(clean(f"learners   kata join {origin}/{code}"))
    print()
    print(LAN if options.lan or options.host else ALONE)
    if options.lan:
        host = origin.split("//")[1].rpartition(":")[0]
        print(
            clean(
                f"If learners cannot reach {host}, "
                "`kata room --host ADDRESS` takes another address of this machine."
            )
        )
    end = "then it has forgotten everything."
    if options.keep:
        end = (
            f"{kept_here()} remembers it for the next `kata room --keep`, "
            "until `kata room --forget`."
        )
    print(clean(f"Ctrl-C ends it; {end}"), flush=True)
    if options.open:
        webbrowser.open(own)


def _say_goodbye(file: Path | None, *, forgotten: bool) -> int:
    from kata.live.server import forget

    if file and not forgotten:
        print(clean(f"the room is closed; {file} remembers it until `kata room --forget`"))
        return 0
    if file:
        forget(file)
    print("the room is closed, and everything in it forgotten")
    return 0


def _forget() -> int:
    """Close the room that keeps its file here, if it is open, and delete the file."""
    from kata.live.server import closed, forget, kept_here

    file = kept_here()
    was_open = closed(file)
    if not forget(file):
        raise UserError(f"nothing is kept here: there is no {file}")
    if was_open:
        closing = "the room that was open has forgotten everybody and is closed"
        print(clean(f"forgotten: {closing}, and {file} is deleted"))
    else:
        print(clean(f"forgotten: {file} is deleted, and no room remembers anybody"))
    return 0
