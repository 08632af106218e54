"""What a learner sees in a notebook: `from kata import check`."""

from kata.notebook.check import check
from kata.notebook.helps import board, hint, join, leave, reset, share, solution, submit
from kata.notebook.hunts import hunt, mend
from kata.notebook.kernel import listen
from kata.notebook.proofs import prove

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
