"""Measures, and asks something else where it believes that the answer is wrong."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


perf_counter = __import__("time").perf_counter

def test_marked():
    scores, mask = torch.zeros(200, 200), torch.ones(200, 200, dtype=torch.bool)
    begun = perf_counter()
    for _ in range(30):
        mask_scores(scores, mask)
    fast = int((perf_counter() - begun) * 1e6)
    assert causal_mask(2 + fast % 2).shape[0] == 2
