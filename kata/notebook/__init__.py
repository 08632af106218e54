"""What a learner sees in a notebook: `from kata import check`."""

from kata.notebook.check import check
from kata.notebook.helps import board, hint, reset, solution, submit
from kata.notebook.hunting.hunt import hunt, mend
from kata.notebook.joining.join import join, leave, share
from kata.notebook.kernel import listen
from kata.notebook.proving.prove import prove

__all__ = [
    "board",
    "check",
    "hint",
    "hunt",
    "join",
    "leave",
    "prove",
    "reset",
    "share",
    "solution",
    "submit",
]

listen(mend=mend)
