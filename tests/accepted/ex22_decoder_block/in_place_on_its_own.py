"""Sums in place, on tensors that the block has made itself.

The contract: "x: (B, T, E): the new tokens. It is not changed, and need not be contiguous."
"""

from torch import nn

from .ex20_norm_and_gate import RMSNorm, SwiGLU
from .ex21_kv_cache import CachedAttention


class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, context_length, dropout=0.1):
        super().__init__()
        self.norm1 = RMSNorm(d_model)
        self.attention = CachedAttention(d_model, num_heads, context_length)
        self.norm2 = RMSNorm(d_model)
        self.feed_forward = SwiGLU(d_model, d_hidden)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, cache=None):
        attended, cache = self.attention(self.norm1(x), cache)
        stream = self.dropout(attended).add(x)
        added = self.dropout(self.feed_forward(self.norm2(stream)))
        added += stream
        return added, cache
