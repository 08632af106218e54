"""The encoder layer as two methods."""

from torch import Tensor, nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.attention_dropout = nn.Dropout(dropout)
        self.norm1 = LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.feed_forward_dropout = nn.Dropout(dropout)
        self.norm2 = LayerNorm(d_model)

    def first_step(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """Look at the other tokens."""
        context = self.attention(x, x, x, mask)[0]
        return self.attention_dropout(self.norm1(x + context))

    def second_step(self, x: Tensor) -> Tensor:
        """Work on each token."""
        result = self.feed_forward(x)
        return self.feed_forward_dropout(self.norm2(x + result))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.second_step(self.first_step(x, mask))
