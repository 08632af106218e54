"""What a learner sees in a notebook: `from kata import check`."""

from kata.notebook.check import check
from kata.notebook.helps import board, hint, reset, solution, submit
from kata.notebook.kernel import listen

__all__ = ["board", "check", "hint", "reset", "solution", "submit"]

listen()
