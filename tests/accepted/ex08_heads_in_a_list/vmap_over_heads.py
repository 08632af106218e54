"""torch.func: the parameters of all heads stacked, and one head vmapped over them.

The contract: "Each head sees all E features of x."
"""

import torch
from torch import nn
from torch.func import functional_call, vmap

from .ex03_self_attention import SelfAttention


class HeadsInAList(nn.Module):
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"d_model {d_model} must be a multiple of num_heads {num_heads}")
        self.heads = nn.ModuleList(
            SelfAttention(d_model, d_model // num_heads, bias=True) for _ in range(num_heads)
        )
        self.w_out = nn.Linear(d_model, d_model)

    def forward(self, x):
        parameters = [dict(head.named_parameters()) for head in self.heads]
        stacked = {name: torch.stack([each[name] for each in parameters]) for name in parameters[0]}
        one = lambda numbers: functional_call(self.heads[0], numbers, (x,))  # noqa: E731
        found = vmap(one, out_dims=2)(stacked)  # (B, S, H, D)
        return self.w_out(found.flatten(start_dim=2))
