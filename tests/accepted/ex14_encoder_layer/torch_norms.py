"""Earlier exercises for the sub-layers, PyTorch's own norms, one step a line.

The contract: "the layer norm of the first step, here and below that of exercise 12 or nn.LayerNorm"
"""

from torch import nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex13_feed_forward import FeedForward


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout=dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        residual = x
        x = self.attention(query=x, key=x, value=x, mask=mask)[0]
        x = self.dropout1(x)
        x = x + residual
        x = self.norm1(x)

        residual = x
        x = self.feed_forward(x)
        x = self.dropout2(x)
        x = x + residual
        return self.norm2(x)
