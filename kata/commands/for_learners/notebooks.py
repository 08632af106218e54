"""Make a notebook of each exercise, for Jupyter, VS Code and Colab, or for marimo.

A notebook that you have worked on is never overwritten.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from kata.commands.common import add_track, chosen
from kata.errors import UserError
from kata.learner.folder.renewal import Outcome
from kata.text import clean
from kata.words import say


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path("notebooks"), help="`notebooks` without it"
    )
    parser.add_argument("--marimo", action="store_true", help="for marimo instead of Jupyter")
    add_track(parser)


def run(options: Namespace) -> int:
    """Write them, and say what was done."""
    from kata.handouts.notebooks.folder import notebooks, write

    contents = notebooks(chosen(options).values(), for_marimo=options.marimo)
    try:
        done = write(options.folder, contents)
    except OSError as error:
        path, reason = error.filename, error.strerror
        raise UserError(say("commands.cannot", path=path, reason=reason)) from None
    print(*_told(options.folder, done, options.marimo), sep="\n")
    return 0


def _told(folder: Path, done: Outcome, for_marimo: bool) -> Iterator[str]:
    for key in ("made", "renewed", "there"):
        names: list[str] = getattr(done, key)
        if names:
            yield say(f"commands.notebooks.{key}", count=len(names), folder=folder)
    for name in done.kept:
        yield clean(
            f"{folder / name} is kept: it was changed, or made by another version; for "
            "a new one, move it away"
        )
    kind = "marimo" if for_marimo else "jupyter"
    first = min((*done.made, *done.renewed, *done.there, *done.kept))
    yield say(f"commands.notebooks.{kind}", path=folder / first, folder=folder)
