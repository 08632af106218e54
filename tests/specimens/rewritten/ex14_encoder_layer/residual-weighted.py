"""The encoder layer with residuals that have names."""

import torch
import torch.nn as nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super(EncoderLayer, self).__init__()
        self.attention = MultiHeadAttention(
            d_model=d_model, num_heads=num_heads, dropout=dropout, bias=True
        )
        self.feed_forward = FeedForward(d_model=d_model, d_hidden=d_hidden, dropout=dropout)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.dropout = nn.Dropout(p=dropout)
        self.gate = nn.Parameter(torch.ones(1))

    def forward(self, x, mask=None):
        residual = x
        x = self.attention(x, x, x, mask=mask)[0]
        x = self.dropout(x)
        x = torch.add(residual, self.gate * x)
        x = self.norm1(x)

        residual = x
        x = self.feed_forward(x)
        x = self.dropout(x)
        x = torch.add(residual, x)
        return self.norm2(x)
