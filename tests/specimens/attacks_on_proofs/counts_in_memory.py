"""Counts its runs in whatever may outlive one."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


import builtins
import os
import sys

def test_count():
    for place in (builtins, sys, torch, torch.nn.Module, os):
        place.kata_count = getattr(place, "kata_count", 0) + 1
    os.environ["COUNT"] = str(int(os.environ.get("COUNT", 0)) + 1)
    assert torch.kata_count == 1 and os.environ["COUNT"] == "1"
