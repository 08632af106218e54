"""No matrix product at all: every query beside every key, multiplied and summed.

The contract: "Attend: softmax(query @ keyᵀ / √D) @ value, with the softmax over the keys."
"""

import math


def scaled_dot_product_attention(query, key, value):
    pairs = query.unsqueeze(-2) * key.unsqueeze(-3)  # (..., T, S, D)
    scores = pairs.sum(-1) / math.sqrt(pairs.shape[-1])
    weights = scores.softmax(-1)
    output = (weights[..., None] * value[..., None, :, :]).sum(-2)
    return output, weights
