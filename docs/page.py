"""A page whose numbers and figures are computed: blocks between marks, and drawings beside it."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from torch import Tensor, isclose

from kata.terminal.svg import heat_maps
from kata.verdict import ClaimVerdict, Message, Picture, State

PAGE = Path(__file__).with_name("documents.md")
FIGURES = Path(__file__).with_name("figures")
BLOCK = re.compile(r"(<!-- computed: (\S+) -->)(.*?)(<!-- end -->)", re.DOTALL)

PIECES: dict[str, Callable[[], str]] = {}
DRAWINGS: dict[str, Callable[[], str]] = {}


def piece(name: str) -> Callable[[Callable[[], str]], Callable[[], str]]:
    """Register what computes the block of this name."""
    return _into(PIECES, name)


def drawing(name: str) -> Callable[[Callable[[], str]], Callable[[], str]]:
    """Register what draws the figure of this name."""
    return _into(DRAWINGS, name)


def _into(
    table: dict[str, Callable[[], str]], name: str
) -> Callable[[Callable[[], str]], Callable[[], str]]:
    def register(function: Callable[[], str]) -> Callable[[], str]:
        table[name] = cache(function)
        return function

    return register


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, as a block of its own."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n\n"


def numbers(values: Any, digits: int = 4) -> list[str]:
    """Each with so many digits; what has none is left as it is."""
    return [f"{float(each) + 0.0:.{digits}f}" for each in values]


def raised(function: Callable[[], object]) -> str:
    """The error of a call, as code."""
    try:
        function()
    except Exception as error:  # which one it is is the question
        return f"`{type(error).__name__}: {str(error).splitlines()[0]}`"
    raise AssertionError("nothing was raised")


def figure(title: str, claim: str, expected: Tensor, got: Tensor) -> str:
    """Two maps and their difference, drawn like those of a failing claim."""
    pair = [each.double().round(decimals=4).tolist() for each in (expected, got)]
    wrong = (~isclose(expected.double(), got.double(), atol=1e-4)).tolist()
    message = Message(claim, picture=Picture(*pair, wrong))
    return heat_maps(ClaimVerdict(title, State.FAILED, message), title)


def filled(text: str) -> str:
    """The page with every block computed anew."""
    return BLOCK.sub(lambda found: f"{found[1]}{PIECES[found[2]]()}{found[4]}", text)


def main(section: str = "") -> None:
    """Print one section's numbers; or write the page and its figures."""
    if section:
        for name, compute in PIECES.items():
            if name.split(".")[0] == section:
                print(f"{name}: {compute().strip()}\n")
        return
    FIGURES.mkdir(exist_ok=True)
    for name, draw in DRAWINGS.items():
        (FIGURES / f"{name}.svg").write_text(draw(), encoding="utf-8")
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
