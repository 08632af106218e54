"""Exercise 06: causal attention."""

from torch import Tensor, nn

from .ex05_causal_masks import causal_mask, masked_attention


class CausalAttention(nn.Module):
    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        self.mask = nn.Parameter(causal_mask(context_length), requires_grad=False)
        self.dropout = nn.Dropout(dropout)
        for which in ["query", "key", "value"]:
            setattr(self, f"w_{which}", nn.Linear(d_in, d_out, bias=bias))

    def forward(self, x: Tensor) -> Tensor:
        rows, columns = self.mask.shape
        n = x.shape[1]
        if n > rows:
            raise ValueError(f"expected at most {rows} tokens, got {n}")
        values = self.w_value(x)
        weights = masked_attention(self.w_query(x), self.w_key(x), values, self.mask[:n, :n])[1]
        return self.dropout(weights).matmul(values)
