"""What an instructor can say about whose work it is."""

from dataclasses import dataclass, field

from kata.grading.collecting.whose.names_table import Names


@dataclass(frozen=True)
class Whose:
    """What an instructor says, beyond what the names of files and folders say.

    Attributes:
        names: people by what was handed in.
        resubmissions: whether the number in `Wei Zhang (2)` counts hand-ins, and not people.
    """

    names: Names = field(default_factory=Names)
    resubmissions: bool = False
