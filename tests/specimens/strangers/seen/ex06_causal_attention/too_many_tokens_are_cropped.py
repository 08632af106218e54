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
        self.block_size = context_length
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", causal_mask(context_length))

    def forward(self, x: Tensor) -> Tensor:
        # if the sequence is growing too long we must crop it at block_size
        x_cond = x if x.size(1) <= self.block_size else x[:, -self.block_size :]
        T = x_cond.size(1)
        v = self.w_value(x_cond)
        _, att = masked_attention(self.w_query(x_cond), self.w_key(x_cond), v, self.mask[:T, :T])
        return self.dropout(att) @ v
