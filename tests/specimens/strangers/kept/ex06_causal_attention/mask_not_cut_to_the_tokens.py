"""Exercise 06: causal attention."""

from torch import Tensor, nn

from .ex05_causal_masks import causal_mask, masked_attention


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.context_length = context_length
        self.register_buffer("mask", causal_mask(context_length))
        self.w_query = nn.Linear(d_in, d_out, bias)
        self.w_key = nn.Linear(d_in, d_out, bias)
        self.w_value = nn.Linear(d_in, d_out, bias)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        if x.size(1) > self.context_length:
            raise ValueError(f"{x.size(1)} tokens, only {self.context_length} allowed")
        q, k, v = self.w_query(x), self.w_key(x), self.w_value(x)
        context, weights = masked_attention(q, k, v, self.mask)
        if self.training:
            context = self.drop(weights) @ v
        return context
