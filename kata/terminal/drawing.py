"""Pictures of a learner's own results in a notebook: heat maps and curves, without a library.

`draw` takes numbers, several of them by title, or a function that yields titles and numbers. What
the function has yielded is drawn, even if an exercise that it needs is not written yet.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from kata.terminal.curves import Curve, chart, in_words
from kata.terminal.grids import Grid, as_text, grid
from kata.text import clean, cut

MOST_MAPS, MOST_ROWS, MOST_POINTS = 16, 64, 10_000
LONGEST_ERROR = 200  # characters
FLOW = "display:flex;flex-wrap:wrap;gap:12px 28px;align-items:flex-start"


@dataclass(frozen=True)
class Drawn:
    """What a notebook shows: HTML without scripts, and plain text for everything else."""

    grids: tuple[Grid, ...] = ()
    curves: tuple[Curve, ...] = ()
    notes: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        charts = [chart(self.curves)] if self.curves else []
        notes = [f"<div>{escape(note)}</div>" for note in self.notes]
        return f'<div style="{FLOW}">{"".join([*map(grid, self.grids), *charts, *notes])}</div>'

    def __repr__(self) -> str:
        parts = (*map(as_text, self.grids), *map(in_words, self.curves), *self.notes)
        return "\n\n".join(parts)


def draw(what: Any) -> Drawn:
    """Draw numbers: one dimension as a curve, two as a heat map, more as one map for each.

    Args:
        what: an array, a tensor or a list; a dictionary of them by title; or a function that
            yields pairs of a title and one of them.
    """
    pairs: list[tuple[str, Any]] = []
    notes: list[str] = []
    try:
        pairs += _pairs(what)
    except _StoppedError as stopped:
        pairs += stopped.pairs
        notes.append(str(stopped))
    grids: list[Grid] = []
    curves: list[Curve] = []
    for title, numbers in pairs:
        _add(clean(title), numbers, grids, curves, notes)
    return Drawn(tuple(grids[:MOST_MAPS]), tuple(curves[:MOST_MAPS]), tuple(map(clean, notes)))


class _StoppedError(Exception):
    """The function of a picture raised; what it had yielded before is kept."""

    def __init__(self, error: Exception, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(_error_text(error))
        self.pairs = pairs


def _error_text(error: Exception) -> str:
    text = cut(str(error), LONGEST_ERROR, "…")
    if isinstance(error, NotImplementedError):
        return text
    return f"not drawn: {type(error).__name__}: {text}"


def _pairs(what: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(what, Mapping):
        return [(str(title), numbers) for title, numbers in what.items()]
    return _yielded(what) if callable(what) else [("", what)]


def _yielded(picture: Callable[[], Iterable[tuple[str, Any]]]) -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = []
    try:
        pairs.extend(picture())
    except Exception as error:
        raise _StoppedError(error, pairs) from None
    return pairs


def _add(title: str, what: Any, grids: list[Grid], curves: list[Curve], notes: list[str]) -> None:
    """Sort a result to where it is drawn, or say why it is not."""
    values = _listed(what)
    depth = len(_shape(values) or ())
    if not depth:
        kind = type(what).__name__
        notes.append(f"not drawn: {title or kind} is not a table or a list of numbers, but {kind}")
    elif depth == 1:
        curves.append(Curve(title, tuple(map(float, values[:MOST_POINTS]))))
    else:
        for name, rows in _flat(title, values, depth):
            grids.append(Grid(name, _rows(rows)))


def _listed(what: Any) -> Any:
    """Nested lists, as every array has them."""
    try:
        return what.tolist() if hasattr(what, "tolist") else what
    except (TypeError, ValueError, RuntimeError):
        return None


def _shape(values: Any) -> tuple[int, ...] | None:
    """The sizes of nested lists of real numbers; None if they are not regular."""
    if isinstance(values, int | float):
        return ()
    if not isinstance(values, list | tuple) or not values:
        return None
    shapes = {_shape(value) for value in values}
    inner = shapes.pop()
    return None if shapes or inner is None else (len(values), *inner)


def _flat(title: str, values: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Each map of an array of more dimensions, with where it is in its title."""
    if depth == 2:
        yield title, values
        return
    for at, part in enumerate(values[:MOST_MAPS]):
        yield from _flat(f"{title} [{at}]".strip(), part, depth - 1)


def _rows(rows: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, row[:MOST_ROWS])) for row in rows[:MOST_ROWS])
