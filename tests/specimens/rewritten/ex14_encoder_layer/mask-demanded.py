from torch import nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super().__init__()
        self.attention = MultiHeadAttention(d_model=d_model, num_heads=num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.after_attention = nn.Dropout(dropout)
        self.after_feed_forward = nn.Dropout(dropout)

    def forward(self, x, mask):
        residual = x
        out, _weights = self.attention(x, x, x, mask=mask)
        out = self.after_attention(out)
        out = out + residual
        out = self.norm1(out)

        residual = out
        out = self.feed_forward(out)
        out = self.after_feed_forward(out)
        out = out + residual
        return self.norm2(out)
