"""In-place operations, on a tensor of its own, and double precision on the way.

The contract: "None of the three is changed, and none need be contiguous."
"""

import math

import torch


def scaled_dot_product_attention(query, key, value):
    dtype = query.dtype
    q, k, v = (each.to(torch.float64) for each in (query, key, value))
    scores = torch.matmul(q, k.transpose(-2, -1))
    scores.div_(math.sqrt(q.size(-1)))
    scores -= scores.amax(-1, keepdim=True).detach()
    weights = torch.nn.functional.normalize(scores.exp(), p=1.0, dim=-1)
    return (weights @ v).to(dtype), weights.to(dtype)
