"""A kind of built-in that fills itself; streaming over the keys, as the fused kernels do it.

The contract: "Only its values are judged, not which function was called."
"""

import math

import torch
from torch import nn


class Converted(nn.MultiheadAttention):
    def __init__(self, attention):
        super().__init__(
            attention.d_model,
            attention.num_heads,
            batch_first=True,
            bias=attention.w_out.bias is not None,
        )
        triple = [attention.w_query, attention.w_key, attention.w_value]
        self.fill(self.in_proj_weight, *[one.weight for one in triple])
        self.fill(self.in_proj_bias, *[one.bias for one in triple])
        self.fill(self.out_proj.weight, attention.w_out.weight)
        self.fill(self.out_proj.bias, attention.w_out.bias)

    @staticmethod
    def fill(parameter, *parts):
        if parameter is not None:
            parameter.data = torch.concatenate([part.detach() for part in parts])


def to_builtin(attention):
    return Converted(attention)


def builtin_mask(mask):
    hidden = torch.full_like(mask, True)
    hidden[mask] = False
    return hidden


def fused_attention(query, key, value, mask=None):
    largest = torch.full(query.shape[:-1], -1e30, device=query.device)
    total = torch.zeros_like(largest)
    mixed = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for s in range(key.shape[-2]):
        score = (query * key[..., s : s + 1, :]).sum(-1) / math.sqrt(query.shape[-1])
        if mask is not None:
            column = mask[..., s] if mask.shape[-1] > 1 else mask[..., 0]
            score = score.masked_fill(~column, -torch.inf)
        peak = torch.maximum(largest, score)
        shrink, power = torch.exp(largest - peak), torch.exp(score - peak)
        total = total * shrink + power
        mixed = mixed * shrink[..., None] + power[..., None] * value[..., s : s + 1, :]
        largest = peak
    return mixed / total[..., None]
