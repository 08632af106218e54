"""A dropout of its own for each step, and a name for everything.

The contract: "Each step reads its input normalised, and adds its output to the input as it was
before the norm."
"""

from torch import nn

from .ex20_norm_and_gate import RMSNorm, SwiGLU
from .ex21_kv_cache import CachedAttention


class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, context_length, dropout=0.1):
        super().__init__()
        self.attention = CachedAttention(d_model, num_heads, context_length, bias=False)
        self.feed_forward = SwiGLU(d_model, d_hidden)
        self.norm1, self.norm2 = RMSNorm(d_model), RMSNorm(d_model)
        self.drop1, self.drop2 = nn.Dropout(dropout), nn.Dropout(dropout)

    def forward(self, x, cache=None):
        shortcut = x
        normal = self.norm1(x)
        attended, new_cache = self.attention(normal, cache=cache)
        halfway = shortcut + self.drop1(attended)
        shortcut = halfway
        normal = self.norm2(halfway)
        fed = self.feed_forward(normal)
        return shortcut + self.drop2(fed), new_cache
