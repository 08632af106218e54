"""Build the handouts: sheets, tests and hunts on paper, instructor's book, cheat sheet, poster.

Or the leader's slides, or the web pages.
"""

import gc
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from kata.errors import UserError, unwritable
from kata.handouts.examples import ExampleError
from kata.handouts.paper.typesetting import TypesettingError
from kata.learner.own_files import write
from kata.text import clean

EXTRAS = ("typst", "jinja2", "segno")  # packages that only the handouts need


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=Path("handouts"), help="where they go")
    parser.add_argument("--paper", choices=("a4", "letter"), default="a4", help="which size")
    parser.add_argument("--core", action="store_true", help="the seven core exercises only")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--html", action="store_true", help="the web pages instead of the PDFs")
    instead.add_argument(
        "--slides", action="store_true", help="slides for the leader, 16:9, instead of the PDFs"
    )
    parser.add_argument("--address", default="", help="where the web pages will be found")
    parser.add_argument("--repository", default="", help="the web page of the kata's source")


def run(options: Namespace) -> int:
    """Print the path of every PDF as it is written; of the web pages only the first."""
    # To look for garbage in thousands of syntax trees takes a quarter of the time.
    gc.set_threshold(50_000, 20, 100)
    try:
        for line in _site(options) if options.html else _pages(options):
            print(line)
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        raise UserError(
            f'the handouts need {error.name}, which is not installed: pip install -e ".[handouts]"'
        ) from None
    except (ExampleError, TypesettingError) as error:
        raise UserError(f"a handout could not be made: {error}") from None
    return 0


def _pages(options: Namespace) -> Iterator[Path]:
    from kata.handouts.paper.build import build, slides
    from kata.handouts.site.address import Address

    address = Address(options.address, options.repository)
    pages = slides(options.core) if options.slides else build(options.paper, options.core, address)
    for name, content in pages:
        write(options.out / name, content)
        yield options.out / name


def _site(options: Namespace) -> Iterator[str]:
    from kata.handouts.site.address import Address
    from kata.handouts.site.pages import build

    try:
        paths = build(options.out, options.core, Address(options.address, options.repository))
    except OSError as error:
        raise unwritable(error) from None
    yield clean(f"{len(paths):,} files; open {options.out / 'index.html'}")
