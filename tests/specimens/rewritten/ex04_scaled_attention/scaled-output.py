import math

import torch
from torch import Tensor


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    root = math.sqrt(query.size(-1))
    scores = torch.matmul(query, key.transpose(-2, -1)) / root
    weights = torch.softmax(scores, dim=-1)
    output = torch.matmul(weights, value) / root
    return output, weights
