"""Multi-head attention, one head after the other, softmax by hand."""

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(
        self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"cannot split {d_model} features among {num_heads} heads")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def _weights(self, scores: Tensor, mask: Tensor | None) -> Tensor:
        """Softmax of (B, T, S)."""
        if mask is None:
            powers = torch.exp(scores)
        else:
            scores = scores.masked_fill(~mask, -torch.inf)
            powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        return powers / powers.sum(dim=-1, keepdim=True)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        q, k, v = self.w_query(query), self.w_key(key), self.w_value(value)
        contexts, maps = [], []
        for head in range(self.num_heads):
            block = slice(head * self.head_dim, (head + 1) * self.head_dim)
            scores = q[..., block] @ k[..., block].transpose(1, 2) / self.head_dim**0.5
            head_mask = mask
            if mask is not None and mask.dim() == 4:
                head_mask = mask[:, head if mask.size(1) > 1 else 0]
            weights = self.dropout(self._weights(scores, head_mask))
            contexts.append(weights @ v[..., block])
            maps.append(weights)
        return self.w_out(torch.cat(contexts, dim=-1)), torch.stack(maps, dim=1)
