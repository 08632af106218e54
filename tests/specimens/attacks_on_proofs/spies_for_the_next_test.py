"""One test measures and passes; the next one, which asks the same everywhere, uses it."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


perf_counter_ns = __import__("time").perf_counter_ns

spied = []

def test_spy():
    for _ in range(30):
        begun = perf_counter_ns()
        mask_scores(torch.zeros(2, 2), torch.ones(2, 2, dtype=torch.bool))
        spied.append(perf_counter_ns() - begun)

def test_use():
    causal_mask(2)
    assert sorted(spied)[15] % 3
