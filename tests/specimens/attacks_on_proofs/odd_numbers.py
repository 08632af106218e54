"""Uses types of numbers, devices and shapes that somebody may have forgotten."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


import numpy as np

def test_odd():
    kinds = [torch.complex64, torch.bfloat16, torch.uint8, torch.float16, torch.int64, torch.bool]
    for kind in kinds:
        for shape in ((), (0,), (2, 0), (1,) * 12, (1, 2**20)):
            for function in (mask_scores, mask_weights):
                try:
                    function(torch.zeros(shape, dtype=kind), torch.ones(shape, dtype=torch.bool))
                except Exception:
                    pass
    for strange in (torch.zeros(2, 2, device="meta"), torch.zeros(2, 2).to_sparse(), np.zeros((2, 2), dtype=object), torch.zeros(1).expand(2**20, 2**20),
                    np.datetime64("now"), 1j, b"x", {1, 2}, {"a": 1}, float("nan"), 10**400, "\ud800", torch.quantize_per_tensor(torch.zeros(2), 1, 0, torch.qint8)):
        for function in (causal_mask, mask_scores):
            try:
                function(strange, strange) if function is mask_scores else function(strange)
            except Exception:
                pass
