"""Exercise 06: causal attention."""

from torch import Tensor, nn

from .ex05_causal_masks import causal_mask


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.register_buffer("mask", causal_mask(context_length))
        self.scale = 1 / d_out**0.5
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > self.mask.shape[1]:
            raise ValueError(f"{x.shape[1]} tokens are more than {self.mask.shape[1]}")
        q = self.w_query(x) * self.scale
        scores = (q @ self.w_key(x).mT).tril()
        return self.dropout(scores.softmax(dim=-1)) @ self.w_value(x)
