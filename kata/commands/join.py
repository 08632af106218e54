"""Join a live room, so that its leader sees where you are; without a link, see what was sent.

It is told which exercises your runs are about, how many claims hold, which fails first, and the
slug of a known mistake: never your code. `kata leave` ends it.
"""

import sys
from argparse import ArgumentParser, Namespace

from kata.commands.common import add_folder, folder_of, track_of
from kata.errors import UserError
from kata.learner.status import statuses
from kata.live.attending import NOWHERE, join, joined, welcome
from kata.live.protocol import door
from kata.terminal.style import style_of


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("link", nargs="?", default="", help="as the leader shows it")
    parser.add_argument("code", nargs="?", default="", help="if the link is an address without it")
    parser.add_argument("--name", default=None, help="how the room shows you; asked for without")
    add_folder(parser)


def run(options: Namespace) -> int:
    """Join the room of the link; describe the room that the learner is in."""
    folder = folder_of(options)
    if options.link:
        to = door(options.link, options.code)
        name = _ask_name() if options.name is None else options.name
        join(folder, to, name, list(statuses(folder, track_of(options))))
    member = joined(folder)
    if member is None:
        raise UserError(NOWHERE)
    style = style_of(sys.stdout)
    for sentence in welcome(member):
        print(*style.wrap(sentence), sep="\n")
    # Exactly what was sent, so it is not wrapped.
    print(member.sent)
    return 0


def _ask_name() -> str:
    """Return the name that is typed; "" without a terminal, and then the room chooses one."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return ""
    try:
        return input("How shall the room call you? (Enter: it finds a name) ")
    except EOFError:
        return ""
