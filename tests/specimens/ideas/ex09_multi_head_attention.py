"""Multi-head attention, as a textbook writes it."""

import math

from torch import Tensor, nn

from .ex07_heads import merge_heads, split_heads


class MultiHeadAttention(nn.Module):
    """Several heads beside one another, each with a part of the features."""

    def __init__(
        self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
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
        """Project, split, attend, merge, project."""
        q = split_heads(self.w_query(query), self.num_heads)
        k = split_heads(self.w_key(key), self.num_heads)
        v = split_heads(self.w_value(value), self.num_heads)
        scores = q @ k.transpose(2, 3) / math.sqrt(self.head_dim)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = self.dropout(scores.softmax(dim=-1))
        return self.w_out(merge_heads(weights @ v)), weights
