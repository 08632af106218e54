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

MODULES = {
    "kata.notebook.check": {"check"},
    "kata.notebook.helps": {
        *("board", "hint", "join", "leave", "reset", "share", "solution", "submit"),
    },
    "kata.notebook.hunts": {"hunt"},
    "kata.notebook.proofs": {"prove"},
    "kata.pictures.drawing": {"draw"},
}
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
    """Import the module of a name when a notebook asks for it, and not before."""
    from importlib import import_module

    for module, names in MODULES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
