"""The measures of a map: is it right, finite, does it sum to one, is what is hidden zero?"""

import math

import torch
from torch import Tensor

from kata.handouts.site.touch.exhibit import Exhibit, Fact
from kata.handouts.site.touch.formulas.result import CLOSE, Measure, Result, largest

ALIKE = 1e-6  # two numbers that nobody has to tell apart


def measured(exhibit: Exhibit, result: Result) -> list[tuple[Fact, Measure]]:
    """All facts of an exhibit in one state; none if the line raises an error."""
    if result.got is None:
        return []
    measures = {**_common(result, result.got), **result.facts}
    return [(fact, measures[fact.key]) for fact in exhibit.facts]


def wrong(right: Tensor, got: Tensor) -> Tensor:
    """A mask of the cells whose numbers differ from those of the first map, or are not in it."""
    shared = tuple(slice(min(sizes)) for sizes in zip(right.shape, got.shape, strict=True))
    bad = torch.ones_like(got, dtype=torch.bool)
    bad[shared] = ~((got[shared] - right[shared]).abs() <= ALIKE)  # NaN is wrong
    return bad


def _common(result: Result, got: Tensor) -> dict[str, Measure]:
    facts = {"same": _same(result.right, got), "finite": _finite(got), "sums": _sums(got)}
    return facts if result.hidden is None else {**facts, "hidden": _hidden(got, result.hidden)}


def _same(right: Tensor, got: Tensor) -> Measure:
    count = int(wrong(got, right).sum())
    return Measure({"count": count, "total": right.numel()}, count == 0)


def _finite(got: Tensor) -> Measure:
    count = int((~got.isfinite()).sum())
    return Measure({"count": count, "total": got.numel()}, count == 0)


def _sums(got: Tensor) -> Measure:
    """A row with NaN has no sum, and breaks the claim; the highest sum is then NaN."""
    sums = got.sum(dim=-1)
    finite = sums[~sums.isnan()]
    low = float(finite.min()) if finite.numel() else math.nan
    holds = bool(((sums - 1).abs() < CLOSE).all())
    return Measure({"low": low, "high": float(sums.max())}, holds)


def _hidden(got: Tensor, hidden: Tensor) -> Measure:
    values = got[:, hidden]
    return Measure({"value": largest(values)}, bool((values == 0).all()))
