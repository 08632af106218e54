"""The machinery of the attention kata. In a notebook: `from kata import check`.

PYTEST_DONT_REWRITE: pytest would warn wherever this was imported before it, as in a notebook.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kata.notebook.check import check
    from kata.notebook.helps import board, hint, join, leave, reset, share, solution, submit
    from kata.notebook.hunts import hunt
    from kata.notebook.proofs import prove
    from kata.pictures.drawing import draw

__all__ = [
    "board",
    "check",
    "draw",
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


def __getattr__(name: str) -> object:
    """What notebooks use is imported when they ask for it, and by nobody else."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "draw":
        from kata.pictures import drawing

        return drawing.draw
    from kata import notebook

    return getattr(notebook, name)
