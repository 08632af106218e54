"""An encoder layer with the norms after the sums: the idea, and nothing of the fine print."""

from torch import Tensor, nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex13_feed_forward import FeedForward


class EncoderLayer(nn.Module):
    """Self-attention, then a feed-forward network."""

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        attn_output, _ = self.attention(x, x, x, mask)
        x = self.norm1(x + self.dropout1(attn_output))
        ff_output = self.feed_forward(x)
        return self.norm2(x + self.dropout2(ff_output))
