"""Plain loops over samples and heads, for somebody who wants to see every matrix.

The contract: "Project, split into heads, attend in each, merge, project."
"""

import torch
from torch import nn


def mask_for(mask, sample, head):
    """The (T, S) map of one sample and one head; an axis of length 1 stands for all."""
    if mask is None or mask.dim() == 2:
        return mask
    mask = mask[sample if mask.shape[0] > 1 else 0]
    if mask.dim() == 3:
        mask = mask[head if mask.shape[0] > 1 else 0]
    return mask


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads == 0:
            self.d_model = d_model
            self.num_heads = num_heads
            self.head_dim = d_model // num_heads
        else:
            raise ValueError(f"the width {d_model} and {num_heads} heads do not go together")
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        outputs, all_weights = [], []
        for b in range(query.shape[0]):
            q = self.w_query(query[b])
            k = self.w_key(key[b])
            v = self.w_value(value[b])
            merged, weights = [], []
            for h in range(self.num_heads):
                start, stop = h * self.head_dim, (h + 1) * self.head_dim
                scores = q[:, start:stop] @ k[:, start:stop].T / self.head_dim**0.5
                allowed = mask_for(mask, b, h)
                if allowed is not None:
                    scores[~allowed.expand_as(scores)] = float("-inf")
                w = torch.softmax(scores, dim=1)
                weights.append(w)
                merged.append(self.dropout(w) @ v[:, start:stop])
            outputs.append(self.w_out(torch.hstack(merged)))
            all_weights.append(torch.stack(weights))
        return torch.stack(outputs), torch.stack(all_weights)
