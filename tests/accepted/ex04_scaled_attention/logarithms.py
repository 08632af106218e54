"""The softmax as exp(score − log of the sum); a named tuple goes back.

The contract: "no entry is negative, and each row sums to one, for scores of up to ±1,000."
"""

from typing import NamedTuple

import torch
from torch import Tensor


class Attention(NamedTuple):
    output: Tensor
    weights: Tensor


def scaled_dot_product_attention(query, key, value):
    d = torch.tensor(query.size(-1), dtype=query.dtype, device=query.device)
    logits = (query @ key.transpose(-1, -2)).div(d.sqrt())
    weights = (logits - logits.logsumexp(dim=-1, keepdim=True)).exp()
    return Attention(output=weights.matmul(value), weights=weights)
