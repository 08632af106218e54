"""One function for both steps, which is given what to do between norm and sum.

The contract: "Causal attention, then a feed-forward network: two steps, one after the other."
"""

from torch import nn

from .ex20_norm_and_gate import RMSNorm, SwiGLU
from .ex21_kv_cache import CachedAttention


class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, context_length, dropout=0.1):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads do not share {d_model} features evenly")
        self.norm1 = RMSNorm(d_model)
        self.norm2 = RMSNorm(d_model)
        self.attention = CachedAttention(d_model, num_heads, context_length)
        self.feed_forward = SwiGLU(d_model, d_hidden)
        self.dropout = nn.Dropout(p=dropout)

    def step(self, x, norm, work):
        return x + self.dropout(work(norm(x)))

    def forward(self, x, cache=None):
        caches = []

        def attend(normal):
            output, new = self.attention(normal, cache)
            caches.append(new)
            return output

        x = self.step(x, self.norm1, attend)
        return self.step(x, self.norm2, self.feed_forward), caches[0]
