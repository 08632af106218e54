"""All leading dimensions become one batch for baddbmm, and come back at the end.

The contract: "There may be any number of leading dimensions, none included; they are the same for
query, key and value."
"""

import math

import torch


def scaled_dot_product_attention(query, key, value):
    *lead, T, D = query.shape
    S, Dv = value.shape[-2:]

    q = query.reshape(-1, T, D)
    k = key.reshape(-1, S, D)
    v = value.reshape(-1, S, Dv)

    empty = q.new_zeros(q.shape[0], T, S)
    scores = torch.baddbmm(empty, q, k.permute(0, 2, 1), beta=0, alpha=1 / math.sqrt(D))
    attn = scores.softmax(dim=2)
    return torch.bmm(attn, v).reshape(*lead, T, Dv), attn.reshape(*lead, T, S)
