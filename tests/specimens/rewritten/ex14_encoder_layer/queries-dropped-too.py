"""The encoder layer in plain steps."""

from torch import Tensor, nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class EncoderLayer(nn.Module):
    """Post-norm layer."""

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm1 = LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.norm2 = LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        query, key, value = self.drop(x), self.drop(x), x
        attended, _weights = self.attention(query, key, value, mask)
        attended = self.drop(attended)
        middle = self.norm1(x + attended)
        worked = self.feed_forward(middle)
        worked = self.drop(worked)
        return self.norm2(middle + worked)
