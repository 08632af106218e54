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
        self.context_length = context_length
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", None)

    def _get_mask(self, x: Tensor) -> Tensor:
        t = x.shape[1]
        if self.mask is None or self.mask.shape[0] != t or self.mask.device != x.device:
            self.mask = causal_mask(t).to(x.device)
        return self.mask

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > self.context_length:
            raise ValueError(
                f"at most {self.context_length} tokens are possible, but there are {x.shape[1]}"
            )
        v = self.w_value(x)
        _, weights = masked_attention(self.w_query(x), self.w_key(x), v, self._get_mask(x))
        return self.dropout(weights) @ v
