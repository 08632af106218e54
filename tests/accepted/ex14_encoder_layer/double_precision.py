"""The two sums and norms in float64, cast back at the end.

The contract: "how the layer calls them is free"
"""

from torch import nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex13_feed_forward import FeedForward


class DoubleNorm(nn.LayerNorm):
    def forward(self, input):
        weight, bias = self.weight.double(), self.bias.double()
        return nn.functional.layer_norm(input.double(), self.normalized_shape, weight, bias, 1e-12)


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm1 = DoubleNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.norm2 = DoubleNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        double = x.double() + self.dropout(self.attention(x, x, x, mask)[0]).double()
        double = self.norm1(double)
        added = self.dropout(self.feed_forward(double.to(x.dtype)))
        return self.norm2(double + added.double()).to(x.dtype)
