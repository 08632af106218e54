"""Asks the other process for more than functions."""

import torch
from exercises.ex05_causal_masks import *


def peer():
    return next(c.cell_contents for c in causal_mask.__closure__ if type(c.cell_contents).__name__ == "Peer")


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


def test_private():
    module = torch.nn.Linear(2, 2)
    told = []
    for question in (("attribute", 0, "__class__"), ("attribute", 0, "__dict__"), ("attribute", 0, "__doc__"),
                     ("attribute", 0, "_modules"), ("attribute", 0, "forward"), ("set", 0, "forward", 1),
                     ("copied", 0), ("answer", 1), ("forget",), ("backward", 10**6, []), ("backward", -1, [None]),
                     ("call", (True, 1, "float32"), ("ex05_causal_masks", "torch"), (), {}),
                     ("call", (True, 1, "save"), ("ex05_causal_masks", "causal_mask"), (2,), {}),
                     ("call", (True, 1, "float32"), ("builtins", "exec"), ("x",), {}),
                     ("call", (True, 1, "float32"), -1, (), {}), ("__class__",), ("call",), (5,)):
        try:
            told.append(peer()._ask(*question))
        except Exception as error:
            told.append(f"{type(error).__name__} {error}")
    text = str(told)
    assert "kata_answer" not in text and "class 'kata" not in text and "/" not in text
