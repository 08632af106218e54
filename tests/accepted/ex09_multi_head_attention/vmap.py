"""One head as a function; torch.func.vmap makes it all heads of all samples.

The contract: "Attention in H heads at once, each on its own block of D = E / H projected features."
"""

import torch
from torch import nn
from torch.func import vmap


def head(q, k, v, keep, thin):
    scores = (q / q.shape[-1] ** 0.25) @ (k / k.shape[-1] ** 0.25).T
    weights = torch.softmax(torch.where(keep, scores, torch.finfo(scores.dtype).min), -1)
    return (weights * thin) @ v, weights


all_heads = vmap(vmap(head))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads > 0:
            raise ValueError(f"d_model ({d_model}) has to be a multiple of num_heads ({num_heads})")
        self.d_model, self.num_heads, self.head_dim = d_model, num_heads, d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.thinning = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            torch.stack(layer(x).chunk(self.num_heads, dim=-1), dim=1)
            for layer, x in zip((self.w_query, self.w_key, self.w_value), (query, key, value))
        )
        size = (len(query), self.num_heads, query.shape[1], key.shape[1])
        if mask is None:
            mask = torch.ones(1, dtype=torch.bool, device=query.device)
        elif mask.dim() == 3:
            mask = mask[:, None, :, :]
        thin = self.thinning(torch.ones(size, dtype=q.dtype, device=q.device))
        context, weights = all_heads(q, k, v, mask.expand(size), thin)
        return self.w_out(torch.cat(context.unbind(1), dim=-1)), weights
