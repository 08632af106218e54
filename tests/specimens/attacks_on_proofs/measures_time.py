"""Fails where an answer took less time than the reference does."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


perf_counter = __import__("time").perf_counter

def test_time():
    scores, mask = torch.zeros(200, 200), torch.ones(200, 200, dtype=torch.bool)
    times = {mask_scores: [], mask_weights: []}
    for _ in range(30):
        for function, found in times.items():
            begun = perf_counter()
            function(scores, mask)
            found.append(perf_counter() - begun)
    assert sorted(times[mask_scores])[10] > 0.9 * sorted(times[mask_weights])[10]
