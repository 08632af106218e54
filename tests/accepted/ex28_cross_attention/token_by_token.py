"""Self-attention one token at a time, over what came before, without any mask.

The contract: "In the first step each token attends to itself and to those before it."
"""

import torch
from torch import nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex13_feed_forward import FeedForward


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout=dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)
        self.dropout3 = nn.Dropout(dropout)

    def so_far(self, x):
        for t in range(1, x.size(1) + 1):
            past = x[:, :t]
            yield self.self_attention(past[:, -1:], past, past)[0]

    def forward(self, x, memory, memory_mask=None):
        x = self.norm1(x + self.dropout1(torch.cat(list(self.so_far(x)), dim=1)))
        read = self.cross_attention(x, memory, memory, memory_mask)[0]
        x = self.norm2(x + self.dropout2(read))
        return self.norm3(x + self.dropout3(self.feed_forward(x)))
