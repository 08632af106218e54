"""Commands around the attention kata."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib import import_module

from kata.course.catalogue import CatalogueError
from kata.course.source import UnusableError
from kata.errors import UserError

COMMANDS = {  # in the folder of those who run them
    **dict.fromkeys(
        ("watch", "board", "hint", "solution", "reset", "submit", "update", "doctor"),
        "for_learners",
    ),
    **dict.fromkeys(("show", "handouts", "platform"), "for_instructors"),
    **dict.fromkeys(("check", "mutants", "new"), "for_maintainers"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; an error of the user is one line and status 2."""
    try:
        chosen = _parser().parse_args(arguments)
        return int(chosen.run(chosen))
    except (UserError, CatalogueError, UnusableError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of the output has closed it, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="kata", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, folder in COMMANDS.items():
        command = import_module(f"kata.commands.{folder}.{name}")
        about = (command.__doc__ or "").strip()
        each = commands.add_parser(name, help=about.splitlines()[0], description=about)
        command.arguments(each)
        each.set_defaults(run=command.run)
    return parser


if __name__ == "__main__":
    sys.exit(main())
