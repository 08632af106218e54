"""The three projections stacked into one product where all inputs are the same tensor.

The contract: "nn.Linear from E to E features, with the same names in `state_dict()`."
"""

import torch
from torch import nn
from torch.nn import functional as F

from .ex05_causal_masks import mask_scores


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model=} is not divisible by {num_heads=}")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.dropout_p = dropout
        self.register_buffer("root", torch.tensor(float(self.head_dim)).sqrt(), persistent=False)

    @property
    def layers(self):
        return self.w_query, self.w_key, self.w_value

    def project(self, query, key, value):
        if query is not key or key is not value:
            return [layer(x) for layer, x in zip(self.layers, (query, key, value))]
        weight = torch.cat([layer.weight for layer in self.layers])
        has_bias = self.w_query.bias is not None
        bias = torch.cat([layer.bias for layer in self.layers]) if has_bias else None
        return F.linear(query, weight, bias).chunk(3, dim=-1)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            x.unfold(-1, self.head_dim, self.head_dim).movedim(2, 1)
            for x in self.project(query, key, value)
        )
        scores = (q.unsqueeze(3) * k.unsqueeze(2)).sum(-1) / self.root
        if mask is not None:
            scores = mask_scores(scores, mask.unsqueeze(1) if mask.ndim == 3 else mask)
        weights = scores - torch.logsumexp(scores, dim=-1, keepdim=True)
        weights = weights.exp()
        if self.training:
            used = F.dropout(weights, p=self.dropout_p)
        else:
            used = weights
        context = torch.zeros_like(query)
        for h in range(self.num_heads):
            context[..., h * self.head_dim : (h + 1) * self.head_dim] = used[:, h] @ v[:, h]
        return self.w_out(context), weights
