"""Exercise 06: causal attention."""

from torch import Tensor, nn

from .ex05_causal_masks import causal_mask, masked_attention


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.dropout = nn.Dropout(dropout)
        self.context_length = context_length
        self.register_buffer("mask", causal_mask(context_length), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        length = x.shape[1]
        if length > self.context_length:
            raise ValueError(f"sequence of {length} is longer than context {self.context_length}")
        out, _ = masked_attention(
            self.w_query(x), self.w_key(x), self.w_value(x), self.mask[:length, :length]
        )
        return self.dropout(out)
