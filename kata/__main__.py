"""Commands around the attention kata."""

import os
import sys
from collections.abc import Sequence

from kata.interpreter import guard_children

COMMANDS = {  # in the folder of those who run them
    **dict.fromkeys(("init", "watch", "board", "verdict", "hint", "call"), "for_learners"),
    **dict.fromkeys(("solution", "reset", "submit", "update", "notebooks"), "for_learners"),
    "doctor": "for_learners",
    **dict.fromkeys(("prove", "hunt", "practice"), "for_practice"),
    **dict.fromkeys(("why", "run"), "what_for"),
    **dict.fromkeys(("room", "join", "share", "leave"), "for_rooms"),
    **dict.fromkeys(("grade", "show", "handouts", "platform"), "for_instructors"),
    **dict.fromkeys(("check", "mutants", "new"), "for_maintainers"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; an error of the user is one line and status 2."""
    guard_children()
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:  # also while its modules are imported
        return 130
    except BrokenPipeError:  # the reader of the output has closed it, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141


def _run(arguments: Sequence[str]) -> int:
    from kata.commands.parser import parser
    from kata.course.catalogue import CatalogueError
    from kata.course.source import UnusableError
    from kata.errors import UserError

    try:
        if not arguments:
            print(parser(COMMANDS).format_help(), end="")
            return 0
        chosen = parser(COMMANDS, arguments[0]).parse_args(arguments)
        return int(chosen.run(chosen))
    except (UserError, CatalogueError, UnusableError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
