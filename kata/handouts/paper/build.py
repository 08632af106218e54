"""All handouts, written to a folder: sheets, tests and hunts on paper, the book, and the others.

The slides are made only if they are asked for.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from kata.course.curriculum import exercises
from kata.handouts.site import NOWHERE
from kata.handouts.site.address import Address

Make = Callable[[], bytes]


def build(paper: str, core: bool, address: Address = NOWHERE) -> Iterator[tuple[Path, bytes]]:
    """Yield each PDF with its path in the folder, as soon as it is made."""
    _alone()
    for name, make in _handouts(paper, core, address):
        yield Path(name), make()


def slides(core: bool) -> Iterator[tuple[Path, bytes]]:
    """The slides of the leader, in one PDF."""
    from kata.handouts.paper.slides.deck import slides

    _alone()
    yield Path("slides.pdf"), slides(core)


def _handouts(paper: str, core: bool, address: Address) -> Iterator[tuple[str, Make]]:
    from kata.handouts.paper.book import book
    from kata.handouts.paper.cheat_sheet import cheatsheet
    from kata.handouts.paper.hunt_sheets import hunt_sheet
    from kata.handouts.paper.poster import poster
    from kata.handouts.paper.proof_sheets import proof_sheet
    from kata.handouts.paper.sheets import sheet

    for slug, exercise in exercises().items():
        if exercise.core or not core:
            yield f"sheets/{slug}.pdf", partial(sheet, exercise, paper)
            yield f"proofs/{slug}.pdf", partial(proof_sheet, exercise, paper)
            yield f"hunts/{slug}.pdf", partial(hunt_sheet, exercise, paper)
    yield "book.pdf", partial(book, paper, core)
    yield "cheatsheet.pdf", partial(cheatsheet, paper)
    yield "poster.pdf", partial(poster, paper, address)


def _alone() -> None:
    """Use one thread: the computations are tiny, and their sums are the same on every machine."""
    import torch

    torch.set_num_threads(1)
