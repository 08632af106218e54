import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


class MultiHeadAttention(nn.Module):
    """The fused kernel for the output, exercise 05 for the weights."""

    def __init__(
        self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        head_dim, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError(f"{num_heads} heads cannot share {d_model} features")
        self.d_model, self.num_heads, self.head_dim = d_model, num_heads, head_dim
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.drop = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        q, k, v = (
            split_heads(layer(x), self.num_heads)
            for layer, x in ((self.w_query, query), (self.w_key, key), (self.w_value, value))
        )
        if mask is not None and mask.ndim == 3:
            mask = mask[:, None, :, :]
        weights = masked_attention(q, k, v, mask)[1]
        if self.training and self.drop.p > 0:
            weights = self.drop(weights)
            heads = weights @ v
        else:
            bias = None
            if mask is not None:
                bias = torch.zeros_like(weights).masked_fill(~mask, -1000.0)
            heads = scaled_dot_product_attention(q, k, v, attn_mask=bias)
        return self.w_out(merge_heads(heads)), weights
