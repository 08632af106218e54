import torch
from torch import Tensor, nn

from .ex05_causal_masks import masked_attention


class MultiHeadAttention(nn.Module):
    """One head after the other."""

    def __init__(
        self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        if d_model % num_heads > 0:
            raise ValueError(f"{d_model} % {num_heads} is not 0")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.coin = nn.Dropout(p=dropout)

    def _mask_of(self, mask: Tensor | None, head: int) -> Tensor | None:
        if mask is None or mask.dim() < 4:
            return mask
        return mask[:, head if mask.shape[1] > 1 else 0]

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        queries = self.w_query(query).split(self.head_dim, dim=-1)
        keys = self.w_key(key).split(self.head_dim, dim=-1)
        values = self.w_value(value).split(self.head_dim, dim=-1)
        outputs, maps = [], []
        for h in range(self.num_heads):
            _, weights = masked_attention(queries[h], keys[h], values[h], self._mask_of(mask, h))
            keep = self.coin(torch.ones_like(weights[..., :1]))
            weights = weights * keep
            maps.append(weights)
            outputs.append(weights @ values[h])
        return self.w_out(torch.cat(outputs, dim=-1)), torch.stack(maps, dim=1)
