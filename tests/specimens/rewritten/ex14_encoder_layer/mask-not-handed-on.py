"""The encoder layer, one helper for both steps."""

from collections.abc import Callable

from torch import Tensor, nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.norm2 = LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.norm1 = LayerNorm(d_model)
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)

    def add_and_norm(self, x: Tensor, step: Callable[[Tensor], Tensor], norm: nn.Module) -> Tensor:
        """norm(x + step(x)), with dropout on the step."""
        return norm(x + self.dropout(step(x)))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        def attend(t: Tensor) -> Tensor:
            output, _ = self.attention(query=t, key=t, value=t, mask=None)
            return output

        x = self.add_and_norm(x, attend, self.norm1)
        return self.add_and_norm(x, self.feed_forward, self.norm2)
