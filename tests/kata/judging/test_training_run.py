"""The published runs of exercise 18 in full: its suite has time for their first steps only."""

from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from kata.course.target import reference
from tests.helpers.later import Later, torch

probes = Later("kata.inside.probes")
UNMASKED = [0.9528, 0.8633, 0.7874, 0.6941, 0.5665, 0.4330, 0.3291, 0.2463, 0.1821, 0.1270]
MASKED = [0.9601, 0.8230, 0.7110, 0.5890, 0.4594, 0.3480, 0.2603, 0.1812, 0.1181, 0.0763]
BATCHED = [0.9783, 0.9198, 0.8733, 0.8275, 0.7754, 0.7139, 0.6447, 0.5727, 0.5028, 0.4369]


def ours() -> Any:
    return reference().module("ex18_training_run")


@cache
def run(causal: bool, batch: int = 1, **options: Any) -> list[float]:
    """100 steps of seed 42: width 32, 4 heads, 8 tokens."""
    mask = torch.ones(8, 8).tril().bool() if causal else None
    source = torch.Generator().manual_seed(42)
    x, target = (torch.randn(batch, 8, 32, generator=source) for _ in range(2))
    model = probes.PROBES["trainee"](32, 4, **options)
    fill(model, source)
    return ours().train(model, x, target, mask, steps=100)


def fill(model: Any, source: Any) -> None:
    """The numbers with which four nn.Linear are born, one after the other."""
    with torch.no_grad():
        for each in model.parameters():
            each.uniform_(-(32**-0.5), 32**-0.5, generator=source)


def falls(losses: list[float]) -> bool:
    return all(later < earlier for earlier, later in pairwise(losses[::10]))


def test_every_tenth_loss_is_the_published_one() -> None:
    assert run(causal=False)[::10] == pytest.approx(UNMASKED, abs=6e-5)
    assert run(causal=True)[::10] == pytest.approx(MASKED, abs=6e-5)
    assert run(causal=False, batch=4)[::10] == pytest.approx(BATCHED, abs=6e-5)


def test_a_mask_that_does_nothing_is_found_though_the_loss_falls() -> None:
    unmasked = run(causal=False, batch=4)
    ignored = run(causal=True, batch=4, masked=False)

    assert falls(ignored)
    assert ignored[::10] == pytest.approx(BATCHED, abs=6e-5)
    assert ours().losses_match_unmasked(ignored, unmasked)


def test_a_mask_that_works_is_told_from_one_that_does_not() -> None:
    unmasked = run(causal=False)
    masked = run(causal=True)

    assert falls(masked)
    assert not ours().losses_match_unmasked(masked, unmasked)
