"""Multi-head attention with einsum on reshaped projections."""

import torch
from torch import Tensor, einsum, nn


class MultiHeadAttention(nn.Module):
    """Heads are an index of einsum."""

    def __init__(
        self, num_heads: int, d_model: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        self.head_dim, rest = divmod(d_model, num_heads)
        if rest != 0:
            raise ValueError(f"no way to cut {d_model} into {num_heads} equal parts")
        self.d_model, self.num_heads = d_model, num_heads
        for name in ("w_query", "w_key", "w_value", "w_out"):
            setattr(self, name, nn.Linear(d_model, d_model, bias))
        self.drop = nn.Dropout(p=dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        heads = (self.num_heads, self.head_dim)
        q = self.w_query(query).unflatten(-1, heads)
        k = self.w_key(key).unflatten(-1, heads)
        v = self.w_value(value).unflatten(-1, heads)
        scores = einsum("bthd,bshd->bhts", q, k) * self.head_dim**-0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(dim=1)
            scores = torch.where(mask, scores, -torch.inf)
        weights = self.drop(scores.softmax(dim=-1))
        context = einsum("bhts,bshd->bthd", weights, v).flatten(2)
        return self.w_out(context), weights
