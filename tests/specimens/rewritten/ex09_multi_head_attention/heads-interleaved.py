"""Multi-head attention with two small methods for the heads."""

from torch import Tensor, nn

from .ex05_causal_masks import masked_attention


class MultiHeadAttention(nn.Module):
    def __init__(
        self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        if d_model % num_heads > 0:
            raise ValueError(f"d_model={d_model}, num_heads={num_heads}: not divisible")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def _to_heads(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        x = x.reshape(batch, length, self.head_dim, self.num_heads)
        return x.permute(0, 3, 1, 2)

    def _from_heads(self, x: Tensor) -> Tensor:
        batch, _, length, _ = x.shape
        x = x.permute(0, 2, 3, 1)
        return x.reshape(batch, length, self.d_model)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        queries = self._to_heads(self.w_query(query))
        keys = self._to_heads(self.w_key(key))
        values = self._to_heads(self.w_value(value))
        if mask is not None:
            while mask.dim() < 4:
                mask = mask.unsqueeze(-3)
        _, weights = masked_attention(queries, keys, values, mask)
        mixed = self.dropout(weights).matmul(values)
        return self.w_out(self._from_heads(mixed)), weights
