"""PyTorch's own kernel with a mask of its own, and no mask where one token is new.

The contract: "A text gives the same outputs, to 1e-5, and the same gradients, whether it comes in
one call or in parts."
"""

import torch
from torch import nn
from torch.nn import functional as F

from .ex19_rotary_positions import rotate_pairs, rotation_table


def causal_mask_after(past, size):
    return ~torch.ones(size, past + size).triu(diagonal=past + 1).bool()


class CachedAttention(nn.Module):
    def __init__(self, d_model, num_heads, context_length, bias=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} does not go into num_heads={num_heads}")
        self.num_heads, self.head_dim = num_heads, d_model // num_heads
        self.context_length = context_length
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        cos, sin = rotation_table(context_length, self.head_dim)
        self.register_buffer("cos", cos)  # in the state_dict, too
        self.register_buffer("sin", sin)

    def forward(self, x, cache=None):
        B, T, E = x.shape
        P = 0 if cache is None else cache[0].size(2)
        if P + T > self.context_length:
            raise ValueError(f"{P} + {T} = {P + T} tokens, at most {self.context_length}")
        q, k, v = (
            layer(x).view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
            for layer in (self.w_query, self.w_key, self.w_value)
        )
        q, k = rotate_pairs(q, self.cos, self.sin, P), rotate_pairs(k, self.cos, self.sin, P)
        if P:
            k, v = torch.cat([cache[0], k], dim=2), torch.cat([cache[1], v], dim=2)
        mask = causal_mask_after(P, T).to(x.device) if T > 1 and P else None
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=T > 1 and not P)
        return self.w_out(out.transpose(1, 2).reshape(B, T, E)), (k, v)
