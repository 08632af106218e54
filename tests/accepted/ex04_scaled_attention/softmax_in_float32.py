"""Scores of whatever dtype, weighed in float32 and cast back, as large models do it.

The contract: "Both have the dtype of the inputs, and gradients flow back through both."
"""

import torch
from torch.nn.functional import softmax


def scaled_dot_product_attention(query, key, value):
    width = query.size(-1)
    scores = torch.matmul(query, torch.transpose(key, -1, -2)) / width**0.5
    weights = softmax(scores, dim=-1, dtype=torch.float32).type_as(query)
    return torch.matmul(weights, value), weights
