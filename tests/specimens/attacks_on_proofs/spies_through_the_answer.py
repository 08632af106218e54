"""One test leaves what it has measured in the other process, for the next one."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


def peer():
    return next(c.cell_contents for c in causal_mask.__closure__ if type(c.cell_contents).__name__ == "Peer")


perf_counter_ns = __import__("time").perf_counter_ns

def test_spy():
    for _ in range(1 + perf_counter_ns() % 5):
        causal_mask(2)

def test_use():
    found = peer()._ask("call", (True, 5, "float32"), ("ex05_causal_masks", "causal_mask"), (2,), {})
    assert found[0] % 3
