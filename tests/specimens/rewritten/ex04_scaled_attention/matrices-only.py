import math

import torch
from torch import Tensor


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor]:
    scores = torch.mm(query, key.t())
    scores = scores / math.sqrt(query.shape[1])
    weights = torch.softmax(scores, 1)
    return torch.mm(weights, value), weights
