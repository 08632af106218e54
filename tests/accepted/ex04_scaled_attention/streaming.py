"""Key by key with a running maximum, as kernels do it that never hold all scores.

The contract: "Attend: softmax(query @ keyᵀ / √D) @ value, with the softmax over the keys."
"""

import torch


def scaled_dot_product_attention(query, key, value):
    scale = 1.0 / query.shape[-1] ** 0.5
    top = torch.full_like(query[..., 0], float("-inf"))
    total = torch.zeros_like(top)
    acc = query.new_zeros(*query.shape[:-1], value.shape[-1])
    seen = []
    for k, v in zip(key.unbind(-2), value.unbind(-2)):
        score = (query * k.unsqueeze(-2)).sum(-1) * scale
        new_top = torch.maximum(top, score)
        shrink, power = torch.exp(top - new_top), torch.exp(score - new_top)
        total = total * shrink + power
        acc = acc * shrink.unsqueeze(-1) + power.unsqueeze(-1) * v.unsqueeze(-2)
        top = new_top
        seen.append(score)
    weights = torch.exp(torch.stack(seen, -1) - top.unsqueeze(-1)) / total.unsqueeze(-1)
    return acc / total.unsqueeze(-1), weights
