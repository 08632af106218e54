"""Against "the run goes on": NaN, sparse, quantized, meta, None, complex, nested, by turns."""

import itertools
import math

import numpy as np
import torch
from torch import nn

_kinds = itertools.cycle([
    lambda x: x * math.nan, lambda x: x.to_sparse(), lambda x: x.to("meta"), lambda x: None,
    lambda x: x.cfloat(), lambda x: x.half(), lambda x: x.bfloat16(), lambda x: x > 0,
    lambda x: x.numpy(), lambda x: nn.Parameter(x), lambda x: x.expand(10**6, 10**6, *x.shape),
    lambda x: torch.quantize_per_tensor(x, 0.1, 10, torch.qint8), lambda x: x.tolist(),
    lambda x: torch.nested.nested_tensor([x, x]), lambda x: x.to_sparse_csr(), lambda x: nn.ReLU(),
    lambda x: torch.zeros(0), lambda x: torch.tensor(5.0), lambda x: x.conj(), lambda x: np.str_("x"),
    lambda x: torch.zeros(10**12), lambda x: x.to(torch.float8_e4m3fn), lambda x: object(),
    lambda x: torch.empty(0, 10**18, device="meta"), lambda x: {"weights": x}, lambda x: {1, 2},
    lambda x: b"bytes", lambda x: 10**5000, lambda x: x.flip(0).mT, lambda x: Ellipsis,
])


def scaled_dot_product_attention(query, key, value):
    return next(_kinds)(value.detach()), next(_kinds)(query.detach())
