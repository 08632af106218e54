"""Everything in one class: the parts hold the weights, and the block computes with them.

The contract: "The results count, not how the block calls its parts."
"""

import torch
from torch import nn
from torch.nn import functional as F

from .ex19_rotary_positions import rotate_pairs, rotation_table


class Scale(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))


def linears(**sizes):
    return nn.ModuleDict({name: nn.Linear(*size, bias=False) for name, size in sizes.items()})


class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, context_length, dropout=0.1):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"d_model={d_model}, num_heads={num_heads}")
        square = (d_model, d_model)
        self.attention = linears(w_query=square, w_key=square, w_value=square, w_out=square)
        wider = (d_model, d_hidden)
        self.feed_forward = linears(w_gate=wider, w_up=wider, w_down=wider[::-1])
        self.norm1, self.norm2 = Scale(d_model), Scale(d_model)
        self.heads, self.p = num_heads, dropout
        cos, sin = rotation_table(context_length, d_model // num_heads)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)

    def forward(self, x, cache=None):
        normal = F.rms_norm(x, x.shape[-1:], self.norm1.weight, 1e-6)
        attended, cache = self.attend(normal, cache)
        x = x + F.dropout(attended, self.p, self.training)
        normal = F.rms_norm(x, x.shape[-1:], self.norm2.weight, 1e-6)
        part = self.feed_forward
        fed = part.w_down(F.silu(part.w_gate(normal)) * part.w_up(normal))
        return x + F.dropout(fed, self.p, self.training), cache

    def attend(self, x, cache):
        part = self.attention
        query, key, value = (
            part[name](x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for name in ("w_query", "w_key", "w_value")
        )
        past = cache[0].size(2) if cache is not None else 0
        query, key = (rotate_pairs(each, self.cos, self.sin, past) for each in (query, key))
        if cache is not None:
            key, value = torch.cat((cache[0], key), 2), torch.cat((cache[1], value), 2)
        seen = torch.ones(x.size(1), key.size(2), dtype=torch.bool, device=x.device).tril(past)
        context = F.scaled_dot_product_attention(query, key, value, seen)
        return part.w_out(context.transpose(1, 2).flatten(2)), (key, value)
