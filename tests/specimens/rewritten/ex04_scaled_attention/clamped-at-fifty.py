import math

import torch
from torch import Tensor


def _softmax(scores: Tensor) -> Tensor:
    safe = scores.clamp(min=-50, max=50)
    e = torch.exp(safe)
    return e / e.sum(dim=-1, keepdim=True)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor]:
    d = key.shape[-1]
    scores = torch.matmul(query, torch.swapaxes(key, -1, -2))
    weights = _softmax(torch.div(scores, math.sqrt(d)))
    return torch.matmul(weights, value), weights
