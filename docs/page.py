"""Make docs/documents.md from its texts, the values computed for them, and its figures."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from torch import Tensor, isclose

from kata.handouts import documents_bugs
from kata.handouts.documents_bugs import COMPUTED, OwnBug, Table, own_bugs
from kata.judging.describe import fixed
from kata.terminal.svg import heat_maps
from kata.verdict import ClaimVerdict, Message, Picture, State

PAGE = Path(__file__).with_name("documents.md")
FIGURES = Path(__file__).with_name("figures")
MADE = "Made by `python -m docs.make_documents` from kata/handouts/texts/documents.toml."
NOTICE = f"<!-- {MADE} -->"
COLUMNS = 10  # of a table: on GitHub more of them are cut, so that rows and columns change places

F = TypeVar("F", bound=Callable[[], str | Table])
PIECES: dict[str, Callable[[], str | Table]] = {}
DRAWINGS: dict[str, Callable[[], str]] = {}


def piece(name: str) -> Callable[[F], F]:
    """Register what computes the value of this name."""
    return _into(PIECES, name)


def drawing(name: str) -> Callable[[F], F]:
    """Register what draws the figure of this name."""
    return _into(DRAWINGS, name)


def _into(table: dict[str, Any], name: str) -> Callable[[F], F]:
    def register(function: F) -> F:
        table[name] = cache(function)
        return function

    return register


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table as it is kept."""
    return [[*head], *([*row] for row in rows)]


def numbers(values: Any, digits: int = 4) -> list[str]:
    """Each with this many digits after the point; NaN stays NaN."""
    return [fixed(each, digits) for each in values]


def raised(function: Callable[[], object]) -> str:
    """The error of a call, as code."""
    try:
        function()
    except Exception as error:  # the error is the result
        return f"`{type(error).__name__}: {str(error).splitlines()[0]}`"
    raise AssertionError("nothing was raised")


def figure(title: str, claim: str, expected: Tensor, got: Tensor) -> str:
    """Two maps and their difference, drawn like those of a failing claim."""
    pair = [each.double().round(decimals=4).tolist() for each in (expected, got)]
    wrong = (~isclose(expected.double(), got.double(), atol=1e-4)).tolist()
    message = Message(claim, picture=Picture(*pair, wrong))
    return heat_maps(ClaimVerdict(title, State.FAILED, message), title)


def rendered(bugs: Iterable[OwnBug]) -> str:
    """The whole page."""
    about = documents_bugs.page()
    parts = [NOTICE, about["head"], *(_section(each) for each in bugs), about["tail"]]
    return "\n\n".join(each.strip() for each in parts) + "\n"


def _section(bug: OwnBug) -> str:
    parts = [
        f"## {bug.number}. {bug.title}",
        f"*{bug.where}*",
        f"**What it says.** {bug.filled(bug.says)}",
        f"**What is true.** {bug.filled(bug.true)}",
        *(markdown(bug.computed[name]) for name in bug.tables),
        "![{1}](figures/{0}.svg)".format(*bug.figure) if bug.figure else "",
        f"**Why nobody noticed.** {bug.filled(bug.unnoticed)}",
        f"**How it was found.** {bug.filled(bug.discovery)}",
        f"**Where a learner meets it.** {bug.filled(bug.met)}",
        bug.filled(bug.after),
    ]
    return "\n\n".join(filter(None, parts))


def markdown(value: str | Table) -> str:
    """A computed value as it stands on the page."""
    if isinstance(value, str):
        return value
    head, *rows = value if len(value[0]) <= COLUMNS else zip(*value, strict=True)
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rows))


def toml() -> str:
    """All computed values as a file, in a table for each bug."""
    lines = [f"# {MADE}"]
    for bug in own_bugs():
        lines += ["", f"[{bug.number}]"]
        lines += [f"{name} = {_literal(make())}" for name, make in computed_for(bug.number)]
    return "\n".join(lines) + "\n"


def computed_for(section: object) -> Iterator[tuple[str, Callable[[], str | Table]]]:
    """The names of one section's values, and what computes them."""
    for name, compute in PIECES.items():
        number, _, short = name.partition(".")
        if number == str(section):
            yield short, compute


def _literal(value: str | Table) -> str:
    """JSON, as far as TOML reads it alike; each row of a table is a line."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return "\n".join(["[", *(f"  {json.dumps(row, ensure_ascii=False)}," for row in value), "]"])


def main(section: str = "") -> None:
    """Print the computed values of one section; or write all of them, the figures and the page."""
    if section:
        for name, compute in computed_for(section):
            print(f"{section}.{name}: {markdown(compute())}\n")
        return
    for name, draw in DRAWINGS.items():
        (FIGURES / f"{name}.svg").write_text(draw(), encoding="utf-8")
    COMPUTED.write_text(toml(), encoding="utf-8")
    PAGE.write_text(rendered(own_bugs()), encoding="utf-8")
