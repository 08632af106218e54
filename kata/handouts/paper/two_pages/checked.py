"""Formulae, counts and code of the cheat sheet, each compared with what the solutions give."""

import re
from collections.abc import Callable
from typing import Any

from kata.handouts.examples import ExampleError, Names, shown
from kata.handouts.marked import marked
from kata.handouts.paper.typesetting import Data

Run = Callable[[str], Names]  # the names that code defines, and those of the solutions


def formulae(table: Data, run: Run) -> list[Data]:
    """The formulae with names, Typst's mathematics and words to read aloud, if they are true."""
    names = run(table["setup"])
    for name, *_, code in table["rows"]:
        if not eval(code, names):
            raise ExampleError(f"cheat sheet: the formula of {name}")
    return [{"name": name, "typst": typst, "alt": alt} for name, typst, alt, _ in table["rows"]]


def costs(table: Data, run: Run) -> Data:
    """The parameters of modules and the cost of a text: formulae, and numbers of one size."""
    names = run(table["setup"])
    sizes = {letter: names[letter] for letter in ("E", "F", "H", "G", "L", "T")}
    parts = {part: [_counted(row, names) for row in table[part]] for part in ("rows", "cost")}
    return {**parts, "sizes": sizes, "heads": table["heads"], "cost-heads": table["cost-heads"]}


def _counted(row: list[str], names: Names) -> list[Any]:
    what, letters, formula, code = row
    value = eval(formula, names)
    if value != eval(code, names):
        raise ExampleError(f"cheat sheet: {what} is not {letters}")
    return [marked(what), letters, f"{value:,}"]


def code(table: Data, run: Run) -> str:
    """The lines with the shape of what each defines, if they give what the reference gives."""
    names = run(table["setup"])
    width = max(len(line) for line, _ in table["lines"])
    for line, letters in table["lines"]:
        exec(line, names)
        if tuple(names[line.split()[0]].shape) != sized(letters, names):
            raise ExampleError(f"cheat sheet: {line} is not {letters}")
    if not eval(table["check"], names):
        raise ExampleError("cheat sheet: the code does not give what the reference gives")
    return "\n".join(f"{line:{width}} # {letters}" for line, letters in table["lines"])


def shape(row: list[str], names: Names, agrees: bool = True) -> list[Any]:
    """The name of a tensor, and its shape in letters and in numbers."""
    text, letters, made = row
    numbers = tuple(eval(made, names).shape)
    if agrees and numbers != sized(letters, names):
        raise ExampleError(f"cheat sheet: {text} is not {letters}")
    return [marked(text), letters, shown(numbers)]


def sized(letters: str, names: Names) -> tuple[int, ...]:
    """A shape such as (B, 3E) in numbers."""
    sizes = {"D": names["E"] // names["H"], **names}
    made: tuple[int, ...] = eval(re.sub(r"(\d)([A-Z])", r"\1 * \2", letters), sizes)
    return made
