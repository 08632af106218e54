"""Make a notebook of each exercise, for Jupyter, VS Code and Colab, or for marimo.

A notebook that you have worked on is never overwritten.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from kata.commands.common import add_track, track_of
from kata.errors import unwritable
from kata.learner.layout import Outcome
from kata.text import clean


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path("notebooks"), help="`notebooks` without it"
    )
    parser.add_argument("--marimo", action="store_true", help="for marimo instead of Jupyter")
    add_track(parser)


def run(options: Namespace) -> int:
    """Write the notebooks, and say what was done."""
    from kata.handouts.notebook_files import notebooks, write

    contents = notebooks(track_of(options).values(), for_marimo=options.marimo)
    try:
        outcome = write(options.folder, contents)
    except OSError as error:
        raise unwritable(error) from None
    print(*_report(options.folder, outcome, options.marimo), sep="\n")
    return 0


def _report(folder: Path, outcome: Outcome, for_marimo: bool) -> Iterator[str]:
    for head, names in (
        (f"new in {folder}", outcome.made),
        (f"updated in {folder}, where nobody had worked on them", outcome.renewed),
        (f"already there in {folder}, and the same", outcome.there),
    ):
        if names:
            yield clean(f"{head}: {len(names)}")
    for name in outcome.kept:
        yield clean(
            f"{folder / name} is kept: it was changed, or made by another version; "
            "for a new one, move it away"
        )
    first = folder / min((*outcome.made, *outcome.renewed, *outcome.there, *outcome.kept))
    how = f"marimo edit {first}" if for_marimo else f"open {first} in Jupyter, VS Code or Colab"
    yield clean(f"next: {how}")
