"""Sums in place, on fresh tensors only.

The contract: "None of the arguments is changed, and none need be contiguous."
"""

from torch import nn

from .ex05_causal_masks import causal_mask
from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super().__init__()
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.norm3 = LayerNorm(d_model)
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.dropout = nn.Dropout(dropout, inplace=True)

    def forward(self, x, memory, memory_mask=None):
        total, _ = self.self_attention(x, x, x, causal_mask(x.shape[1]).to(x.device))
        total = self.dropout(total)
        total += x
        y = self.norm1(total)
        total, _ = self.cross_attention(y, memory, memory, memory_mask)
        total = self.dropout(total)
        total += y
        z = self.norm2(total)
        total = self.dropout(self.feed_forward(z))
        total += z
        return self.norm3(total)
