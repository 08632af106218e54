"""One method that adds and normalises, given a sub-layer as a function.

The contract: "In each step its output is added to its own input, and the sum is normalised."
"""

from torch import nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm1 = LayerNorm((d_model,))
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.norm2 = LayerNorm((d_model,))
        self.dropout = nn.Dropout(dropout)

    def add_and_norm(self, x, sublayer, norm):
        return norm(x + self.dropout(sublayer(x)))

    def forward(self, x, mask=None):
        x = self.add_and_norm(x, lambda x: self.attention(x, x, x, mask)[0], self.norm1)
        return self.add_and_norm(x, self.feed_forward, self.norm2)
