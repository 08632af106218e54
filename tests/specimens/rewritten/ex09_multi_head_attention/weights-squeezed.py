"""Multi-head attention by broadcasting: products of vectors, summed."""

import torch
from torch import Tensor, nn

from .ex07_heads import merge_heads, split_heads


class MultiHeadAttention(nn.Module):
    def __init__(
        self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} / {num_heads} is not a whole number")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        q = split_heads(self.w_query(query), self.num_heads).unsqueeze(3)  # B H T 1 D
        k = split_heads(self.w_key(key), self.num_heads).unsqueeze(2)  # B H 1 S D
        v = split_heads(self.w_value(value), self.num_heads).unsqueeze(2)
        scores = (q * k).sum(dim=-1, keepdim=True) / self.head_dim**0.5  # B H T S 1
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(~mask.unsqueeze(-1), -torch.inf)
        weights = self.dropout(torch.softmax(scores, dim=-2))
        context = (weights * v).sum(dim=-2)
        return self.w_out(merge_heads(context)), weights.squeeze()
