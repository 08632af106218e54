"""Multi-head attention, one branch for each kind of mask."""

from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


class MultiHeadAttention(nn.Module):
    def __init__(
        self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        if d_model % num_heads:
            message = "d_model {} is not a multiple of num_heads {}"
            raise ValueError(message.format(d_model, num_heads))
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.d_model = d_model
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.drop = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        h = self.num_heads
        q = split_heads(self.w_query(query), h)
        k = split_heads(self.w_key(key), h)
        v = split_heads(self.w_value(value), h)
        if mask is not None and mask.dim() == 3:
            per_sample = mask.unsqueeze(1)
            context, weights = masked_attention(q, k, v, per_sample)
        else:
            context, weights = masked_attention(q, k, v, mask)
            weights = self.drop(weights)
            context = weights @ v
        return self.w_out(merge_heads(context)), weights
