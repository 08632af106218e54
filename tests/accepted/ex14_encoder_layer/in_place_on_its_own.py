"""Sums in place, on fresh tensors only.

The contract: "Neither it nor the mask is changed, and neither need be contiguous."
"""

from torch import nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.dropout = nn.Dropout(dropout, inplace=True)

    def forward(self, x, mask=None):
        total, _weights = self.attention(x, x, x, mask)
        total = self.dropout(total)
        total += x
        y = self.norm1(total)
        z = self.feed_forward(y)
        z = self.dropout(z)
        z += y
        return self.norm2(z)
