"""The heads only keep the weights: their matrices are stacked and all heads run at once.

The contract: "Each head sees all E features of x."
"""

import torch
from torch import nn

from .ex03_self_attention import SelfAttention


class HeadsInAList(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.head_dim, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError(f"{num_heads} heads cannot share {d_model} features")
        self.w_out = nn.Linear(d_model, d_model)
        self.heads = nn.ModuleList()
        for _ in range(num_heads):
            self.heads.append(SelfAttention(d_model, self.head_dim, bias=True))

    def project(self, x, name):
        layers = [getattr(head, name) for head in self.heads]
        weight = torch.stack([layer.weight for layer in layers])  # (H, D, E)
        bias = torch.stack([layer.bias for layer in layers])[:, None]  # (H, 1, D)
        return torch.einsum("bse,hde->bhsd", x, weight) + bias

    def forward(self, x):
        q, k, v = (self.project(x, name) for name in ("w_query", "w_key", "w_value"))
        context = nn.functional.scaled_dot_product_attention(q, k, v)
        return self.w_out(context.transpose(1, 2).flatten(2))
