"""Against "the run goes on": asked about parameters, it sends lists, numbers and modules."""

import itertools

import torch
from torch import nn

from kata.inside.objects import ModuleRef, Objects, Opaque

_odd = itertools.cycle([[], 5, "x", None, {"gamma": 5, "beta": "x"}, {"gamma": None}, [[1], 2],
                        ModuleRef(7, "x"), Opaque("y"), torch.ones(2), {"gamma": Opaque("z")},
                        {"gamma": [1, 2], "beta": ModuleRef(-1, "LayerNorm", None, {"gamma": (2,)})}])


class LayerNorm(nn.Module):
    def __init__(self, shape, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(shape))
        self.beta = nn.Parameter(torch.zeros(shape))

    def forward(self, x):
        return x


def _answer(*_):
    return next(_odd)


for _name in ("parameters", "shared", "buffers", "shapes", "gradients", "attribute", "children"):
    setattr(Objects, _name, _answer)
Objects.modes = lambda *_: [torch.ones(3), -1, None]
