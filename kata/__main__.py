"""Commands around the attention kata."""

import os
import sys
from collections.abc import Sequence

from kata.interpreter import guard_children

GROUPS = {
    "for learners": ("init", "watch", "board", "verdict", "hint", "call", "solution", "reset",
                     "submit", "update", "notebooks", "doctor"),
    "to practise": ("prove", "hunt", "practice"),
    "to see what it is for": ("why", "run"),
    "for workshops": ("room", "join", "share", "leave"),
    "for instructors": ("grade", "show", "handouts", "platform"),
    "for maintainers of the kata": ("check", "mutants", "new"),
}  # fmt: skip
COMMANDS = tuple(name for names in GROUPS.values() for name in names)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; an error of the user is one line and status 2."""
    guard_children()
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        # It may come as early as while modules are imported.
        return 130
    except BrokenPipeError:
        # The reader of the output has closed it, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141


def _run(arguments: Sequence[str]) -> int:
    from kata.commands.common import parser
    from kata.course.catalogue import CatalogueError
    from kata.course.source import UnusableError
    from kata.errors import UserError

    try:
        if not arguments:
            print(parser(GROUPS).format_help(), end="")
            return 0
        chosen = parser(GROUPS, arguments[0]).parse_args(arguments)
        return int(chosen.run(chosen))
    except (UserError, CatalogueError, UnusableError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
