"""Letters all the way, pairs as complex numbers, and a mask from two ranges that are compared.

The contract: "In each head, queries and keys are turned as rotate_pairs of exercise 19 does, with
the default base of rotation_table; values are not."
"""

import torch
from torch import nn


def causal_mask_after(past, size):
    return torch.arange(past + size)[None, :] <= torch.arange(past, past + size)[:, None]


def spun(x, positions):
    width = x.shape[-1]
    speeds = torch.exp(
        -torch.arange(0, width, 2, device=x.device)
        * (torch.log(torch.tensor(10000.0)) / width).item()
    )
    angles = positions[:, None] * speeds
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], width // 2, 2))
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


class CachedAttention(nn.Module):
    def __init__(self, d_model, num_heads, context_length, bias=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} does not go into num_heads={num_heads}")
        self.heads, self.longest = num_heads, context_length
        for name in ("w_query", "w_key", "w_value", "w_out"):
            setattr(self, name, nn.Linear(d_model, d_model, bias))

    def forward(self, x, cache=None):
        past = 0 if cache is None else cache[0].shape[2]
        end = past + x.shape[1]
        if end > self.longest:
            raise ValueError(f"{end} > {self.longest}")
        positions = torch.arange(past, end, device=x.device)
        q, k, v = (
            layer(x).unflatten(-1, (self.heads, -1)).permute(0, 2, 1, 3)
            for layer in (self.w_query, self.w_key, self.w_value)
        )
        q, k = spun(q, positions), spun(k, positions)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) * q.shape[-1] ** -0.5
        hidden = positions[:, None] < torch.arange(end, device=x.device)
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1)
        context = torch.einsum("bhts,bhsd->bthd", weights, v)
        return self.w_out(context.flatten(2)), (k, v)
