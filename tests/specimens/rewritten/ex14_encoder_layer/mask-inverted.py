"""The encoder layer, its norms from torch."""

from torch import Tensor, nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex13_feed_forward import FeedForward


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)

    def _self_attention(self, x: Tensor, mask: Tensor | None) -> Tensor:
        if mask is not None:
            mask = ~mask
        output, _ = self.attention(x, x, x, mask)
        return self.dropout1(output)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self.feed_forward(x))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.norm1(x + self._self_attention(x, mask))
        return self.norm2(x + self._ff_block(x))
