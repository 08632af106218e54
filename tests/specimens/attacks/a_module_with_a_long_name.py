"""Against "reports stay small": a module without forward whose class has a name of three MiB."""

import torch
from torch import nn


def LayerNorm(shape, eps=1e-5):
    kind = type("N" * 3_000_000, (nn.Module,), {"forwards" + "s" * 1_000_000: None})
    module = kind()
    module.register_parameter("w" * 1_000_000, nn.Parameter(torch.ones(shape)))
    return module
