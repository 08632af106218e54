"""What an instructor can say about whose work it is."""

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, field
from pathlib import Path

from kata.grading.collecting.whose.names_table import Names, read_names


@dataclass(frozen=True)
class Whose:
    """What an instructor says, beyond what the names of files and folders say.

    Attributes:
        names: people by what was handed in.
        resubmissions: whether the number in `Wei Zhang (2)` counts hand-ins, and not people.
    """

    names: Names = field(default_factory=Names)
    resubmissions: bool = False


def arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("--names", type=Path, metavar="CSV", help="who has handed in what: handed_in,student")
    add("--resubmissions", action="store_true",
        help="a folder `Wei Zhang (2)` is a later hand-in, and not another person's")  # fmt: skip


def whose(options: Namespace) -> Whose:
    """What was said; a UserError says what is wrong with the table."""
    names = read_names(options.names) if options.names else Names()
    return Whose(names, options.resubmissions)
