"""Loops: every query of every sample looks at every key, by itself.

The contract: "Attend: softmax(query @ keyᵀ / √D) @ value, with the softmax over the keys."
"""

import math

import torch


def attend_one(q, keys, values):
    scores = []
    for k in keys:
        scores.append(torch.dot(q, k) / math.sqrt(len(q)))
    weights = torch.softmax(torch.stack(scores), dim=0)
    out = torch.zeros_like(values[0])
    for w, v in zip(weights, values):
        out = out + w * v
    return out, weights


def scaled_dot_product_attention(query, key, value):
    if query.dim() > 2:
        parts = [scaled_dot_product_attention(*qkv) for qkv in zip(query, key, value)]
    else:
        parts = [attend_one(q, key, value) for q in query]
    outputs, weights = zip(*parts)
    return torch.stack(outputs), torch.stack(weights)
