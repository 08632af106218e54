"""The result of a formula: maps of equal rank, and numbers beside them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

CLOSE = 1e-9  # two sums of the same numbers in another order

Lines = Mapping[str, Tensor]
Inputs = Mapping[str, Any]
Knobs = Mapping[str, Any]


@dataclass(frozen=True)
class Measure:
    """Numbers that a fact tells, and whether its claim holds; None if it only informs."""

    numbers: Mapping[str, float | str]
    holds: bool | None = None


@dataclass(frozen=True)
class Result:
    """The maps and the measures of one state of an exhibit.

    Attributes:
        right: the right map, (blocks, rows, columns).
        got: the map of the chosen line; None if the line raises an error.
        hidden: bool (rows, columns), the keys that a query may not see.
        operand: what the line works on, where that has a map of its own.
        hue: the colour of a number by its origin; None for a heat map.
        facts: what is measured in this exhibit alone.
    """

    right: Tensor
    got: Tensor | None
    hidden: Tensor | None = None
    operand: Tensor | None = None
    hue: Callable[[int], int] | None = None
    facts: Mapping[str, Measure] = field(default_factory=dict)

    @property
    def groups(self) -> dict[str, Tensor]:
        """The maps that there are, by the names of their groups on the page."""
        maps = {"given": self.operand, "right": self.right, "got": self.got}
        return {name: values for name, values in maps.items() if values is not None}


Formula = Callable[[Inputs, str, Knobs], Result]


def stacked(values: Tensor) -> Tensor:
    """The values with a dimension for blocks, if they had none."""
    return values if values.dim() == 3 else values[None]


def chosen(lines: Lines, line: str, right: Tensor) -> Tensor:
    """The map of a line."""
    return stacked({**lines, "right": right}[line])


def matrix(inputs: Inputs, name: str) -> Tensor:
    """One of the inputs."""
    return torch.tensor(inputs[name], dtype=torch.float64)


def largest(values: Tensor) -> float:
    """The largest magnitude; 0 if there are no numbers, NaN if one of them is."""
    return float(values.abs().max()) if values.numel() else 0.0


def without_noise(value: float) -> float:
    """The value, or zero if it is no more than what rounding leaves."""
    return 0.0 if value < CLOSE else value
